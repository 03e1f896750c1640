/// Finds the route of a request: a value without locks or sockets.
struct Router: Sendable {
    struct Route: Sendable {
        let method: LocalBackend.Method
        let pattern: PathPattern
        let handler: LocalBackend.Handler
    }

    enum Match: Sendable {
        case route(Route, parameters: [String: String])
        case refused(LocalBackend.Refusal, headers: LocalBackend.Headers)
    }

    private(set) var routes: [Route] = []

    /// Adds a route; one that is there already for the same method and path is replaced.
    mutating func add(_ route: Route) {
        routes.removeAll { $0.method == route.method && $0.pattern.hasSameShape(as: route.pattern) }
        routes.append(route)
    }

    func match(_ request: LocalBackend.Request) -> Match {
        let path = request.segments
        let fitting = routes.compactMap { route in route.pattern.match(path).map { (route: route, parameters: $0) } }
        let wanted: [LocalBackend.Method] = request.method == .head ? [.head, .get] : [request.method]
        for method in wanted {
            var best: (route: Route, parameters: [String: String])?
            for candidate in fitting where candidate.route.method == method {
                if best.map({ candidate.route.pattern.isMoreSpecific(than: $0.route.pattern) }) ?? true {
                    best = candidate
                }
            }
            if let best { return .route(best.route, parameters: best.parameters) }
        }
        return refusal(of: request, allowing: Set(fitting.map(\.route.method)))
    }

    private func refusal(of request: LocalBackend.Request, allowing methods: Set<LocalBackend.Method>) -> Match {
        let known = Router.known.union(routes.map(\.method))
        guard known.contains(request.method) else {
            return .refused(.init(501, "This server knows no method \(request.method)."), headers: [:])
        }
        guard !methods.isEmpty else {
            return .refused(.init(404, "There is nothing at \(request.path)."), headers: [:])
        }
        let allowed = methods.contains(.get) ? methods.union([.head]) : methods
        let list = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return .refused(
            .init(405, "\(request.path) does not answer \(request.method); it answers \(list)."),
            headers: ["Allow": list])
    }

    private static let known: Set<LocalBackend.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options, .init(rawValue: "TRACE"),
    ]
}
