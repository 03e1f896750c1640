import Foundation

/// Sends requests to servers and returns their answers, whatever the status.
///
/// Cancelling the task that called ``send(_:)`` ends the exchange on the wire, and `send` throws
/// ``CoreError/cancelled``. A transport that wraps another one is a decorator; they compose:
///
/// ```swift
/// let transport = DefaultTransport().caching().retrying().logging { print($0) }
/// ```
public protocol Transport: Sendable {
    /// Sends a request, and returns the server's answer, whatever its status. Throws if there is no answer.
    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse
}

/// A request as it is sent, and the destination of its answer.
public struct TransportRequest: Sendable {
    /// The destination of the body of a successful answer.
    public enum Destination: Hashable, Sendable {
        /// Into the response; a body beyond the limit, in bytes, fails with ``NetworkFailure/Reason/bodyTooLarge(limit:)``.
        case memory(limit: Int)
        /// Into a file, piece by piece. It appears, or is replaced, only when all of it has arrived. A body beyond the limit,
        /// in bytes, fails in the same way.
        case file(URL, limit: Int = .max)
        /// To a reader, while it arrives.
        case stream(StreamedBody)
    }

    /// The method.
    public var method: HTTPMethod
    /// The address, with the query.
    public var url: URL
    /// All header fields but those of the credentials.
    public var headers: HTTPHeaders
    /// The body, if there is one.
    public var body: RequestBody?
    /// The longest time that the server may be silent: that it neither sends anything nor takes more of the body.
    ///
    /// While the body is a stream that has nothing to send, the server is not silent, however long that is; `totalTimeout`
    /// limits it.
    public var timeout: Duration
    /// The longest time to find the server and to connect to it; `nil` to use `timeout`. Only ``CurlTransport`` has this
    /// limit; `URLSession` has none for the connection alone.
    public var connectTimeout: Duration?
    /// The longest time for the whole exchange, including the wait for a free connection; `nil` for no limit.
    public var totalTimeout: Duration?
    /// The destination of the body of a successful answer.
    public var destination: Destination
    /// Called with the progress of the transfer.
    public var progress: TransferProgress.Observer?
    /// The credentials, and the only origin that may see them.
    public private(set) var credentials: (Credentials, origin: Origin)?

    /// Makes a request without credentials; see ``authorize(with:)``.
    public init(
        method: HTTPMethod = .GET, url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil,
        timeout: Duration = .seconds(60),
        destination: Destination = .memory(limit: 64 << 20), progress: TransferProgress.Observer? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.destination = destination
        self.progress = progress
    }

    /// Adds credentials to the request, for the origin of its current URL only; `nil` removes them.
    public mutating func authorize(with credentials: Credentials?) {
        self.credentials = credentials.flatMap { credentials in Origin(url).map { (credentials, $0) } }
    }

    /// The fields to send: the headers, and the credentials if the URL is of their origin.
    public var fieldsToSend: HTTPHeaders {
        guard let (credentials, origin) = credentials, origin == Origin(url) else { return headers }
        return headers.merging(credentials.headers)
    }
}

extension TransportRequest {
    /// Throws if the request cannot be sent as it is: a field holds a line break, or its method does not allow a body.
    /// A transport calls it before it sends anything.
    package func validate() throws(CoreError) {
        if let fault = method.fault ?? fieldsToSend.fault { throw .request(RequestFailure(fault)) }
        if let type = body?.contentType, type.hasControlCharacter {
            throw .request(RequestFailure("The content type \(type.debugDescription) holds a line break or a NUL."))
        }
        guard let body, [.GET, .HEAD].contains(method), try body.length() != 0 else { return }
        throw .request(RequestFailure("A \(method) request cannot have a body. Use the query, or another method."))
    }
}

/// A server's answer.
public struct TransportResponse: Sendable {
    /// The body; empty if it went to a file.
    public var body: Data
    /// The head with its fields, or without them if they are in `fields`.
    private var storedHead: HTTPURLResponse
    private var fields: HTTPHeaders?

