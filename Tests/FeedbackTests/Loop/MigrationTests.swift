// A module that imports nothing but Feedback, written as its users write theirs.
import Feedback
import Testing

@Suite("A view model as ReactiveFeedback's users write it")
struct MigrationTests {
    @Test("It compiles as it stands, loads, and ends in its state")
    func loads() {
        let (cities, observer) = Signal<[String], ApiError>.pipe()
        let viewModel = CitiesViewModel(api: API(fetch: { cities.producer }))

        viewModel.loop.send(.refresh)
        #expect(viewModel.loop.state.isLoading)
        observer.send(value: ["London"])

        #expect(viewModel.loop.state.cities == ["London"])
        #expect(viewModel.loop.state.isLoading == false)
    }

    @Test("A failure comes back as an event")
    func fails() {
        let viewModel = CitiesViewModel(api: API(fetch: { SignalProducer(error: ApiError()) }))
        viewModel.loop.send(.refresh)
        #expect(viewModel.loop.state.failed)
    }
}

struct ApiError: Error {}

struct API: Sendable {
    let fetch: @Sendable () -> SignalProducer<[String], ApiError>
}

private final class CitiesViewModel {
    struct State: With { var isLoading = false; var cities: [String] = []; var failed = false }
    enum Event { case refresh, didLoad([String]), didFail(ApiError) }

    let loop: FeedbackLoop<State, Event>

    init(api: API) {
        let loop = FeedbackLoop(
            initial: State(), reduce: CitiesViewModel.reduce, feedbacks: [CitiesViewModel.whenLoading(api: api)])
        loop.start()
        self.loop = loop
    }

    static func reduce(state: State, event: Event) -> State {
        switch event {
        case .refresh: return state.with(set(\.isLoading, true))
        case let .didLoad(cities): return state.with(set(\.cities, cities)).with(set(\.isLoading, false))
        case .didFail: return state.with(set(\.failed, true)).with(set(\.isLoading, false))
        }
    }

    static func whenLoading(api: API) -> Feedback<State, Event> {
        return Feedback(predicate: ^\.isLoading) { _ -> SignalProducer<Event, NoError> in
            api.fetch()
                .map(Event.didLoad)
                .replaceError(Event.didFail)
        }
    }
}
