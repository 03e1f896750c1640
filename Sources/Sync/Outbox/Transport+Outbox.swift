import Networking

extension Transport {
    /// Tells an outbox of the answers to all requests, so that each of them shows it that the network is back.
    ///
    /// ```swift
    /// let outbox = try Outbox(in: database)
    /// let session = BackendSession(
    ///     environment: .production, credentials: credentials, transport: DefaultTransport().noticed(by: outbox))
    /// ```
    ///
    /// An outbox that cannot send its writes then sends one of them at once, and the others if that succeeds. Without
    /// this, it tries one after each `probeInterval`, and after reads and pulls of its synced stores. Web pages and
    /// statuses from 500 on do not count. The outbox is not kept alive.
    public func noticed(by outbox: Outbox) -> some Transport {
        NoticedTransport(transport: self) { [weak outbox] in outbox?.probe() }
    }
}

private struct NoticedTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let notice: @Sendable () -> Void

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let response = try await transport.send(request)
        if response.status < 500, !WebPage.isAnswer(response.body, type: response.header("Content-Type")) { notice() }
        return response
    }
}
