import Feedback
import FeedbackTesting
import Testing

/// The README's examples, as the README shows them.
@Suite("README")
struct ReadmeTests {
    struct ApiError: Error, Equatable {}

    struct State: Equatable {
        var isLoading = false
        var cities: [String] = []
        var failure: String?
    }

    enum Event: Equatable {
        case refresh
        case didLoad([String])
        case didFail(ApiError)
    }

    static func reduce(state: inout State, event: Event) {
        switch event {
        case .refresh: state.isLoading = true
        case let .didLoad(cities): state = State(cities: cities)
        case let .didFail(error):
            state.isLoading = false
            state.failure = "\(error)"
        }
    }

    static func whenLoading(_ fetch: SignalProducer<[String], ApiError>) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.isLoading) { _ in
            fetch.map(Event.didLoad).replaceError(Event.didFail)
        }
    }

    @Test("The first loop runs")
    func firstLoop() {
        let cities = SignalProducer<[String], ApiError>(value: ["London"])
        let loop = FeedbackLoop(
            initial: State(), reduce: Self.reduce, feedbacks: [Self.whenLoading(cities)])
        let log = Log<State>()
        loop.producer.startWithValues { log.add($0) }
        loop.start()
        loop.send(.refresh)
        #expect(log.entries == [State(), State(isLoading: true), State(cities: ["London"])])
    }

    @Test("Its test asserts all of it")
    func firstTest() {
        let scheduler = TestScheduler()
        let cities = SignalProducer<[String], ApiError>(value: ["London"]).delay(1, on: scheduler)
        let tester = LoopTester(initial: State(), reduce: Self.reduce, feedbacks: [Self.whenLoading(cities)])

        tester.send(.refresh) { $0.isLoading = true }
        scheduler.advance(by: .seconds(1))
        tester.receive(.didLoad(["London"])) {
            $0.isLoading = false
            $0.cities = ["London"]
        }
        tester.finish()
    }
}
