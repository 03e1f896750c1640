import Feedback

/// Remembers the routes that a view model has asked for.
final class RouteLog<Route: Sendable>: Sendable {
    private let all = MutableProperty<[Route]>([])

    init(_ routes: Signal<Route, NoError>) {
        routes.observeValues { [all] route in all.modify { $0.append(route) } }
    }

    var routes: [Route] { all.value }
}
