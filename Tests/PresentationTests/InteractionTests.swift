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

    @Test("A choice that is disabled is neither chosen nor reached")
    func disabledChoice() {
        func screen(isEnabled: Bool) -> Screen<Action> {
            let rows = ["One", "Two", "Three"].map { name in
                Screen<Action>.Row.choice(name, isEnabled: isEnabled || name != "Two", action: .choose(name))
            }
            return Screen(title: "", sections: [.init(rows: rows)])
        }
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen(isEnabled: false))
        #expect(interaction.focus(on: screen(isEnabled: false)) == 2)
        _ = interaction.handle(.up, on: screen(isEnabled: true))
        #expect(interaction.handle(.enter, on: screen(isEnabled: false)).action == nil)
        #expect(interaction.handle(.enter, on: screen(isEnabled: true)).action == .choose("Two"))
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

    @Test("Quick typing loses nothing, though the screen shows the texts one by one, much later")
    func late() {
        var interaction = Interaction()
        let screens = ["", "a", "ab", "abc"].map { screen(name: $0, choices: []) }
        for (key, text) in [("a", "a"), ("b", "ab"), ("c", "abc")] as [(Key, String)] {
            #expect(interaction.handle(key, on: screens[0]).action == .type(text))
        }
        #expect(interaction.handle(.left, on: screens[1]).action == nil)
        #expect(interaction.handle("d", on: screens[1]).action == .type("abdc"))
        for screen in screens[2...] {
            interaction.settle(on: screen)
            #expect(interaction.caret(on: screen) == 3)
        }
        #expect(interaction.handle("e", on: screens[3]).action == .type("abdec"))
    }

    @Test("A text that the screen shows after all edits are handled is the one that is edited from then on")
    func textAfterEdits() {
        var interaction = Interaction()
        let one = screen(name: "1", choices: [])
        _ = interaction.handle("2", on: one)
        _ = interaction.handle(.backspace, on: one)
        interaction.finishEdits(on: one)
        // The view model writes a text that was typed before. The caret stays at the end.
        #expect(interaction.caret(on: screen(name: "12", choices: [])) == 2)
        #expect(interaction.handle("3", on: screen(name: "12", choices: [])).action == .type("123"))
    }

    @Test("A field that gets the focus again has its caret at the end, also if another field has the same name")
    func caretAfterMoving() {
        var interaction = Interaction()
        let form = Screen<Action>(
            title: "",
            sections: [.init(rows: ["Ada", "Grace"].map { name in .field("Name", text: name, edit: { .type($0) }) })])
        for _ in 0..<2 { _ = interaction.handle(.left, on: form) }
        #expect(interaction.caret(on: form) == 1)
        _ = interaction.handle(.down, on: form)
        #expect(interaction.caret(on: form) == 5)
        _ = interaction.handle(.home, on: form)
        #expect(interaction.caret(on: form) == 0)
        _ = interaction.handle(.up, on: form)
        #expect(interaction.caret(on: form) == 3)
        #expect(interaction.handle("!", on: form).action == .type("Ada!"))
    }

    @Test("The focus stays with its control when others come and go")
    func following() {
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen())
        #expect(interaction.focus(on: screen(choices: ["Zero", "One", "Two"])) == 2)
        #expect(interaction.focus(on: screen(choices: [])) == 1)
        #expect(interaction.focus(on: Screen<Action>(title: "")) == nil)
        // The last control is gone, and none has its name: the focus is on the one that is the last now.
        _ = interaction.handle(.end, on: screen())
        var shorter = screen()
        shorter.actions = []
        #expect(interaction.focus(on: shorter) == 2)
    }

    @Test("Of several controls with one name the one at the same place keeps the focus")
    func namesakes() {
        var interaction = Interaction()
        let failures = Screen<Action>(
            title: "",
            sections: [.init(rows: ["first", "second"].map { .button("Try again", action: .choose($0)) })])
        _ = interaction.handle(.down, on: failures)
        #expect(interaction.focus(on: failures) == 1)
        #expect(interaction.handle(.enter, on: failures).action == .choose("second"))
        _ = interaction.handle(.down, on: failures)
        #expect(interaction.handle(.enter, on: failures).action == .choose("first"))
    }

    @Test("Of several controls with one name the one with the same action keeps the focus when they change places")
    func movedNamesakes() {
        var interaction = Interaction()
        let form = { (names: [String]) in
            Screen<Action>(
                title: "",
                sections: [
                    .init(rows: names.map { name in .field("Name", text: name, edit: { .choose("\(name) \($0)") }) })
                ])
        }
        interaction.focus(1, on: form(["Ada", "Grace"]))
        #expect(interaction.focus(on: form(["Grace", "Ada"])) == 0)
        #expect(interaction.focus(on: form(["Hedy", "Ada", "Grace"])) == 2)
        #expect(interaction.handle("!", on: form(["Grace", "Ada"])).action == .choose("Grace Grace!"))
        // It is gone, so the one in its place has the focus.
        #expect(interaction.focus(on: form(["Ada", "Hedy"])) == 1)
        // Of two with one action, the focus can be on each.
        interaction.focus(1, on: form(["Ada", "Ada"]))
        #expect(interaction.focus(on: form(["Ada", "Ada"])) == 1)
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

    @Test("A screen without controls that can be used has no focus that moves, and no button that is pressed")
    func nothingUsable() {
        var interaction = Interaction()
        let disabled = Screen<Action>(
            title: "", actions: (["l", "m"] as [Key]).map { .init("Leave", key: $0, isEnabled: false, action: .leave) })
        for key in [Key.enter, " ", "l", .down, .home, .end, .up] {
            #expect(interaction.handle(key, on: disabled).action == nil)
        }
        #expect(interaction.focus(on: disabled) == 0)
        for key in [Key.home, .end, .down, .up] {
            guard case .nothing = interaction.handle(key, on: Screen<Action>(title: "")) else {
                Issue.record("\(key) does something.")
                continue
            }
        }
    }

    @Test("PageUp and PageDown scroll", arguments: [(Key.pageUp, -1), (.pageDown, 1)])
    func scrolling(key: Key, expected: Int) {
        var interaction = Interaction()
        guard case let .scroll(pages) = interaction.handle(key, on: screen()) else {
            Issue.record("It does not.")
            return
        }
        #expect(pages == expected)
    }

    @Test("A key that moves the caret draws again, and one that no control has does nothing")
    func redrawing() {
        var interaction = Interaction()
        guard case .redraw = interaction.handle(.left, on: screen(name: "Ada", choices: [])) else {
            Issue.record("The caret has moved.")
            return
        }
        guard case .nothing = interaction.handle("x", on: screen(choices: ["One"])) else {
            Issue.record("No control has the key.")
            return
        }
    }

    @Test("Of several controls of one name, the focus stays on its own when another row comes before them")
    func namesakesInAnotherOrder() {
        var interaction = Interaction()
        _ = interaction.handle(.down, on: screen(choices: ["Cat", "Cat", "Dog"]))
        #expect(interaction.focus(on: screen(choices: ["Cat", "Cat", "Dog"])) == 1)
        #expect(interaction.focus(on: screen(choices: ["Ant", "Cat", "Cat", "Dog"])) == 2)
        #expect(interaction.focus(on: screen(choices: ["Cat", "Dog"])) == 0)
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
