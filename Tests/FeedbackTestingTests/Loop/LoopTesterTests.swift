import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("LoopTester")
struct LoopTesterTests {
    struct State: Equatable, Sendable {
        var isLoading = false
        var cities: [String] = []
    }

    enum Event: Equatable, Sendable {
        case refresh, cancel
        case didLoad([String])
    }

    static func reduce(state: inout State, event: Event) {
        switch event {
        case .refresh: state.isLoading = true
        case .cancel: state.isLoading = false
        case let .didLoad(cities): state = State(cities: cities)
        }
    }

    static func whenLoading(_ cities: SignalProducer<[String], NoError>) -> Feedback<State, Event> {
        Feedback(predicate: \.isLoading) { _ in cities.map(Event.didLoad) }
    }

    func makeTester(_ cities: SignalProducer<[String], NoError>) -> LoopTester<State, Event> {
        LoopTester(initial: State(), reduce: Self.reduce, feedbacks: [Self.whenLoading(cities)])
    }

    // MARK: - What holds

    @Test("A flow that is asserted whole passes, in virtual time")
    func passes() {
        let scheduler = TestScheduler()
        let tester = makeTester(SignalProducer(value: ["London"]).delay(.seconds(1), on: scheduler))
        tester.send(.refresh) { $0.isLoading = true }
        scheduler.advance(by: .seconds(1))
        tester.receive(.didLoad(["London"])) {
            $0.isLoading = false
            $0.cities = ["London"]
        }
        tester.finish()
    }

    @Test("Effects that answer at once are received after what caused them")
    func synchronousEffects() {
        let tester = makeTester(SignalProducer(value: ["London"]))
        tester.send(.refresh) { $0.isLoading = true }
        tester.receive(where: { if case .didLoad = $0 { true } else { false } }) { $0 = State(cities: ["London"]) }
    }

