import Foundation

/// The state that the event loop and the owner of a backend share: routes, misbehaviour and the record of requests.
final class ServerState: Sendable {
    private struct State {
        var router = Router()
        var faultInjection = FaultInjection()
        var record: RequestRecord
        var originCheck = OriginCheck(hosts: [], origins: [])
    }

    private let state: Locked<State>

    init(recording limit: Int) {
        state = Locked(State(record: RequestRecord(limit: limit)))
    }

    var requests: [LocalBackend.Request] { state.withLock { $0.record.requests } }

    func forgetRequests() { state.withLock { $0.record.clear() } }

    func check(_ check: OriginCheck) { state.withLock { $0.originCheck = check } }

    var routes: [Router.Route] { state.withLock { $0.router.routes } }

    func add(_ route: Router.Route) { state.withLock { $0.router.add(route) } }

    func misbehave(
        _ misbehaviours: [LocalBackend.Misbehaviour], on method: LocalBackend.Method?, at path: String?, times: Int?
    ) {
        state.withLock { $0.faultInjection.add(misbehaviours, on: method, at: path, times: times) }
    }

    func behave() { state.withLock { $0.faultInjection.clear() } }

    /// Takes in a request: records it, finds its route, and decides on misbehaviour. The event loop does this itself,
    /// so that requests are recorded in the order in which they came, and threads do not compete for the lock.
    func admit(_ received: LocalBackend.Request) -> AdmittedRequest {
        state.withLock { state in
            let refusal = state.originCheck.refusal(of: received)
            let match = refusal.map { .refused($0, headers: [:]) } ?? state.router.match(received)
            var request = received
            if case .route(_, let parameters) = match { request.parameters = parameters }
            state.record.append(request)
            return AdmittedRequest(request: request, match: match, plan: state.faultInjection.plan(for: request))
        }
    }
}