    /// The status and the header fields.
    ///
    /// For an answer that did not come from `URLSession`, it is made each time: that takes longer than reading a small
    /// answer. `status`, `header(_:)` and `headers` do without it. They also have the whole of a `Content-Type` or
    /// `Content-Disposition`, of which this has 4,096 characters.
    public var head: HTTPURLResponse {
        get {
            guard let fields, let url = storedHead.url else { return storedHead }
            let names = Dictionary(fields.map(bounded), uniquingKeysWith: { first, _ in first })
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: names)
                ?? storedHead
        }
        set { (storedHead, fields) = (newValue, nil) }
    }

    /// Makes an answer of a body and a head.
    public init(body: Data, head: HTTPURLResponse) {
        self.body = body
        storedHead = head
    }

    /// Makes an answer that does not come from a server, for caches and tests.
    public init(status: Int, headers: HTTPHeaders = [:], body: Data = Data(), url: URL) throws(CoreError) {
        guard let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
        else {
            throw .network(NetworkFailure(.malformedAnswer, url: url.redacted))
        }
        self.init(body: body, head: head)
        fields = headers
    }

    /// The status, such as 200.
    public var status: Int { storedHead.statusCode }
    /// True if the status is one of 200 to 299.
    public var isSuccess: Bool { 200...299 ~= status }

    /// A header field's value, whatever the case of its name.
    public func header(_ name: String) -> String? {
        if let fields { fields[name] } else { storedHead.value(forHTTPHeaderField: name) }
    }

    /// All header fields.
    public var headers: HTTPHeaders {
        get { fields ?? HTTPHeaders((storedHead.allHeaderFields as? [String: String]) ?? [:]) }
        set { fields = newValue }
    }
}

/// Returns a field whose value is cut if Foundation would parse it, which takes it seconds for hundreds of kilobytes.
private func bounded(name: String, value: String) -> (String, String) {
    let limit = 4_096
    guard value.utf8.count > limit, ["content-type", "content-disposition"].contains(name.lowercased()) else {
        return (name, value)
    }
    return (name, String(value.unicodeScalars.prefix(limit)))
}

/// The progress of a request and its answer.
public struct TransferProgress: Hashable, Sendable {
    /// A function that is called with the progress, one call at a time, on any thread. It should return quickly.
    public typealias Observer = @Sendable (TransferProgress) -> Void

    /// The bytes of the request's body that were sent so far.
    public var bytesSent: Int64
    /// The bytes of the request's body.
    public var bytesToSend: Int64
    /// The bytes of the answer's body that came so far.
    public var bytesReceived: Int64
    /// The length of the answer's body; `nil` while it is not known.
    public var bytesToReceive: Int64?

    /// Makes a report on a transfer.
    public init(bytesSent: Int64 = 0, bytesToSend: Int64 = 0, bytesReceived: Int64 = 0, bytesToReceive: Int64? = nil) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }
}

/// The scheme, host and port of a URL; two URLs with equal origins are of the same server.
public struct Origin: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// The host, in lower case; an international name as `xn--…`.
    public let host: String
    /// The port; the scheme's own if the URL names none.
    public let port: Int

    /// Returns `nil` if the URL is not an http or https URL with a host.
    public init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = Self.host(of: url), !host.isEmpty
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, url.port ?? (scheme == "http" ? 80 : 443))
    }

    /// Returns the host; an international name as `xn--…`, since it has several spellings.
    private static func host(of url: URL) -> String? {
        guard let host = url.host()?.lowercased() else { return nil }
        guard host.utf8.contains(UInt8(ascii: "%")), !host.utf8.contains(UInt8(ascii: ":")) else { return host }
        var parts = URLComponents()
        parts.host = url.host(percentEncoded: false)
        return parts.encodedHost?.lowercased() ?? host
    }
}

/// Header fields that prove who sends a request. When printed, they show only their names.
public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The header fields that carry the credentials.
    public let headers: HTTPHeaders
    /// The user that they belong to, if an app lets one user sign out and another one sign in.
    ///
    /// A request that was refused is sent again only with credentials of the same user, so refreshed ones name the user, too.
    /// If none are named, a request of a user who has signed out may be sent again with the credentials of the next one.
    public let user: String?

    /// Makes credentials of header fields.
    public init(headers: HTTPHeaders, user: String? = nil) {
        self.headers = headers
        self.user = user
    }

    /// Returns the credentials `Authorization: Bearer …` for a token.
    public static func bearer(_ token: String, user: String? = nil) -> Credentials {
        Credentials(headers: ["Authorization": "Bearer \(token)"], user: user)
    }

    public var description: String { "Credentials(\(headers.map(\.name).joined(separator: ", ")))" }
    public var customMirror: Mirror { Mirror(self, children: ["headers": headers.map(\.name)]) }
}
