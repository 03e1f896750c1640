import Foundation
import Networking

/// A request as it would have been sent over the network, for a test to check.
public struct RecordedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path, not percent-encoded.
    public let path: String
    /// The items of the query, decoded, in the order sent.
    public let query: [URLQueryItem]
    /// All header fields, including those of the credentials.
    public let headers: HTTPHeaders
    /// The bytes of the body; empty if there was none.
    public let body: Data

    init(_ request: TransportRequest, body: Data) {
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        method = request.method
        path = parts?.path ?? ""
        query = parts?.queryItems ?? []
        headers = request.fieldsToSend
        self.body = body
    }

    /// Returns the body as a value: `#expect(try backend.requests[0].decode() == Address.fixture())`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(CoreError) -> Value {
        try Parser.parse(body, decoder: decoder).get()
    }
}

extension RecordedRequest: CustomStringConvertible {
    public var description: String { "\(method) \(path.printed)\(query.text)" }
}
