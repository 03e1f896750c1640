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
