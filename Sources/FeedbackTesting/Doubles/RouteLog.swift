import Feedback

/// The routes that a view model has asked for.
///
/// ```swift
/// let routes = RouteLog<CitiesViewModel.Route>()
/// let tester = LoopTester(CitiesViewModel(businessController: controller), routes: routes)
/// tester.send(.ui(.choose(1)))
/// #expect(routes.routes == [.deliver(.fixture(id: 1))])
/// ```
public final class RouteLog<Route: Sendable>: Sendable {
    private let all = Locked<[Route]>([])

    /// Makes an empty log.
    public init() {}

    /// Makes a log of the routes of a running view model: `RouteLog(viewModel.routes)`.
    public convenience init(_ routes: Signal<Route, NoError>) {
        self.init()
        routes.observeValues { [all = self] route in all.add(route) }
    }

    /// All routes so far, in order.
    public var routes: [Route] { all.withLock { $0 } }

    /// Adds a route: `LiveScreen(viewModel, renderer, onRoute: log.add)`.
    @Sendable
    public func add(_ route: Route) { all.withLock { $0.append(route) } }
}
