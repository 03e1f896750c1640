import Feedback

/// A screen that is in use: a view model that runs, its renderer, and a function that follows its routes.
///
/// ```swift
/// LiveScreen(CitiesViewModel(businessController: controller), CitiesRenderer()) { route in … }
/// ```
///
/// Releasing it ends the view model, and cancels the effects that are under way.
public final class LiveScreen: Sendable {
    /// One value at once, then one after each change of the state.
    public let changes: SignalProducer<Void, NoError>

    /// The steps of the view model, for the stack.
    let source: StepSource

    /// Open while the screen is on top of its stack. Routes of screens beneath it are not followed.
    let gate = RouteGate()

    private let render: @Sendable () -> Screen<AnyAction>
    private let settle: @Sendable () async -> Void
    private let routing: ScopedDisposable
    private let viewModel: any Sendable

    /// Runs a view model and shows it.
    ///
    /// - Parameter onRoute: Called with each route while the screen is on top of its stack. Routes that come before the
    ///   screen is pushed are followed when it is.
    public convenience init<Model: ViewModel, Look: Renderer>(
        _ model: Model, _ renderer: Look, onRoute: @escaping @Sendable (Model.Route) -> Void
    ) where Look.State == Model.State, Look.Action == Model.Action {
        let viewModel = LiveViewModel(idle: model)
        self.init(viewModel, renderer, onRoute: onRoute)
        // Its first event may lead to a route already.
        viewModel.start()
    }

    /// Runs a view model without routes, and shows it.
    public convenience init<Model: ViewModel, Look: Renderer>(
        _ model: Model, _ renderer: Look
    ) where Look.State == Model.State, Look.Action == Model.Action, Model.Route == Never {
        self.init(LiveViewModel(model), renderer, onRoute: { _ in })
    }

    /// Shows a view model that runs already.
    ///
    /// - Parameter onRoute: Called with each route while the screen is on top of its stack. Routes that come between
    ///   this call and the push are followed when the screen is pushed; earlier ones are not.
    public init<Model: ViewModel, Look: Renderer>(
        _ viewModel: LiveViewModel<Model>, _ renderer: Look, onRoute: @escaping @Sendable (Model.Route) -> Void
    ) where Look.State == Model.State, Look.Action == Model.Action {
        let state = viewModel.state
        // A display that keeps a screen's picture must not keep the view model.
        weak let model = viewModel
        let liven: @Sendable (Screen<Model.Action>) -> Screen<AnyAction> = { screen in
            screen.map { action in AnyAction(action) { model?.send(action) } }
        }
        self.viewModel = viewModel
        changes = state.producer.map { _ in }
        render = { liven(renderer.render(state.value)) }
        settle = { await model?.settled() }
        source = StepSource(viewModel, look: { ($0 as? Model.State).map { liven(renderer.render($0)) } })
        let routes = viewModel.routes.observeValues { [gate] route in gate.pass { onRoute(route) } }
        routing = ScopedDisposable(routes ?? AnyDisposable())
    }

    /// The number of the screen's model, which the steps of the stack have as their `id`.
    public var id: Int { source.id }

    /// The screen as it looks now.
    public var screen: Screen<AnyAction> {
        let screen = render()
        return gate.report(of: source).map(screen.reporting) ?? screen
    }

    /// Waits until the actions that were taken so far are handled, and the routes that they lead to are followed.
    public func settled() async { await settle() }
}

/// A screen's connection to its stack. It lets the screen's routes through while it is open, keeps those that come
/// before the screen is on its stack, and reports the use of the screen's controls to a listener.
final class RouteGate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        /// The routes that came before the screen was on its stack, and those after them; `nil` once all are followed.
        var early: [@Sendable () -> Void]? = []
    }

    private let state = Locked(State())
    private let acts = Locked<ActReports?>(nil)

    /// Reports acts on the screen of a model, each with its action; `nil` without a listener.
    func report(of model: StepSource) -> ActReport? {
        acts.withLock { $0 }?.report(of: model)
    }

    func connect(to reports: ActReports) { acts.withLock { $0 = reports } }

    var isOpen: Bool {
        get { state.withLock(\.isOpen) }
        set { state.withLock { $0.isOpen = newValue } }
    }

    /// Follows a route if the gate is open. Before the first opening, keeps the route.
    func pass(_ follow: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            state.early?.append(follow)
            return state.early == nil && state.isOpen
        }
        if isOpen { follow() }
    }

    /// Follows the routes that were kept, in order, as long as the gate is open. Those that come meanwhile come after.
    func passEarlyRoutes() {
        while let follow = nextEarlyRoute() {
            if isOpen { follow() }
        }
    }

    private func nextEarlyRoute() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let early = state.early, !early.isEmpty else {
                state.early = nil
                return nil
            }
            return state.early?.removeFirst()
        }
    }
}
