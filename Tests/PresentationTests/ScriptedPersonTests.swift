import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Presentation

struct ScriptedPersonTests {
    private let stack = ScreenStack()

    private func person(retries: Int = 0) -> ScriptedPerson {
        ScriptedPerson(stack) {
            $0.looking = .milliseconds(200)
            $0.waiting = .seconds(60)
            $0.retries = retries
        }
    }

    @Test("Uses buttons and fields by their names, and sees the screen")
    func acting() async throws {
        stack.push(.counter { [weak stack] _ in stack?.pop() })
        let person = person()
        try await person.uses("Increment")
        try await person.sees("Count  1")
        try await person.uses("Increment", times: 2)
        try await person.types("Ada", into: "Name")
        try await person.sees("Count  3")
        #expect(try await person.looks()?.contains("Ada") == true)
        try await person.uses("Leave")
        #expect(stack.screens.isEmpty)
    }

    @Test("A control or a text that is not there is an error that prints the screen and the line")
    func missing() async {
        stack.push(.counter())
        let person = person()
        let control = await #expect(throws: ScriptError.self) { try await person.uses("Explode") }
        #expect(control?.problem == .controlNotFound("Explode"))
        #expect(control?.description.contains("Count  0") == true)
        #expect(control?.place.hasPrefix("PresentationTests/ScriptedPersonTests.swift:") == true)
        let field = await #expect(throws: ScriptError.self) { try await person.types("x", into: "Increment") }
        #expect(field?.problem == .controlNotFound("Increment"))
        for number in [Int.min, -1, 1, .max] {
            await #expect(throws: ScriptError.self) { try await person.uses("Increment", number: number) }
            await #expect(throws: ScriptError.self) { try await person.types("x", into: "Name", number: number) }
        }
        let text = await #expect(throws: ScriptError.self) { try await person.sees("Count  9") }
        #expect(text?.problem == .textNotSeen("Count  9"))
        stack.pop()
        let nothing = await #expect(throws: ScriptError.self) { try await person.sees("Count") }
        #expect(nothing?.description.contains("There is no screen.") == true)
    }

    @Test("A person whose task is cancelled does not wait any longer", .timeLimit(.minutes(10)))
    func cancelled() async {
        stack.push(.counter())
        stack.top?.use("Work")
        let person = ScriptedPerson(stack) { $0.waiting = .seconds(86_400) }
        let waiting = Task { try await person.looks() }
        waiting.cancel()
        let error = await #expect(throws: ScriptError.self) { try await waiting.value }
        #expect(error?.problem == .stillBusy("Working"))
    }

