import Foundation

extension Transport {
    /// Tells `log` of each request and of its end, without bodies, credentials and other secrets.
    ///
    /// ```swift
    /// DefaultTransport().logging { print($0) }
    /// // → GET https://api.example.com/v1/cities?page=2
    /// // ← 200 GET https://api.example.com/v1/cities?page=2 (12 ms, 4711 bytes)
    /// ```
    public func logging(
        redaction: Redaction = Redaction(), to log: @escaping @Sendable (String) -> Void
    ) -> some Transport {
        LoggingTransport(transport: self, redaction: redaction, log: log)
    }
}

private struct LoggingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let redaction: Redaction
    let log: @Sendable (String) -> Void

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let name = "\(request.method) \(redaction.url(request.url))"
        let size = (try? request.body?.length()).map { " (\($0) bytes)" } ?? ""
        log("→ \(name)\(size)\(fields(of: request))")
        let start = ContinuousClock.now
        do throws(CoreError) {
            let response = try await transport.send(request)
            log("← \(response.status) \(name) (\(milliseconds(since: start)) ms, \(response.body.count) bytes)")
            return response
        } catch {
            log("✕ \(name) (\(milliseconds(since: start)) ms) \(error)")
            throw error
        }
    }

    private func fields(of request: TransportRequest) -> String {
        var fields = redaction.headers(request.headers)
        for (name, _) in request.credentials?.0.headers ?? [:] { fields[name] = Redaction.mark }
        return fields.map { "\n  \($0.name): \($0.value)" }.joined()
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}
