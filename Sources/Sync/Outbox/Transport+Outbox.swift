import Networking

extension Transport {
    /// Tells an outbox of the answers to all requests, so that each of them shows it that the network is back.
    ///
    /// ```swift
    /// let outbox = try Outbox(in: database)
    /// let session = BackendSession(
    ///     environment: .production, credentials: FixedCredentials(.bearer("token")),
    ///     transport: DefaultTransport().noticed(by: outbox))
    /// ```
    ///
    /// An outbox that cannot send its writes then sends one of them at once, and the others if that succeeds. Without
    /// this, it tries one after each `probeInterval`, and after reads and pulls of its synced stores. Web pages and
    /// statuses by which a server asks for credentials or for patience do not count, nor do those from 500 on. The outbox
    /// is not kept alive.
    ///
    /// Apply this to the transport that reaches the network, before others: the answers of a cache say nothing of it.
    public func noticed(by outbox: Outbox) -> some Transport {
        NoticedTransport(transport: self) { [weak outbox] in outbox?.probe() }
    }
}

private struct NoticedTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let notice: @Sendable () -> Void

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let response = try await transport.send(request)
        let isWebPage = WebPage.isAnswer(response.body, type: response.header("Content-Type"))
        if !isWebPage, !StatusFailure.isTemporary(response.status) { notice() }
        return response
    }
}
