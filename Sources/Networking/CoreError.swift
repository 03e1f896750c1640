import Feedback
import Foundation

/// An error of a request: everything that can go wrong between the call of `access` and its value.
///
/// It prints as a sentence for people, and can be compared in tests.
///
/// ```swift
/// switch error {
/// case .status(let failure) where failure.code == 404: showEmptyState()
/// case .network(let failure) where failure.reason == .timedOut: offerRetry()
/// default: show("\(error)")
/// }
/// ```
public enum CoreError: Error, Equatable, Sendable {
    /// The request was refused before it was sent: a bad path, a line break in a header, a service without an address.
    case request(RequestFailure)
    /// The request's value could not be turned into a body.
    case encoding(EncodingFailure)
    /// No complete answer arrived.
    case network(NetworkFailure)
    /// The server answered, but not with success.
    case status(StatusFailure)
    /// The answer's body is not what was expected.
    case parsing(ParsingFailure)
    /// Credentials are missing, were refused, or could not be refreshed.
    case authentication(AuthenticationFailure)
    /// The caller cancelled the request.
    case cancelled
}

extension CoreError: ExpressibleByCancellation {}

extension CoreError {
    /// The failure of the network because of which there is no answer, or there are no credentials to ask with.
    var networkFailure: NetworkFailure? {
        switch self {
        case .network(let failure), .authentication(.unreachable(_, let failure)): failure
        default: nil
        }
    }
}

/// The reason why a request is refused before it is sent.
public struct RequestFailure: Equatable, Sendable {
    /// A sentence about what is wrong with the request.
    public var reason: String

    /// Makes a failure with a reason.
    public init(_ reason: String) {
        self.reason = reason
    }
}

/// The reason why a value could not be encoded, and its coding path (empty for the whole value).
public struct EncodingFailure: Equatable, Sendable {
    /// The path of keys and indexes to the value that cannot be encoded, such as `cities[1].name`.
    public var path: String
    /// A sentence about the value.
    public var reason: String

    /// Makes a failure with a reason, at a path.
    public init(path: String = "", reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// The reason why no complete answer arrived.
public struct NetworkFailure: Equatable, Sendable {
    /// The ways in which a network fails.
    public enum Reason: Equatable, Sendable {
        /// The machine is not connected to a network.
        case offline
        /// No address is known for the name of the host.
        case cannotFindHost
        /// The host does not accept the connection.
        case cannotConnect
        /// The connection ended before the answer was complete.
        case connectionLost
        /// The server was silent for too long, or the whole request took too long.
        case timedOut
        /// The server's certificate is not trusted, or no secure connection could be agreed on.
        case insecureConnection
        /// The server redirected more often than the policy allows.
        case tooManyRedirects
        /// A redirect that must not be followed, for example from https to http.
        case refusedRedirect
        /// The body is larger than the number of bytes that the request allows, in memory or in a file.
        case bodyTooLarge(limit: Int)
        /// The bytes that came are not an HTTP answer.
        case malformedAnswer
        /// A file could not be written: that of a download, or a temporary one.
        case cannotWriteFile
        /// Any other error of the transport, by its code.
        case other(code: Int)
    }

    /// The kind of the failure.
    public var reason: Reason
    /// The URL of the request, without query and user; the path of a file that could not be written.
    public var url: String
    /// The system's own explanation, if it says more than the reason.
    public var detail: String

    /// Makes a failure of a kind.
    public init(_ reason: Reason, url: String = "", detail: String = "") {
        self.reason = reason
        self.url = url
        self.detail = detail
    }
}

/// An answer with another status than 200–299.
public struct StatusFailure: Equatable, Sendable {
    /// The status, such as 404.
    public var code: Int
    /// The body of the answer, which may explain it.
    public var body: Data
    /// The header fields of the answer.
    public var headers: HTTPHeaders
    /// The request, as in `GET https://api.example.com/v1/cities`, without query and user.
    public var request: String

    /// Makes a failure with a status and the rest of the answer.
    public init(code: Int, body: Data = Data(), headers: HTTPHeaders = [:], request: String = "") {
        self.code = code
        self.body = body
        self.headers = headers
        self.request = request
    }

    /// Returns the body as a value, for servers that explain their errors in JSON; `nil` if it does not decode.
    public func body<Value: Decodable>(as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) -> Value?
    {
        try? Parser.parse(body, decoder: decoder).get()
    }
}

/// Reflected with the code as `status`: in recordings, `code` is the name of a secret.
extension StatusFailure: CustomReflectable {
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "status": code, "body": body, "headers": headers, "request": request,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// The reason why a body could not be read, and its coding path, as in `cities[2].name` (empty for the whole body).
public struct ParsingFailure: Equatable, Sendable {
    /// The path of keys and indexes to the value, such as `cities[1].name`; empty for the whole body.
    public var path: String
    /// A sentence about what was expected and what was found.
    public var reason: String
    /// The place of the value that could not be read, or of the byte at which the body stops being JSON.
    public var place: Place?

    /// Makes a failure with a reason, at a path and a place of the body.
    public init(path: String = "", reason: String, place: Place? = nil) {
        self.path = path
        self.reason = reason
        self.place = place
    }

    /// A line and a column in bytes, both counted from one, and the text around them.
    public struct Place: Equatable, Sendable {
        /// The line, from 1.
        public var line: Int
        /// The column in bytes, from 1.
        public var column: Int
        /// The text around the place.
        public var excerpt: String

        /// Makes a place of a line and a column.
        public init(line: Int, column: Int, excerpt: String) {
            self.line = line
            self.column = column
            self.excerpt = excerpt
        }
    }
}

/// The reason why a request that needs credentials failed.
public enum AuthenticationFailure: Equatable, Sendable {
    /// The session has no credentials for that kind of authentication.
    case missingCredentials(kind: String, reason: String)
    /// The credentials could not be refreshed after the server had refused them.
    case refreshFailed(kind: String, reason: String)
    /// There was no network to get the credentials, or to refresh them: the provider has thrown a
    /// ``CoreError/network(_:)``. The request was not done, and another try may succeed.
    case unreachable(kind: String, NetworkFailure)
    /// The server refused the credentials, and there are no better ones: it refused the refreshed ones, too, or they are
    /// the same.
    case rejected(kind: String, StatusFailure)
    /// The request goes to a host that the credentials do not belong to.
    case foreignHost(kind: String, host: String)
}
