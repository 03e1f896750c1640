import Presentation
import Testing

struct ScreenTests {
    private enum Action: Equatable, Sendable {
        case choose(Int)
        case type(String)
        case retry
        case leave
    }

    private let screen = Screen<Action>(
        title: "All kinds of rows",
        sections: [
            .init(rows: [
                .notice(.init(.error, "It failed.", button: .init("Try again", key: "t", action: .retry))),
                .progress(.init("Loading", fraction: 0.5)),
            ]),
            .init("Choices", rows: [.text("One of"), .choice(.init("One", action: .choose(1)))]),
            .init(rows: [.value("Key", "Value"), .field(.init("Name", text: "", edit: { .type($0) }))]),
        ],
        actions: [.init("Leave", key: .escape, isEnabled: false, action: .leave)])

    @Test("Controls come in the order in which they are seen")
    func controls() {
        #expect(screen.controls.map(\.name) == ["Try again", "One", "Name", "Leave"])
    }

    @Test("A key presses the button that has it, unless the button is disabled")
    func keys() {
        #expect(screen.button(for: "t")?.action == .retry)
        #expect(screen.button(for: .escape) == nil)
        #expect(screen.button(for: "x") == nil)
    }

    @Test("Progress and errors are found wherever they stand")
    func reports() {
        #expect(screen.progress == [.init("Loading", fraction: 0.5)])
        #expect(screen.errors.map(\.message) == ["It failed."])
    }

    @Test("A screen with other actions looks the same")
    func mapping() {
        let mapped = screen.map { "\($0)" }
        #expect(mapped.text() == screen.text())
        #expect(mapped.button(for: "t")?.action == "retry")
        guard case let .field(field) = mapped.controls[2] else {
            Issue.record("The third control is no field.")
            return
        }
        #expect(field.edit("x") == "type(\"x\")")
    }

    @Test("With other actions, a secret is still unseen, and a disabled choice disabled")
    func mappingOfLimits() {
        let rows: [Screen<Action>.Row] = [
            .choice("One", isEnabled: false, action: .choose(1)),
            .field("PIN", text: "1234", isSecret: true, edit: { .type($0) }),
        ]
        let screen = Screen(title: "", sections: [.init(rows: rows)]).map { "\($0)" }
        #expect(screen.controls.map(\.isEnabled) == [false, true])
        #expect(screen.text().contains("[••••"))
    }

    @Test("Fields are equal if they look alike and make the same action")
    func fields() {
        let field = Screen<Action>.Field("Name", text: "x", edit: { .type($0) })
        #expect(field == .init("Name", text: "x", edit: { Action.type($0) }))
        #expect(field != .init("Name", text: "y", edit: { .type($0) }))
        #expect(field != .init("Name", text: "x", edit: { _ in .leave }))
        for change: @Sendable (inout Screen<Action>.Field) -> Void in [
            { $0.label = "Town" }, { $0.placeholder = "such" }, { $0.problem = "Which?" }, { $0.isEnabled = false },
            { $0.isSecret = true },
        ] {
            var other = field
            change(&other)
            #expect(other != field)
        }
    }

    @Test("The short forms make the same rows, which can be used unless they say otherwise")
    func shortForms() {
        typealias Row = Screen<Action>.Row
        #expect(Row.choice("One", action: .choose(1)) == .choice(.init("One", action: .choose(1))))
        #expect(Row.button("Leave", action: .leave) == .button(.init("Leave", isEnabled: true, action: .leave)))
        #expect(
            Row.field("Name", text: "", edit: { .type($0) })
                == .field(.init("Name", text: "", isEnabled: true, edit: { .type($0) })))
    }
}
