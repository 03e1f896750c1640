import Foundation
import JSON

extension LocalBackend {
    /// The answer of a handler. Length, framing, `Date` and `Server` are added when it is sent.
    public struct Response: Sendable {
        /// The status, such as 200.
        public var status: Int
        /// The header fields, without those that are added when the response is sent.
        public var headers: Headers
        /// The body.
        public var body: Body
        /// True if the body's producer is cancelled once the client has closed its side, as for events, which have no
        /// end of their own.
        var endsWithClient = false

        /// Makes a response of its parts.
        public init(status: Int = 200, headers: Headers = [:], body: Body = .data(Data())) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }
}

extension LocalBackend.Response {
    /// Makes a response with a status and no body.
    public static func status(_ status: Int, headers: LocalBackend.Headers = [:]) -> Self {
        Self(status: status, headers: headers)
    }

    /// Makes a response of a value as JSON, with sorted keys unless an encoder is given. A value that cannot be encoded
    /// gives status 500.
    public static func json(
        _ value: some Encodable, status: Int = 200, headers: LocalBackend.Headers = [:], encoder: JSONEncoder? = nil
    ) -> Self {
        do {
            let body =
                if let encoder { try StrictJSONEncoder.encode(value, settingsOf: encoder) } else {
                    try sortingEncoder.encode(value)
                }
            return data(body, contentType: "application/json", status: status, headers: headers)
        } catch {
            return .json(["reason": "The answer cannot be encoded as JSON: \(error)"], status: 500)
        }
    }

    /// Makes a response of a text, sent as UTF-8.
    public static func text(_ text: String, status: Int = 200, headers: LocalBackend.Headers = [:]) -> Self {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Makes a response of bytes of a content type.
    public static func data(
        _ data: Data, contentType: String, status: Int = 200, headers: LocalBackend.Headers = [:]
    ) -> Self {
        typed(.data(data), contentType: contentType, status: status, headers: headers)
    }

    /// Makes a response whose body is produced while it is sent, in chunks or, if its length is known, with a
    /// `Content-Length`.
    ///
    ///     backend.get("/ticks") { _ in
    ///         .stream { body in
    ///             for tick in 1...10 { try await body.write("\(tick)\n") }
    ///         }
    ///     }
    ///
    /// `write` waits while the client reads slower than the body is produced, so a body of any length takes little
    /// memory. It throws when the client disconnects. If the producer throws, the client sees that the body is
    /// incomplete.
    ///
    /// - Parameter endsWithClient: True to cancel the producer once the client has closed its side. Otherwise it learns of
    ///   it by its next `write`, since a client may close its side and still read. Set it for a stream that is quiet for a
    ///   long time. A stop of the server ends such a stream, too.
    public static func stream(
        contentType: String = "application/octet-stream", length: Int? = nil, status: Int = 200,
        headers: LocalBackend.Headers = [:], endsWithClient: Bool = false,
        _ produce: @escaping @Sendable (LocalBackend.BodyWriter) async throws -> Void
    ) -> Self {
        var response = typed(
            .stream(length: length, produce), contentType: contentType, status: status, headers: headers)
        response.endsWithClient = endsWithClient
        return response
    }

    /// Makes a response that sends the client to another address.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, headers: ["Location": location])
    }

    private static func typed(
        _ body: LocalBackend.Body, contentType: String, status: Int, headers: LocalBackend.Headers
    ) -> Self {
        var headers = headers
        if headers["Content-Type"] == nil { headers.add("Content-Type", contentType) }
        return Self(status: status, headers: headers, body: body)
    }

    private static let sortingEncoder = StrictJSONEncoder.sortingKeys()
}
