import Testing

@testable import Feedback

@Suite("Reducers, contexts and the system form")
struct ReducerTests {
    struct Counter: Sendable, Equatable { var count = 0 }
    enum CounterEvent: Sendable { case up, down }

    struct App: Sendable, Equatable {
        var counter = Counter()
        var optional: Counter?
        var log: [String] = []
    }
    enum AppEvent: Sendable { case counter(CounterEvent), optional(CounterEvent), note(String) }

    static let counter: Reducer<Counter, CounterEvent> = { state, event in
        state.count += event == .up ? 1 : -1
    }
    static let app: Reducer<App, AppEvent> = combine(
        pullback(counter, value: \.counter, event: { if case let .counter(event) = $0 { event } else { nil } }),
        pullback(counter, value: \.optional, event: { if case let .optional(event) = $0 { event } else { nil } }),
        { state, event in if case let .note(text) = event { state.log.append(text) } })

    @Test("combine lets each reducer handle the event, and pullback hands it to the part that it is for")
    func combining() {
        var state = App()
        Self.app(&state, .counter(.up))
        Self.app(&state, .counter(.up))
        Self.app(&state, .counter(.down))
        Self.app(&state, .note("x"))
        #expect(state == App(counter: Counter(count: 1), log: ["x"]))
    }

    @Test("Events of a part that is not there are dropped")
    func optionalPart() {
        var state = App()
        Self.app(&state, .optional(.up))
        #expect(state.optional == nil)
        state.optional = Counter()
        Self.app(&state, .optional(.up))
        #expect(state.optional == Counter(count: 1))
    }

    @Test("A context reads parts of the state, sends events, and can be narrowed to a part")
    func context() {
        let loop = FeedbackLoop(initial: App(), reduce: Self.app)
        loop.start()
        let context = loop.context
        #expect(context.counter.count == 0)
        context.send(.note("a"))
        context.scoped(to: \.counter, event: AppEvent.counter).send(.up)
        context.action(.note("b"))()
        #expect(loop.context.log == ["a", "b"])
        #expect(loop.state.counter.count == 1)

        let counts = Log<Int>()
        loop.contexts.startWithValues { counts.add($0.counter.count) }
        loop.send(.counter(.up))
        #expect(counts.entries == [1, 2])
    }

    @Test("system delivers the first state and one for each event, and stops its loop when it is disposed")
    func system() {
        let (input, observer) = Signal<Int, NoError>.pipe()
        let states = Log<String>()
        let disposable = SignalProducer<Int, NoError>.system(
            initial: 0, reduce: { $0 + $1 }, feedbacks: [Feedback(source: input)]
        ).start { states.add("\($0)") }
        observer.send(value: 2)
        observer.send(value: 3)
        disposable.dispose()
        observer.send(value: 4)
        #expect(states.entries == ["value(0)", "value(2)", "value(5)", "interrupted"])
    }

    @Test("A loop is iterated over: the current state, the latest ones, and the end with the loop")
    func asyncValues() async {
        let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
        loop.start()
        var states: [Int] = []
        for await state in loop.values {
            states.append(state)
            if state < 3 { loop.send(1) } else { loop.stop() }
        }
        #expect(states == [0, 1, 2, 3])
    }

    @Test("Events that are sent before the start wait for it")
    func sentBeforeStart() {
        let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
        #expect(loop.send(1))
        #expect(loop.state == 0)
        loop.start()
        loop.start()
        #expect(loop.state == 1)
    }

    #if DEBUG && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test("Releasing a loop with events that was never started is a failed assertion")
    func neverStarted() async {
        await #expect(processExitsWith: .failure) {
            let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
            loop.send(1)
        }
    }
    #endif

    @Test("A loop that is stopped before its start never starts")
    func stoppedBeforeStart() {
        let starts = Log<String>()
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [
                Feedback(predicate: { _ in true }) { _ in
                    starts.add("effect")
                    return SignalProducer<Int, NoError>.empty
                }
            ])
        loop.send(1)
        loop.stop()
        loop.start()
        #expect(loop.state == 0)
        #expect(loop.send(1) == false)
        #expect(starts.entries.isEmpty)
    }

    @Test("The functions: lifted key paths and values, with and set")
    func functions() {
        struct Point: With, Equatable { var x = 0, y = 0 }
        #expect([Point(x: 3)].map(^\.x) == [3])
        #expect([1, 2].map(^"a") == ["a", "a"])
        #expect(Point().with(set(\.x, 1)).with(set(\.y) { $0 + 2 }) == Point(x: 1, y: 2))
        #expect(Point().with { $0.x = 7 } == Point(x: 7))
        #expect(with([1]) { $0.append(2) } == [1, 2])
    }
}
