import Foundation
import Synchronization

/// What is served: the routes, the misbehaviour, and the record of requests.
final class Site: Sendable {
    private struct State {
        var router = Router()
        var mischief = Mischief()
        var record: RequestRecord
    }

    private let state: Mutex<State>

    init(recording limit: Int) {
        state = Mutex(State(record: RequestRecord(limit: limit)))
    }

    var requests: [LocalBackend.Request] { state.withLock { $0.record.requests } }

    func forgetRequests() { state.withLock { $0.record.clear() } }

    func add(_ route: Router.Route) { state.withLock { $0.router.add(route) } }

    func misbehave(
        _ misbehaviours: [LocalBackend.Misbehaviour], on method: LocalBackend.Method?, at path: String?, times: Int?
    ) {
        state.withLock { $0.mischief.add(misbehaviours, on: method, at: path, times: times) }
    }

    func behave() { state.withLock { $0.mischief.clear() } }

    /// Answers a request as its route says, or as misbehaviour has it.
    func answer(_ received: LocalBackend.Request) async -> Answer {
        let (request, match, plan) = state.withLock { state in
            let match = state.router.match(received)
            var request = received
            if case .route(_, let parameters) = match { request.parameters = parameters }
            state.record.append(request)
            return (request, match, state.mischief.plan(for: request))
        }
        if plan.delay > .zero { try? await Task.sleep(for: plan.delay) }
        if let status = plan.failure {
            let response = LocalBackend.Response(.init(status, "This request was chosen to fail."))
            return Answer(response, to: request, fault: plan.fault)
        }
        guard plan.fault != .drop else { return Answer(.status(503), to: request, fault: .drop) }
        return Answer(await respond(to: request, match), to: request, fault: plan.fault)
    }

    private func respond(to request: LocalBackend.Request, _ match: Router.Match) async -> LocalBackend.Response {
        switch match {
        case .refused(let refusal, let headers):
            var response = LocalBackend.Response(refusal)
            headers.fields.forEach { response.headers.add($0) }
            return response
        case .route(let route, _):
            do {
                return try await route.handler(request)
            } catch let refusal as LocalBackend.Refusal {
                return LocalBackend.Response(refusal)
            } catch {
                return LocalBackend.Response(.init(500, "The handler failed: \(error)"))
            }
        }
    }
}

/// The latest requests, up to a limit.
struct RequestRecord: Sendable {
    private let limit: Int
    private var kept: [LocalBackend.Request] = []

    init(limit: Int) { self.limit = max(0, limit) }

    var requests: [LocalBackend.Request] { kept.suffix(limit) }

    mutating func append(_ request: LocalBackend.Request) {
        guard limit > 0 else { return }
        // Old ones go in one sweep when as many again have come, so that recording costs the same for each.
        if kept.count >= 2 * limit { kept.removeFirst(kept.count - limit) }
        kept.append(request)
    }

    mutating func clear() { kept = [] }
}
