/// A request with its route and the misbehaviour that was decided for it.
struct AdmittedRequest: Sendable {
    let request: LocalBackend.Request
    let match: Router.Match
    let plan: FaultInjection.Plan

    /// Returns the answer of the route's handler, or the misbehaviour that was decided.
    func answer() async -> Answer {
        if plan.delay > .zero { try? await Task.sleep(for: plan.delay) }
        if let status = plan.failure {
            let response = LocalBackend.Response(
                .init(status, "The server was told to let some requests fail, and this is one of them."))
            return Answer(response, to: request, fault: plan.fault)
        }
        guard plan.fault != .drop else { return Answer(.status(503), to: request, fault: .drop) }
        return Answer(await respond(), to: request, fault: plan.fault)
    }

    private func respond() async -> LocalBackend.Response {
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
