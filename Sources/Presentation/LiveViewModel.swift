import Feedback

/// A running view model: a state to show, actions to take, and routes to follow.
///
/// ```swift
/// let cities = LiveViewModel(CitiesViewModel(businessController: controller))
/// cities.state.producer.startOnMain { show($0) }
/// cities.routes.observeValues { follow($0) }
/// cities.send(.refresh)
/// ```
///
/// The state changes on the thread that reduces an event, such as the one on which an answer arrives. `startOnMain` takes it to the
/// user interface.
///
/// It starts at once, so a route of an effect that answers at once comes before anybody can observe ``routes``. A
/// ``LiveScreen`` that is made with the view model itself follows it.
///
/// Releasing it stops it, and cancels the effects that are under way.
public final class LiveViewModel<Model: ViewModel>: Sendable {
    /// Each route that an event leads to. The flow controller follows it.
    public let routes: Signal<Model.Route, NoError>

    /// The view model that runs.
    public let model: Model

    private let loop: FeedbackLoop<Model.State, Model.Event>

    /// Runs a view model.
    ///
    /// - Parameter initial: The first state, in place of the view model's own; such as one that was saved.
    public convenience init(_ model: Model, initial: Model.State? = nil) {
        self.init(idle: model, initial: initial)
        start()
    }

    /// Makes a running view model that begins with `start()`.
    init(idle model: Model, initial: Model.State? = nil) {
        self.model = model
        let (routes, observer) = Signal<Model.Route, NoError>.pipe()
        self.routes = routes
        let routing = Feedback<Model.State, Model.Event>.onEvent(name: "route") { event, state in
            if let route = Model.route(event, state) { observer.send(value: route) }
        }
        loop = FeedbackLoop(
            initial: initial ?? model.initial, reduce: Model.reduce, feedbacks: model.feedbacks + [routing])
    }

    func start() { loop.start() }

    /// The state, as a property that completes when the view model ends.
    public var state: Property<Model.State> { loop.property }

    /// The steps of the view model's loop, for logs, inspectors and tests.
    public var steps: SignalProducer<LoopStep<Model.State, Model.Event>, NoError> { loop.steps }

    /// Takes an action of a person.
    public func send(_ action: Model.Action) { loop.send(.ui(action)) }

    /// Waits until the actions that were sent so far are handled, and the routes that they lead to are followed.
    ///
    /// An action that is sent while the loop handles an event on another thread is handled after that event.
    public func settled() async {
        for await _ in loop.producer(selecting: { _ in }).map({ _ in }).values { break }
    }

    // MARK: - Parts of the state

    /// Returns a property of the result of `derive` for the state, which is computed only after events that pass
    /// `isRelevant`.
    ///
    /// See `FeedbackLoop.select(where:_:)`.
    public func select<Output: Equatable & Sendable>(
        where isRelevant: @escaping @Sendable (Model.State, Model.Event) -> Bool = { _, _ in true },
        _ derive: @escaping @Sendable (Model.State) -> Output
    ) -> Property<Output> {
        loop.select(where: isRelevant, derive)
    }

    /// Emits the state together with the result of `derive` for that same state: at once, and then after each event.
    ///
    /// See `FeedbackLoop.producer(selecting:where:)`.
    public func producer<Output: Sendable>(
        selecting derive: @escaping @Sendable (Model.State) -> Output,
        where isRelevant: @escaping @Sendable (Model.State, Model.Event) -> Bool = { _, _ in true }
    ) -> SignalProducer<(state: Model.State, selection: Output), NoError> {
        loop.producer(selecting: derive, where: isRelevant)
    }

    /// Returns the state as an object that Observation tracks: a SwiftUI view that reads it is drawn again when it
    /// changes.
    ///
    /// ```swift
    /// struct CounterView: View {
    ///     let counter: LiveViewModel<CounterViewModel>
    ///     @SwiftUI.State private var state: Observed<CounterViewModel.State>
    ///
    ///     init(_ counter: LiveViewModel<CounterViewModel>) {
    ///         self.counter = counter
    ///         _state = .init(initialValue: counter.observed())
    ///     }
    ///     var body: some View { Button("\(state.value)") { counter.send(.increment) } }
    /// }
    /// ```
    ///
    /// - Parameter scheduler: The scheduler on which changes arrive; by default on the main thread, where views are
    ///   drawn.
    public func observed(on scheduler: any Scheduler = UIScheduler()) -> Observed<Model.State> {
        Observed(state, on: scheduler)
    }

    /// Returns a part of the state as an object that Observation tracks: a view that reads it is drawn again only when
    /// this part changes.
    ///
    /// - Parameter scheduler: The scheduler on which changes arrive; by default on the main thread, where views are
    ///   drawn.
    public func observed<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (Model.State) -> Part, on scheduler: any Scheduler = UIScheduler()
    ) -> Observed<Part> {
        Observed(select(part), on: scheduler)
    }
}
