extension LocalBackend {
    /// The limits and the timeouts of a ``LocalBackend``.
    public struct Configuration: Sendable {
        /// The longest request line, in bytes; 414 beyond.
        public var maximumRequestLine = 8_192
        /// The largest headers, in bytes; 431 beyond. Every field counts 32 bytes more than its text.
        public var maximumHeaders = 65_536
        /// The largest body of a request, in bytes; 413 beyond.
        public var maximumBody = 16_777_216
        /// The longest time that a connection may be idle between requests, and that a client may take without reading
        /// its answer.
        public var idleTimeout = Duration.seconds(60)
        /// The longest time for one request to arrive, from its first byte to its last. A later one is answered with
        /// 408.
        public var requestTimeout = Duration.seconds(20)
        /// The names that the `Host` field may have besides `localhost` and the addresses of loopback; `nil` for any
        /// name.
        ///
        /// Without this check, a web page could read from the server by pointing its own name to 127.0.0.1. A backend
        /// that listens on another address than loopback is meant for other machines: it answers any name unless names
        /// are given.
        public var allowedHosts: Set<String>? = []
        /// The origins, such as `https://app.example.com`, whose pages may send writes that are not JSON.
        ///
        /// A browser lets a page of another origin send such a write without asking the server first. It is refused
        /// with 403, as is one with `Origin: null`.
        public var allowedOrigins: Set<String> = []
        /// `true` if other processes may listen at the same port, each of which gets a part of the connections.
        ///
        /// All of them must set this, and run as the same user. On Linux the kernel spreads the connections evenly.
        /// Those that a process has not accepted yet are reset when it ends, so clients must be ready to send a request
        /// again.
        public var sharesPort = false
        /// The number of latest requests that are kept for ``LocalBackend/requests``; fewer if their bodies take more
        /// than 64 MB.
        public var recordedRequests = 1_000
        /// Called with each request and its answer when the answer is ready to be sent, for logs. It is called on the
        /// thread of the handler, so several calls may run at a time. The body of a streamed answer is not known yet.
        public var onAnswer: (@Sendable (Request, Response) -> Void)?
    }
}

extension LocalBackend.Configuration {
    var limits: RequestParser.Limits {
        RequestParser.Limits(requestLine: maximumRequestLine, headers: maximumHeaders, body: maximumBody)
    }

    func originCheck(listeningOn host: String) -> OriginCheck {
        let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let hosts = isLoopback || allowedHosts?.isEmpty == false ? allowedHosts : nil
        return OriginCheck(
            hosts: hosts.map { Set($0.map { $0.lowercased() }) }, origins: Set(allowedOrigins.map { $0.lowercased() }))
    }

    var timeouts: Connection.Timeouts {
        Connection.Timeouts(idle: idleTimeout.clamped, request: requestTimeout.clamped)
    }
}

extension Duration {
    /// At most a year, which can be added to any moment.
    var clamped: Duration { min(max(self, .zero), .seconds(31_536_000)) }
}