    @Test("Async effects are waited for")
    func asyncEffects() async {
        let tester = LoopTester<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [
                Feedback(predicate: \.isLoading) { _ async -> Event? in
                    await Task.yield()
                    return .didLoad(["Paris"])
                }
            ])
        tester.send(.refresh) { $0.isLoading = true }
        await tester.receive(.didLoad(["Paris"]), within: .seconds(120)) { $0 = State(cities: ["Paris"]) }
        tester.finish()
    }

    @Test("A tester that is not exhaustive skips what the test does not assert")
    func partial() {
        let tester = LoopTester<State, Event>(
            initial: State(), reduce: Self.reduce,
            feedbacks: [Self.whenLoading(SignalProducer([["London"], ["Paris"], ["Rome"]]).concat(.never))],
            exhaustivity: .partial)
        tester.send(.refresh)
        tester.receive(.didLoad(["London"])) { $0.cities = ["London"] }
        tester.send(.refresh) { $0.isLoading = true }
        tester.send(.cancel)
        tester.finish()
    }

    @Test("A tester that is not exhaustive still fails on a wrong assertion")
    func partialFailure() {
        expectFailure("did not change the state as described") {
            let tester = LoopTester<State, Event>(initial: State(), reduce: Self.reduce, exhaustivity: .partial)
            tester.send(.refresh) { $0.isLoading = false }
        }
        expectFailure("no effect has sent an event") {
            let tester = LoopTester<State, Event>(initial: State(), reduce: Self.reduce, exhaustivity: .partial)
            tester.receive(.cancel)
        }
    }

    @Test("A dictionary prints as a literal, and a missing event names the effects that still run")
    func messages() {
        expectFailure("+   \"London\": 2", "-   \"London\": 1") {
            let tester = LoopTester<[String: Int], Int>(initial: [:], reduce: { $0["London"] = $1 })
            tester.send(2) { $0 = ["London": 1] }
            tester.finish()
        }
        expectFailure("These effects still run: whenLoading #1", "advance it") {
            let tester = makeTester(.never)
            tester.send(.refresh) { $0.isLoading = true }
            tester.receive(.didLoad([]))
            tester.skipTheRest()
        }
    }

    // MARK: - What fails

    @Test("A change that was not described fails with the difference")
    func undescribedChange() {
        expectFailure(
            "refresh changed the state, and no change was described", "-   isLoading: false", "+   isLoading: true"
        ) {
            let tester = makeTester(.empty)
            tester.send(.refresh)
            tester.skipTheRest()
        }
    }

    @Test("A change other than the described one fails with the difference")
    func otherChange() {
        expectFailure("did not change the state as described", "-     \"Paris\"", "+     \"London\"") {
            let tester = makeTester(SignalProducer(value: ["London"]))
            tester.send(.refresh) { $0.isLoading = true }
            tester.receive(.didLoad(["London"])) { $0 = State(cities: ["Paris"]) }
        }
    }

    @Test("An event that was not asserted fails at the next one sent")
    func unassertedEvent() {
        expectFailure("not asserted before sending .cancel", "didLoad", "\"London\"") {
            let tester = makeTester(SignalProducer(value: ["London"]))
            tester.send(.refresh) { $0.isLoading = true }
            tester.send(.cancel)
            tester.finish()
        }
    }

    @Test("An event that was not asserted fails at the end, also when the tester is just let go of")
    func unassertedEventAtTheEnd() {
        expectFailure("not asserted at the end", "didLoad") {
            let tester = makeTester(SignalProducer(value: ["London"]))
            tester.send(.refresh) { $0.isLoading = true }
        }
    }

    // On a thread of its own, as the tester waits for the effect.
    @Test("An effect that still runs at the end fails", .onOwnThread)
    func runningEffect() {
        expectFailure("These effects still run at the end: whenLoading #1") {
            let tester = makeTester(.never)
            tester.send(.refresh) { $0.isLoading = true }
            tester.finish()
        }
    }

    @Test("The end waits for an effect that is about to end on another thread", .onOwnThread)
    func endsElsewhere() {
        let mayEnd = DispatchSemaphore(value: 0)
        let tester = LoopTester<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [
                Feedback(whenBecomesTrue: { $0 == 0 }) { _ in
                    SignalProducer<Int, NoError> { observer, _ in
                        Thread.detachNewThread {
                            mayEnd.wait()
                            // Usually the tester waits by then. It passes also if it does not.
                            usleep(10_000)
                            observer.sendCompleted()
                        }
                    }
                }
            ])
        mayEnd.signal()
        tester.finish()
    }

    @Test("A difference shows three lines around each change, and one mark for all lines between")
    func wholeDifference() {
        let messages = failures {
            let tester = LoopTester<[Int], Int>(
                initial: Array(1...20),
                reduce: {
                    $0[2] = $1; $0[18] = $1
                }, exhaustivity: .full)
            tester.send(0)
            tester.finish()
        }
        #expect(
            messages == [
                """
                0 changed the state, and no change was described (- expected, + actual):

                  [
                    1
                    2
                -   3
                +   0
                    4
                    5
                    6
                  …
                    16
                    17
                    18
                -   19
                +   0
                    20
                  ]
                """
            ])
    }

    @Test("A difference of values of one line shows both")
    func shortDifference() {
        let messages = failures {
            let tester = LoopTester<Int, Int>(initial: 1, reduce: { $0 = $1 })
            tester.send(2)
            tester.finish()
        }
        #expect(
            messages == ["2 changed the state, and no change was described (- expected, + actual):\n\n- 1\n+ 2"])
    }

    @Test("An event is waited for that another thread is about to reduce")
    func reducedElsewhere() {
        let hasStarted = DispatchSemaphore(value: 0)
        let isReducing = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let queue = QueueScheduler(name: "elsewhere")
        let tester = LoopTester<Int, Int>(
            initial: 0,
            reduce: { state, event in
                if event == 1 {
                    isReducing.signal()
                    mayGoOn.wait()
                }
                state = event
            },
            feedbacks: [
                Feedback(whenBecomesTrue: { $0 == 0 }) { _ in
                    // Before the loop has started, this thread would reduce the event, and wait for itself.
                    SignalProducer<Int, NoError> { observer, _ in
                        hasStarted.wait()
                        observer.send(value: 1)
                        observer.sendCompleted()
                    }.start(on: queue)
                }
            ], exhaustivity: .partial)
        hasStarted.signal()
        isReducing.wait()
        // The other thread reduces the next event too, after the one that it holds.
        Thread.detachNewThread {
            // Usually the tester waits by then. It passes also if it does not.
            usleep(10_000)
            mayGoOn.signal()
        }
        tester.send(2) { $0 = 2 }
        tester.finish()
    }

    @Test("A tester that is not exhaustive skips other events also where it waits")
    func partialAsync() async {
        let tester = LoopTester<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [Feedback(whenBecomesTrue: { _ in true }) { _ in SignalProducer([1, 2, 3]) }],
            exhaustivity: .partial)
        await tester.receive(2, within: .seconds(60))
        await tester.receive(3, within: .seconds(60)) { $0 = 6 }
        tester.finish()
    }

    @Test("The end stops the loop and the effects that may still run")
    func stopsAtTheEnd() {
        let wasDisposed = MutableProperty(false)
        let never = SignalProducer<[String], NoError>.never.on(disposed: { wasDisposed.value = true })
        let tester = LoopTester<State, Event>(
            initial: State(isLoading: true), reduce: Self.reduce, feedbacks: [Self.whenLoading(never)],
            exhaustivity: .partial)
        #expect(!wasDisposed.value)
        tester.finish()
        #expect(wasDisposed.value)
    }

    @Test("Skipping the rest drops the events that were not asserted")
    func skippingEvents() {
        let tester = makeTester(SignalProducer(value: ["London"]))
        tester.send(.refresh) { $0.isLoading = true }
        tester.skipTheRest()
    }

    @Test("Skipping the rest stops the loop and its effects")
    func skipping() {
        let wasDisposed = MutableProperty(false)
        let never = SignalProducer<[String], NoError>.never.on(disposed: { wasDisposed.value = true })
        let tester = makeTester(never)
        tester.send(.refresh) { $0.isLoading = true }
        tester.skipTheRest()
        #expect(wasDisposed.value)
    }

    @Test("An effect that was cancelled does not run at the end")
    func cancelledEffect() {
        let tester = makeTester(.never)
        tester.send(.refresh) { $0.isLoading = true }
        tester.send(.cancel) { $0.isLoading = false }
        tester.finish()
    }

    @Test("Another event than the expected one fails with the difference")
    func otherEvent() {
        expectFailure("is another one than expected", "-     \"Paris\"", "+     \"London\"") {
            let tester = makeTester(SignalProducer(value: ["London"]))
            tester.send(.refresh) { $0.isLoading = true }
            tester.receive(.didLoad(["Paris"])) { $0 = State(cities: ["London"]) }
        }
    }

    @Test("An expected event that does not come fails")
    func missingEvent() {
        expectFailure("no effect has sent an event") {
            let tester = makeTester(.empty)
            tester.send(.refresh) { $0.isLoading = true }
            tester.receive(.didLoad([]))
        }
    }

    @Test("An event that does not come in time fails the test with the time that was waited, and the effects that run")
    func timeout() async {
        await expectFailure(
            "no effect has sent an event within 0.02 seconds", "These effects still run: whenLoading #1"
        ) {
            let tester = makeTester(.never)
            tester.send(.refresh) { $0.isLoading = true }
            await tester.receive(.didLoad([]), within: .milliseconds(20))
            tester.skipTheRest()
        }
        await expectFailure("Expected an event from an effect", "within 0.02 seconds", "No effect runs.") {
            await makeTester(.never).receive(where: { _ in true }, within: .milliseconds(20))
        }
    }

    /// Runs `body`, in which a failure must be recorded whose text holds all of `parts`.
    private func expectFailure(_ parts: String..., body: () -> Void) {
        expect(failures(body), toHold: parts)
    }

    private func failures(_ body: () -> Void) -> [String] {
        let messages = MutableProperty<[String]>([])
        withKnownIssue {
            body()
        } matching: { issue in
            messages.value += issue.comments.map(\.rawValue)
            return true
        }
        return messages.value
    }

    private func expectFailure(_ parts: String..., body: () async -> Void) async {
        let messages = MutableProperty<[String]>([])
        await withKnownIssue {
            await body()
        } matching: { issue in
            messages.value += issue.comments.map(\.rawValue)
            return true
        }
        expect(messages.value, toHold: parts)
    }

    private func expect(_ messages: [String], toHold parts: [String]) {
        #expect(messages.count == 1)
        for part in parts { #expect(messages.joined().contains(part), "\(messages.joined()) holds no \(part)") }
    }
}
