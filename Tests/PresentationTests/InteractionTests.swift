import Testing

@testable import Presentation

struct InteractionTests {
    private enum Action: Equatable, Sendable {
        case choose(String)
        case type(String)
        case ask
        case leave
    }

    private func screen(name: String = "", choices: [String] = ["One", "Two"]) -> Screen<Action> {
        Screen(
            title: "",
            sections: [
                .init(rows: choices.map { .choice(.init($0, action: .choose($0))) }),
                .init(rows: [.field(.init("Name", text: name, edit: { .type($0) }))]),
            ],
            actions: [
                .init("Ask", key: .enter, action: .ask), .init("Leave", key: "l", action: .leave),
            ])
    }

    @Test("Arrows and Tab move the focus around")
    func moving() {
        var interaction = Interaction()
        var places: [Int?] = [interaction.focus(on: screen())]
        for key in [Key.down, .tab, .down, .down, .down, .up, .backTab, .home, .end] {
            _ = interaction.handle(key, on: screen())
            places.append(interaction.focus(on: screen()))
        }
        #expect(places == [0, 1, 2, 3, 4, 0, 4, 3, 0, 4])
    }

    @Test("Enter and Space use what has the focus", arguments: [Key.enter, " "])
    func using(key: Key) {
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen())
        #expect(interaction.handle(key, on: screen()).action == .choose("Two"))
    }

    @Test("Keys write into a focused field, and press buttons everywhere else")
    func typing() {
        var interaction = Interaction()
        #expect(interaction.handle("l", on: screen()).action == .leave)
        _ = interaction.handle(.down, on: screen())
        _ = interaction.handle(.down, on: screen())
        #expect(interaction.handle("l", on: screen(name: "al")).action == .type("all"))
        #expect(interaction.handle(.backspace, on: screen(name: "東京")).action == .type("東"))
        #expect(interaction.handle(.control("u"), on: screen(name: "abc")).action == .type(""))
        #expect(interaction.handle(.enter, on: screen(name: "abc")).action == .ask)
    }

    @Test("Quick typing loses nothing, though the screen does not show it yet")
    func pending() {
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen())
        _ = interaction.handle(.down, on: screen())
        #expect(interaction.handle("a", on: screen()).action == .type("a"))
        #expect(interaction.handle("b", on: screen()).action == .type("ab"))
        #expect(interaction.handle("c", on: screen(name: "ab")).action == .type("abc"))
    }

    @Test("The focus stays with its control when others come and go")
    func following() {
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen())
        #expect(interaction.focus(on: screen(choices: ["Zero", "One", "Two"])) == 2)
        #expect(interaction.focus(on: screen(choices: [])) == 1)
        #expect(interaction.focus(on: Screen<Action>(title: "")) == nil)
    }

    @Test("The caret moves in a field, and keys edit where it stands")
    func caret() {
        var interaction = Interaction()
        let ada = screen(name: "Ada", choices: [])
        #expect(interaction.caret(on: ada) == 3)
        _ = interaction.handle(.left, on: ada)
        #expect(interaction.caret(on: ada) == 2)
        #expect(interaction.handle("d", on: ada).action == .type("Adda"))
        #expect(interaction.caret(on: screen(name: "Adda", choices: [])) == 3)
        // Until the screen shows it, typing goes on from there too.
        #expect(interaction.handle("!", on: ada).action == .type("Add!a"))
    }

    @Test("A text that the view model has changed replaces the one that was typed")
    func changedText() {
        var interaction = Interaction()
        _ = interaction.handle("a", on: screen(choices: []))
        interaction.settle(on: screen(name: "a", choices: []))
        // As after sending a message: the field is empty again.
        #expect(interaction.handle("b", on: screen(choices: [])).action == .type("b"))
        // And a field that writes in capitals.
        _ = interaction.handle(.left, on: screen(name: "b", choices: []))
        #expect(interaction.handle("c", on: screen(name: "B", choices: [])).action == .type("cB"))
        // It was empty at first, but that is not what it was before this change.
        #expect(interaction.handle("d", on: screen(choices: [])).action == .type("d"))
    }

    @Test("A text that the view model refuses leaves the caret before the character before which it was")
    func refusedText() {
        let digits = screen(name: "12", choices: [])
        for caret in 0...2 {
            var interaction = Interaction()
            for _ in caret..<2 { _ = interaction.handle(.left, on: digits) }
            _ = interaction.handle("x", on: digits)
            #expect(interaction.caret(on: digits) == caret + 1)
            interaction.finishEdits(on: digits)
            #expect(interaction.caret(on: digits) == caret)
        }
    }

    @Test("A screen's own key goes before one that edits")
    func ownKeys() {
        var interaction = Interaction()
        var screen = screen(name: "Ada", choices: [])
        screen.actions = [.init("Add", key: .control("a"), action: .ask)]
        #expect(interaction.handle(.control("a"), on: screen).action == .ask)
    }

    @Test("A pasted text goes into a field, on one line, and presses nothing elsewhere")
    func pasting() {
        var interaction = Interaction()
        #expect(
            interaction.handle(.paste("one\ntwo\u{7}"), on: screen(name: "a ", choices: [])).action
                == .type("a one two"))
        interaction = Interaction()
        #expect(interaction.handle(.paste("l\r"), on: screen()).action == nil)
    }

    @Test("The focus skips what cannot be used, and stays where something has become so")
    func skipping() {
        var interaction = Interaction()
        var screen = screen(choices: [])
        screen.actions[0].isEnabled = false
        #expect(interaction.focus(on: screen) == 0)
        _ = interaction.handle(.down, on: screen)
        #expect(interaction.focus(on: screen) == 2)
        screen.actions[1].isEnabled = false
        #expect(interaction.focus(on: screen) == 2)
        #expect(interaction.handle(.enter, on: screen).action == nil)
        screen.sections = []
        #expect(interaction.handle(.down, on: screen).action == nil)
    }

    @Test("A question mark asks for help, unless it is written")
    func help() {
        var interaction = Interaction()
        guard case .help = interaction.handle("?", on: screen()) else {
            Issue.record("It does not.")
            return
        }
        #expect(interaction.handle("?", on: screen(choices: [])).action == .type("?"))
    }

    @Test("Ctrl-C leaves")
    func quitting() {
        var interaction = Interaction()
        guard case .quit = interaction.handle(.control("c"), on: screen()) else {
            Issue.record("It does not.")
            return
        }
    }
}

extension Interaction.Reaction {
    fileprivate var action: Action? { if case let .perform(action) = self { action } else { nil } }
}
