import Foundation

/// A description of a request and its answer. An ``Accessible`` performs the request.
///
/// ```swift
/// let cities = BackendResource<Void, [City], KongAuth>(path: .api(.core, "/v1/cities"), method: .GET)
/// ```
///
/// `Request` is the value that the caller must pass, and `Response` is the value of the answer; each is `Void` if there
/// is none. `Auth` is the kind of credentials that the request needs. The request is encoded and the response decoded
/// as JSON, unless there is a `request:` or `response:` handler.
public struct BackendResource<Request: Sendable, Response: Sendable, Auth: Authentication>: Sendable {
    /// Turns the caller's value into a body.
    public typealias RequestHandler = @Sendable (Request, JSONEncoder) -> Result<Data, CoreError>
    /// Turns the body of a successful answer into a value.
    public typealias ResponseHandler = @Sendable (Data, URLResponse) -> Result<Response, CoreError>

    /// The place of the resource.
    public var path: ResourcePath
    /// The method.
    public var method: HTTPMethod
    /// The items of the query; each is percent-encoded when the request is made.
    public var query: [URLQueryItem]
    /// Header fields of this resource, which take precedence over those of the session.
    public var headers: HTTPHeaders
    /// The longest time that a server may be silent; `nil` for the session's.
    public var timeout: Duration?
    /// The longest time that `access` may take; `nil` for the session's.
    public var totalTimeout: Duration?

    /// Makes the body; `nil` for a request without one.
    public var request: RequestHandler?
    /// Turns the body of a successful answer into a value.
    public var response: ResponseHandler {
        get { reader.handler }
        set { reader = .answer(newValue) }
    }
    /// The encoder of the value; `nil` for the session's.
    public var encoder: JSONEncoder?
    private(set) var reader: Reader

    /// Reads a successful answer. Foundation's object for its head is made only for handlers that take it.
    enum Reader: Sendable {
        case body(@Sendable (Data) -> Result<Response, CoreError>)
        case answer(ResponseHandler)

        var handler: ResponseHandler {
            switch self {
            case .body(let read): { body, _ in read(body) }
            case .answer(let read): read
            }
        }

        func read(_ answer: TransportResponse) -> Result<Response, CoreError> {
            switch self {
            case .body(let read): read(answer.body)
            case .answer(let read): read(answer.body, answer.head)
            }
        }
    }
}

// MARK: - No body

extension BackendResource where Request == Void, Response == Void {
    /// A request without a body, whose answer is its status alone.
    public init(path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:]) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: nil, encoder: nil,
            reader: Self.ignoringBody)
    }
}

extension BackendResource where Request == Void, Response: Decodable {
    /// A request without a body, whose answer is decoded.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        decoder: JSONDecoder? = nil
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: nil, encoder: nil,
            reader: Self.decodingBody(with: decoder))
    }
}

extension BackendResource where Request == Void {
    /// A request without a body, whose answer `response` reads.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        response: @escaping ResponseHandler
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: nil, encoder: nil,
            reader: .answer(response))
    }
}

// MARK: - Encoded body

extension BackendResource where Request: Encodable, Response == Void {
    /// A request whose value is encoded, and whose answer is its status alone.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: Self.encodingBody,
            encoder: encoder, reader: Self.ignoringBody)
    }
}

extension BackendResource where Request: Encodable, Response: Decodable {
    /// A request whose value is encoded, and whose answer is decoded.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil, decoder: JSONDecoder? = nil
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: Self.encodingBody,
            encoder: encoder, reader: Self.decodingBody(with: decoder))
    }
}

extension BackendResource where Request: Encodable {
    /// A request whose value is encoded, and whose answer `response` reads.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil, response: @escaping ResponseHandler
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: Self.encodingBody,
            encoder: encoder, reader: .answer(response))
    }
}

// MARK: - Body of its own

extension BackendResource where Response == Void {
    /// A request whose body `request` makes, and whose answer is its status alone.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil, request: @escaping RequestHandler
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: request, encoder: encoder,
            reader: Self.ignoringBody)
    }
}

extension BackendResource where Response: Decodable {
    /// A request whose body `request` makes, and whose answer is decoded.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil, decoder: JSONDecoder? = nil, request: @escaping RequestHandler
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: request, encoder: encoder,
            reader: Self.decodingBody(with: decoder))
    }
}

extension BackendResource {
    /// A request whose body `request` makes, and whose answer `response` reads.
    public init(
        path: ResourcePath, method: HTTPMethod, query: [URLQueryItem] = [], headers: HTTPHeaders = [:],
        encoder: JSONEncoder? = nil, request: @escaping RequestHandler, response: @escaping ResponseHandler
    ) {
        self.init(
            path: path, method: method, query: query, headers: headers, request: request, encoder: encoder,
            reader: .answer(response))
    }
}

// MARK: - Machinery

extension BackendResource where Response == Void {
    private static var ignoringBody: Reader { .body { _ in .success(()) } }
}

extension BackendResource where Request: Encodable {
    private static var encodingBody: RequestHandler { { value, encoder in Parser.encode(value, encoder: encoder) } }
}

extension BackendResource where Response: Decodable {
    private static func decodingBody(with decoder: JSONDecoder?) -> Reader {
        .body { data in decoder.map { Parser.parse(data, decoder: $0) } ?? Parser.parse(data) }
    }
}
