import Foundation

extension LocalBackend {
    /// An event of a `text/event-stream`, which a browser receives through `EventSource`.
    public struct ServerSentEvent: Sendable, Equatable, ExpressibleByStringLiteral {
        /// The name that `addEventListener` listens to; `nil` for `message`.
        public var name: String?
        /// The payload. It may have several lines.
        public var data: String
        /// The id of the event. The browser sends the last one that it received as `Last-Event-ID` when it connects
        /// again.
        public var id: String?
        /// The time that the browser waits before it connects again.
        public var retry: Duration?

        /// Makes an event. `retry` tells the client how long to wait before it connects again.
        public init(_ data: String, name: String? = nil, id: String? = nil, retry: Duration? = nil) {
            self.data = data
            self.name = name
            self.id = id
            self.retry = retry
        }

        public init(stringLiteral data: String) { self.init(data) }
    }

    /// Sends the events of an event stream.
    public struct EventWriter: Sendable {
        let body: BodyWriter

        /// Sends an event, and returns when the connection can take more.
        ///
        /// Throws `CancellationError` once the client has disconnected or the server stops.
        public func send(_ event: ServerSentEvent) async throws { try await body.write(event.wireFormat) }

        /// Sends a comment, which clients ignore. It keeps proxies from closing a quiet connection.
        public func comment(_ text: String = "") async throws {
            try await body.write(lines(of: text).map { ":\($0)\n" }.joined() + "\n")
        }
    }
}

extension LocalBackend.Response {
    /// Makes a stream of server-sent events, which lasts until `produce` returns, the client disconnects, or the server
    /// stops.
    ///
    ///     backend.get("/prices") { _ in
    ///         .events { events in
    ///             for await price in prices.updates { try await events.send(.init("\(price)", name: "price")) }
    ///         }
    ///     }
    ///
    /// The task that runs `produce` is cancelled as soon as the client closes its side of the connection and when the
    /// server stops, so a `for await` over an `AsyncStream` ends then, even if no event is due.
    /// ``LocalBackend/EventWriter/send(_:)`` waits while the client reads more slowly than events are sent. A waiting
    /// producer holds no thread.
    public static func events(
        headers: LocalBackend.Headers = [:],
        _ produce: @escaping @Sendable (LocalBackend.EventWriter) async throws -> Void
    ) -> Self {
        var response = stream(contentType: "text/event-stream", headers: headers, endsWithClient: true) { body in
            try await produce(LocalBackend.EventWriter(body: body))
        }
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        return response
    }
}

extension LocalBackend.ServerSentEvent {
    var wireFormat: String {
        var text = ""
        if let name { text += "event: \(singleLine(name))\n" }
        // A NUL makes the browser ignore the id (HTML, 9.2.6).
        if let id { text += "id: \(singleLine(id))\n" }
        if let retry { text += "retry: \(Int(retry.clamped / .milliseconds(1)))\n" }
        for line in lines(of: data) { text += "data: \(line)\n" }
        return text + "\n"
    }
}

/// Returns the lines of a text, which may end in CR, LF or CR LF: each of these would end a field.
private func lines(of text: String) -> [Substring] {
    // CR LF is one character.
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
}

private func singleLine(_ text: String) -> String { lines(of: text).joined(separator: " ") }
