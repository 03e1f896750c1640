import Feedback
import Foundation

/// Everything that can go wrong between asking for a resource and holding its value.
///
/// Printed, it is a sentence for people; compared, it is a value for tests.
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

/// Why a request was refused before it was sent.
public struct RequestFailure: Equatable, Sendable {
    public var reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}

/// Why a value could not be encoded, and at which coding path (empty for the whole value).
public struct EncodingFailure: Equatable, Sendable {
    public var path: String
    public var reason: String

    public init(path: String = "", reason: String) {
        self.path = path
        self.reason = reason
    }
}

/// Why no complete answer arrived.
public struct NetworkFailure: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case offline
        case cannotFindHost
        case cannotConnect
        case connectionLost
        case timedOut
        case insecureConnection
        case tooManyRedirects
        /// A redirect that must not be followed, for example from https to http.
        case refusedRedirect
        /// The body is larger than what the request is ready to hold in memory.
        case bodyTooLarge(limit: Int)
        /// The bytes that came are not an HTTP answer.
        case malformedAnswer
        /// The file for a download could not be written.
        case cannotWriteFile
        /// Any other error of the transport, by its code.
        case other(code: Int)
    }

    public var reason: Reason
    /// Where the request went, without query and user.
    public var url: String
    /// The system's own explanation, if it says more than the reason.
    public var detail: String

    public init(_ reason: Reason, url: String = "", detail: String = "") {
        self.reason = reason
        self.url = url
        self.detail = detail
    }
}

/// An answer with another status than 200–299.
public struct StatusFailure: Equatable, Sendable {
    public var code: Int
    public var body: Data
    public var headers: HTTPHeaders
    /// The request, as in `GET https://api.example.com/v1/cities`, without query and user.
    public var request: String

    public init(code: Int, body: Data = Data(), headers: HTTPHeaders = [:], request: String = "") {
        self.code = code
        self.body = body
        self.headers = headers
        self.request = request
    }

    /// The body as a value, for servers that explain their errors in JSON.
    public func body<Value: Decodable>(as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) -> Value?
    {
        try? Parser.parse(body, decoder: decoder).get()
    }
}

/// Why a body could not be read, and at which coding path, as in `cities[2].name` (empty for the whole body).
public struct ParsingFailure: Equatable, Sendable {
    public var path: String
    public var reason: String
    /// Where in the body the value is that could not be read, or the byte at which it stops being JSON.
    public var place: Place?

    public init(path: String = "", reason: String, place: Place? = nil) {
        self.path = path
        self.reason = reason
        self.place = place
    }

    /// A line and a column in bytes, both counted from one, and the text around.
    public struct Place: Equatable, Sendable {
        public var line: Int
        public var column: Int
        public var excerpt: String

        public init(line: Int, column: Int, excerpt: String) {
            self.line = line
            self.column = column
            self.excerpt = excerpt
        }
    }
}

/// Why a request that needs credentials failed.
public enum AuthenticationFailure: Equatable, Sendable {
    /// The session has no credentials for that kind of authentication.
    case missingCredentials(kind: String, reason: String)
    /// The credentials could not be refreshed after the server had refused them.
    case refreshFailed(kind: String, reason: String)
    /// The server refused also the refreshed credentials.
    case rejected(kind: String, StatusFailure)
    /// The request goes to a host that the credentials do not belong to.
    case foreignHost(kind: String, host: String)
}