    @Test("Waits until the screen shows no progress")
    func waiting() async throws {
        let work = Stub<Void, CounterViewModel.Event, NoError>()
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in work()
        }
        stack.push(.counter(CounterViewModel(feedbacks: [working])))
        let person = person()
        async let acted: Void = person.uses("Work")
        // The screen shows progress before the work has begun to listen.
        #expect(await eventually { work.waitingCount == 1 })
        work.answer(.ui(.work))
        try await acted
        try await person.uses("Increment")
        try await person.sees("Count  1")
    }

    @Test("Tries again what has failed, as often as told, and reports each act")
    func retrying() async throws {
        let acts = Locked<[ScriptedPerson.Act]>([])
        stack.push(LiveScreen(FlakyViewModel(), FlakyRenderer()))
        let person = ScriptedPerson(
            stack, configure: { $0.retries = 5 }, onAct: { act in acts.withLock { $0.append(act) } })
        try await person.sees("Done")
        #expect(acts.withLock { $0.filter { $0 != .looks } } == [.retries("Try again"), .retries("Try again")])

        stack.pop()
        stack.push(LiveScreen(FlakyViewModel(), FlakyRenderer()))
        let failure = await #expect(throws: ScriptError.self) { try await self.person(retries: 1).sees("Done") }
        #expect(failure?.problem == .stillFailing("offline", retries: 1))
    }

    @Test("Reports the controls that are used, and the texts that are typed")
    func reporting() async throws {
        let acts = Locked<[ScriptedPerson.Act]>([])
        stack.push(.counter())
        let person = ScriptedPerson(stack, onAct: { act in acts.withLock { $0.append(act) } })
        try await person.uses("Increment", times: 2)
        try await person.types("Ada", into: "Name")
        #expect(
            acts.withLock { $0.filter { $0 != .looks } } == [.uses("Increment", times: 2), .types("Ada", into: "Name")])
    }

    @Test("An error without a button stays, whatever the order, and the button of another one is pressed")
    func withoutButton() async throws {
        stack.push(LiveScreen(FlakyViewModel(), FlakyRenderer(hasOtherError: true)))
        let person = person(retries: 5)
        try await person.sees("Done")
        try await person.sees("Nothing to be done.")
    }

    @Test("A deliberate person waits for a moment in which nothing happens, and uses a control once")
    func deliberate() async throws {
        stack.push(.counter())
        let person = ScriptedPerson(stack) {
            $0.looking = .seconds(600)
            $0.isDeliberate = true
        }
        let start = ContinuousClock.now
        try await person.uses("Increment", times: 2)
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        try await person.sees("Count  1")
    }

    @Test("A deliberate person waits for the progress of the screens beneath, too")
    func deliberateBeneath() async throws {
        let work = Stub<Void, CounterViewModel.Event, NoError>()
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in work()
        }
        let looks = Locked(0)
        let beneath = LiveScreen(
            CounterViewModel(initial: .init(isBusy: true), feedbacks: [working]),
            SeenRenderer { looks.withLock { $0 += 1 } }, onRoute: { _ in })
        stack.push(beneath)
        stack.push(.counter())
        let wasBusy = Locked(false)
        let person = ScriptedPerson(
            stack,
            configure: {
                $0.isDeliberate = true
                $0.waitingBeneath = .seconds(60)
            },
            onAct: { act in
                if case .uses = act { wasBusy.withLock { $0 = !beneath.screen.progress.isEmpty } }
            })
        let acting = Task { try await person.uses("Increment") }
        await eventually("the person has looked beneath") { looks.withLock { $0 } > 0 }
        work.answer(.ui(.work))
        try await acting.value
        #expect(!wasBusy.withLock { $0 })
    }

    @Test("A person who does not wait for progress acts while something is under way")
    func hasty() async throws {
        let work = Stub<Void, CounterViewModel.Event, NoError>()
        let working = Feedback<CounterViewModel.State, CounterViewModel.Event>(whenBecomesTrue: \.isBusy) { _ in work()
        }
        stack.push(
            LiveScreen(
                CounterViewModel(initial: .init(isBusy: true), feedbacks: [working]), CounterRenderer(),
                onRoute: { _ in }))
        let person = ScriptedPerson(stack) {
            $0.waitsForProgress = false
            $0.isDeliberate = true
        }
        try await person.uses("Increment")
        try await person.sees("Count  1")
        try await person.doesNotSee("Count  0")
        #expect(try await person.looks()?.contains("Working") == true)
        #expect(work.waitingCount == 1)
    }

    @Test("An act and an error read as a sentence")
    func descriptions() {
        let acts: [ScriptedPerson.Act] = [
            .uses("Save", times: 1), .uses("Save", times: 2), .types("Ada", into: "Name"),
            .retries("Try again"), .looks,
        ]
        #expect(
            acts.map(\.description) == [
                "uses \"Save\"", "uses \"Save\", 2 times", "types \"Ada\" into \"Name\"", "uses \"Try again\"",
                "looks at the screen",
            ])
        let problems: [ScriptError.Problem] = [
            .stillBusy("Working"), .stillFailing("offline", retries: 0), .stillFailing("offline", retries: 1),
        ]
        #expect(
            problems.map { ScriptError(problem: $0, screen: nil, place: "Here:1").reason } == [
                "\"Working\" did not end.", "The screen shows an error: offline",
                "The screen shows an error after trying again 1 time: offline",
            ])
    }

    @Test("A negative number of times or retries is none")
    func negative() async throws {
        stack.push(.counter())
        let person = person(retries: -1)
        try await person.uses("Increment", times: -1)
        try await person.sees("Count  0")
    }
}

/// Says when somebody looks at the screen.
private struct SeenRenderer: Renderer {
    let onLook: @Sendable () -> Void

    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        onLook()
        return CounterRenderer().render(state)
    }
}

/// Fails twice, then succeeds.
struct FlakyViewModel: ViewModel {
    enum Failure: Error, Equatable { case offline }
    enum Action: Equatable, Sendable { case retry }
    enum Event: ActionEvent { case ui(Action) }

    var initial = Attempt<Failure>.failed(.offline, number: 1)

    static func reduce(_ state: inout Attempt<Failure>, _ event: Event) {
        state.start()
        if case .underWay(number: 3) = state { state = .done } else { state.fail(.offline) }
    }
}

struct FlakyRenderer: Renderer {
    var hasOtherError = false

    func render(_ state: Attempt<FlakyViewModel.Failure>) -> Screen<FlakyViewModel.Action> {
        Screen(
            title: "Flaky",
            sections: (hasOtherError ? [.init(rows: [.notice(.error, "Nothing to be done.")])] : []) + [
                .init(rows: state.isDone ? [.text("Done")] : state.rows("Working", retry: .retry))
            ],
            actions: state == .idle ? [.init("Start", action: .retry)] : [])
    }
}
