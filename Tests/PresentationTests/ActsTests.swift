import Feedback
import Testing

@testable import Presentation

@Suite("The acts of a person on the screens")
struct ActsTests {
    private let taken = MutableProperty<[String]>([])
    private let acts = MutableProperty<[ScreenStack.Act]>([])

    /// A screen with several controls of each name, each with an action of its own.
    private var screen: Screen<AnyAction> {
        let screen = Screen<String>(
            title: "Two of each",
            sections: [
                .init(rows: [
                    .notice(.error, "It failed.", button: .init("Again", action: "notice")),
                    .button("Again", action: "button"), .choice("Again", action: "choice"),
                    .field("Name", text: "", edit: { "first: \($0)" }),
                    .field("Name", text: "", isEnabled: false, edit: { "second: \($0)" }), .text("Again"),
                ])
            ],
            actions: [.init("Again", action: "action"), .init("Leave", isEnabled: false, action: "leave")])
        return screen.map { [taken] action in
            AnyAction(action) { taken.modify { $0.append(action) } }
        }
    }

    @Test("Each control reports its name and its place among those of the name, and then takes its action")
    func reporting() {
        let reporting = screen.reporting { [acts] act, _, _ in acts.modify { $0.append(act) } }
        #expect(reporting.text() == screen.text())
        for control in reporting.controls {
            switch control {
            case let .button(button): button.action()
            case let .choice(choice): choice.action()
            case let .field(field): field.edit("Ada")()
            }
        }
        #expect(
            acts.value == [
                .uses("Again", place: 0), .uses("Again", place: 1), .uses("Again", place: 2),
                .types("Ada", into: "Name", place: 0), .types("Ada", into: "Name", place: 1),
                .uses("Again", place: 3), .uses("Leave", place: 0),
            ])
        #expect(
            taken.value
                == ["notice", "button", "choice", "first: Ada", "second: Ada", "action", "leave"])
    }

    @Test("An act leads back to the action of its control, if that can be used")
    func replaying() {
        for place in 0...3 { screen.action(of: .uses("Again", place: place))?() }
        screen.action(of: .types("Ada", into: "Name"))?()
        #expect(taken.value == ["notice", "button", "choice", "action", "first: Ada"])
        #expect(screen.action(of: .uses("Again", place: 4)) == nil)
        #expect(screen.action(of: .uses("Leave")) == nil)
        #expect(screen.action(of: .uses("Name")) == nil)
        #expect(screen.action(of: .types("Ada", into: "Name", place: 1)) == nil)
        #expect(screen.action(of: .types("Ada", into: "Name", place: 2)) == nil)
        #expect(screen.action(of: .types("Ada", into: "Again")) == nil)
    }

    @Test("A name with a mark in place of a secret leads to the only control that it fits")
    func marks() {
        let screen = Screen<String>(
            title: "",
            actions: ["Sort: key=name", "Back", "Sort: key=name"].map { .init($0, action: $0) }
        ).map { [taken] action in AnyAction(action) { taken.modify { $0.append(action) } } }
        screen.action(of: .uses("Sort: key=<redacted>", place: 1))?()
        #expect(taken.value == ["Sort: key=name"])
        #expect(screen.action(of: .uses("<redacted>")) == nil && screen.action(of: .uses("Sort: <redacted>x")) == nil)
    }

    @Test("A stack tells its acts with the screen's number, from the listening on to its end")
    func listening() throws {
        let stack = ScreenStack()
        stack.push(.counter())
        let ids = MutableProperty<[Int]>([])
        stack.top?.use("Increment")
        let listening = stack.acts.startWithValues { [acts] id, act in
            ids.modify { $0.append(id) }
            acts.modify { $0.append(act) }
        }
        let id = try #require(stack.top?.id)
        stack.top?.use("Increment")
        stack.push(.counter())
        stack.top?.use("Work")
        listening.dispose()
        stack.top?.use("Work")
        #expect(acts.value == [.uses("Increment"), .uses("Work")])
        #expect(ids.value.count == 2 && ids.value.first == id && ids.value.last == stack.top?.id)
    }
}
