import Foundation
import Networking

/// A request that is expected, and how it is answered.
///
/// In a file, which may leave out all but the path:
///
/// ```json
/// {
///   "request": { "method": "GET", "path": "/v1/cities", "query": { "page": "2" } },
///   "response": { "status": 200, "headers": { "ETag": "\"7\"" }, "body": { "cities": [] } }
/// }
/// ```
///
/// `"text"` or `"base64"` in place of `"body"` answers with what is not JSON.
public struct CannedAnswer: Sendable {
    /// What is sent back.
    public enum Outcome: Sendable {
        case response(status: Int, headers: HTTPHeaders, body: Data)
        case failure(CoreError)
    }

    public var method: HTTPMethod
    public var path: String
    /// The whole query, in any order; the value ``Networking/Redaction/mark`` stands for any value.
    public var query: [URLQueryItem]
    public var outcome: Outcome
    /// Where it was read from, for messages.
    var source = "code"

    public init(_ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], outcome: Outcome) {
        self.method = method
        self.path = path
        self.query = query
        self.outcome = outcome
    }

    /// Answers with a status and a body.
    public init(
        _ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], status: Int = 200,
        headers: HTTPHeaders = ["Content-Type": "application/json"], body: String = ""
    ) {
        let outcome = Outcome.response(status: status, headers: headers, body: Data(body.utf8))
        self.init(method, path, query: query, outcome: outcome)
    }

    /// Fails as the network does: `CannedAnswer(.GET, "/v1/cities", failing: .network(NetworkFailure(.timedOut)))`.
    public init(_ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], failing error: CoreError) {
        self.init(method, path, query: query, outcome: .failure(error))
    }

    func answers(_ request: RecordedRequest) -> Bool {
        method == request.method && path == request.path && differences(from: request.query).isEmpty
    }

    /// How unlike the request it is, to name the likeliest one first.
    func distance(from request: RecordedRequest) -> Int {
        (path == request.path ? 0 : 100) + (method == request.method ? 0 : 10) + differences(from: request.query).count
    }

    private func differences(from other: [URLQueryItem]) -> [URLQueryItem] {
        var unmatched = other
        let missing = query.filter { item in
            let match = unmatched.firstIndex {
                $0.name == item.name && ($0.value == item.value || item.value == Redaction.mark)
            }
            if let match { unmatched.remove(at: match) }
            return match == nil
        }
        return missing + unmatched
    }
}

extension CannedAnswer: CustomStringConvertible {
    public var description: String { "\(method) \(path)\(query.text) (\(source))" }
}

extension [URLQueryItem] {
    var text: String {
        isEmpty ? "" : "?" + map { item in item.name + (item.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
    }
}
