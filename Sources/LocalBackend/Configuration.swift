extension LocalBackend {
    /// The limits and the patience of a ``LocalBackend``.
    public struct Configuration: Sendable {
        /// The longest request line, in bytes; 414 beyond.
        public var maximumRequestLine = 8_192
        /// The largest headers, in bytes; 431 beyond. Every field counts 32 bytes more than its text.
        public var maximumHeaders = 65_536
        /// The largest body of a request, in bytes; 413 beyond.
        public var maximumBody = 16_777_216
        /// How long a connection may be quiet between requests, and how long a client may refuse to read its answer.
        public var idleTimeout = Duration.seconds(60)
        /// How long one request may take to arrive, from its first byte to its last; 408 beyond.
        public var requestTimeout = Duration.seconds(20)
        /// How many of the latest requests are kept for ``LocalBackend/requests``; fewer where their bodies take 64 MB.
        public var recordedRequests = 1_000
    }
}

extension LocalBackend.Configuration {
    var limits: RequestParser.Limits {
        RequestParser.Limits(requestLine: maximumRequestLine, headers: maximumHeaders, body: maximumBody)
    }

    var patience: Connection.Patience {
        Connection.Patience(idle: idleTimeout.clamped, request: requestTimeout.clamped)
    }
}

extension Duration {
    /// At most a year, which can be added to any moment.
    var clamped: Duration { min(max(self, .zero), .seconds(31_536_000)) }
}
