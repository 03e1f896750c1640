import Feedback
import FeedbackTesting
import Testing

@testable import Presentation

/// What a scripted person sees on a screen, and how long it looks.
struct ScriptedPersonLookingTests {
    private let stack = ScreenStack()

    private func person() -> ScriptedPerson { ScriptedPerson(stack) { $0.looking = .milliseconds(200) } }

    @Test("Sees the whole of a text, however long it is", arguments: LongTextRenderer.Place.allCases)
    func longText(place: LongTextRenderer.Place) async throws {
        let text = (1...1_300).map { "word \($0)" }.joined(separator: " ")
        stack.push(LiveScreen(CounterViewModel(initial: .init(name: text)), LongTextRenderer(place: place)) { _ in })
        let person = person()
        try await person.sees(text)
        await #expect(throws: ScriptError.self) { try await person.doesNotSee(text) }
    }

    @Test("The example in an empty field is not seen; a text that was typed is")
    func example() async throws {
        stack.push(LiveScreen(CounterViewModel(), FormRenderer()) { _ in })
        let person = person()
        let example = await #expect(throws: ScriptError.self) { try await person.sees("Grace") }
        #expect(example?.problem == .textNotSeen("Grace"))
        try await person.types("Grace", into: "Name")
        try await person.sees("Grace")
    }

    @Test("A text that is gone, that is an example, or that has no screen is not seen; one that stays is an error")
    func absence() async throws {
        stack.push(LiveScreen(CounterViewModel(), FormRenderer()) { _ in })
        let person = person()
        try await person.doesNotSee("Grace")
        try await person.types("Grace", into: "Name")
        let stays = await #expect(throws: ScriptError.self) { try await person.doesNotSee("Grace") }
        #expect(stays?.problem == .textSeen("Grace"))
        #expect(stays?.description.contains("\"Grace\" is still on the screen.") == true)
        stack.pop()
        try await person.doesNotSee("Grace")
    }

    @Test("Waits for a text to go away")
    func leavingText() async throws {
        stack.push(.counter())
        let person = ScriptedPerson(stack)
        try await person.sees("Count  0")
        let waiting = Task { try await person.doesNotSee("Count  0") }
        for _ in 0..<200 { await Task.yield() }
        stack.top?.use("Increment")
        try await waiting.value
    }

    @Test("Looks for a text only after the progress, however long that takes", arguments: [0, 1])
    func seeingAfterProgress(retries: Int) async throws {
        let work = Stub<Void, CounterViewModel.Event, NoError>()
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in work()
        }
        stack.push(.counter(CounterViewModel(initial: .init(isBusy: true), feedbacks: [working])))
        let person = ScriptedPerson(stack) {
            $0.looking = .zero
            $0.retries = retries
        }
        let seeing = Task { try await person.sees("Ada") }
        // A person who looked too early would have given up by then.
        for _ in 0..<200 { await Task.yield() }
        work.send(.ui(.rename("Ada")))
        work.answer(.ui(.work))
        try await seeing.value
    }

    @Test("Work that begins while the person looks for a text is waited for, too")
    func lateWork() async throws {
        let work = Stub<Void, CounterViewModel.Event, NoError>()
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in work()
        }
        stack.push(.counter(CounterViewModel(feedbacks: [working])))
        let hasLooked = Locked(false)
        let person = ScriptedPerson(
            stack, configure: { $0.looking = .zero },
            onAct: { [stack] _ in
                let isFirst = hasLooked.withLock { hasLooked in
                    defer { hasLooked = true }
                    return !hasLooked
                }
                // The person has seen that there is no progress, and now looks for the text.
                if isFirst { stack.top?.use("Work") }
            })
        let seeing = Task { try await person.sees("Ada") }
        await eventually { work.waitingCount == 1 }
        // A person who did not wait would have given up by then.
        for _ in 0..<200 { await Task.yield() }
        work.send(.ui(.rename("Ada")))
        work.answer(.ui(.work))
        try await seeing.value
    }

    @Test("An error that comes while the person looks is tried again")
    func lateError() async throws {
        stack.push(LiveScreen(FlakyViewModel(initial: .idle), FlakyRenderer()))
        let hasLooked = Locked(false)
        let person = ScriptedPerson(
            stack,
            configure: {
                $0.looking = .zero
                $0.retries = 5
            },
            onAct: { [stack] _ in
                let isFirst = hasLooked.withLock { hasLooked in
                    defer { hasLooked = true }
                    return !hasLooked
                }
                // The person has seen that nothing has failed, and now looks for the text.
                if isFirst { stack.top?.use("Start") }
            })
        try await person.sees("Done")
    }
}

/// Shows a text in one place of the screen.
struct LongTextRenderer: Renderer {
    enum Place: CaseIterable {
        case title, section, text, label, value, field, choice, button, notice, action
    }

    let place: Place

    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        let text = state.name
        let row: Screen<CounterViewModel.Action>.Row? =
            switch place {
            case .text: .text(text)
            case .label: .value(text, "")
            case .value: .value("Text", text)
            case .field: .field("Text", text: text, edit: { .rename($0) })
            case .choice: .choice(text, detail: "Detail", action: .work)
            case .button: .button(text, action: .work)
            case .notice: .notice(.information, text)
            case .title, .section, .action: nil
            }
        return Screen(
            title: place == .title ? text : "Long",
            sections: [.init(place == .section ? text : nil, rows: row.map { [$0] } ?? [])],
            actions: place == .action ? [.init(text, action: .work)] : [])
    }
}

/// A field with an example.
private struct FormRenderer: Renderer {
    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        let field = Row.field("Name", text: state.name, placeholder: "Grace", edit: { .rename($0) })
        return Screen(title: "Form", sections: [.init(rows: [field])])
    }
}
