import Foundation

extension Transport {
    /// Calls `log` with a line for each request and for its end, without credentials and other secrets.
    ///
    /// ```swift
    /// DefaultTransport().logging { print($0) }
    /// // → GET https://api.example.com/v1/cities?page=2
    /// // ← 200 GET https://api.example.com/v1/cities?page=2 (12 ms, 4711 bytes)
    /// ```
    ///
    /// - Parameter bodies: The number of bytes of each body to log. Only values that look like secret items are removed
    ///   from a body, so log bodies only if no secrets are sent. Bodies that come from or go to files and streams are
    ///   not logged.
    public func logging(
        redaction: Redaction = Redaction(), bodies: Int = 0, to log: @escaping @Sendable (String) -> Void
    ) -> some Transport {
        LoggingTransport(transport: self, redaction: redaction, bodyLimit: bodies, log: log)
    }
}

private struct LoggingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let redaction: Redaction
    let bodyLimit: Int
    let log: @Sendable (String) -> Void

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let name = "\(request.method) \(redaction.url(request.url))"
        let size = (try? request.body?.length()).map { " (\($0) bytes)" } ?? ""
        log("→ \(name)\(size)\(fields(of: request))\(text(of: request.body?.data ?? Data()))")
        let start = ContinuousClock.now
        do throws(CoreError) {
            let response = try await transport.send(request)
            let size = "\(milliseconds(since: start)) ms, \(response.body.count) bytes"
            log("← \(response.status) \(name) (\(size))\(text(of: response.body))")
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

    /// Returns the beginning of a body on lines of its own, or a note if it is not text.
    private func text(of body: Data) -> String {
        guard bodyLimit > 0, !body.isEmpty else { return "" }
        let text = String(decoding: body.prefix(bodyLimit), as: UTF8.self)
        guard !text.contains("\0") else { return "\n  (not text)" }
        return "\n  " + redaction.text(text).split(separator: "\n").joined(separator: "\n  ")
            + (body.count > bodyLimit ? " … (\(body.count) bytes)" : "")
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int((ContinuousClock.now - start) / .milliseconds(1))
    }
}
