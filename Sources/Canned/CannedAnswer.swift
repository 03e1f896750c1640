import Foundation
import Networking

/// An expected request, and the answer to it.
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
/// In place of `"body"`, use `"text"` or `"base64"` for an answer that is not JSON, and `"file": "photo.jpg"` for the
/// content of a file in the same folder or below it. A `.json` file in the same folder is an answer itself, so a body of
/// that kind must be in a folder below. A field with any other name is an error, because it is probably misspelled.
public struct CannedAnswer: Sendable {
    /// The answer, or the failure, that the caller gets.
    public enum Outcome: Sendable {
        /// The server answers, with any status.
        case response(status: Int, headers: HTTPHeaders, body: Data)
        /// The request fails before a server answers.
        case failure(CoreError)
    }

    /// The method of the requests that it answers.
    public var method: HTTPMethod
    /// The path, not percent-encoded; `Redaction.mark` in it stands for any text.
    public var path: String
    /// The whole query, in any order; the value `Redaction.mark` stands for any text.
    public var query: [URLQueryItem]
    /// The answer, or the failure.
    public var outcome: Outcome
    /// The file that it was read from, for messages.
    var source = "code"

    /// Makes an answer with any outcome.
    public init(_ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], outcome: Outcome) {
        self.method = method
        self.path = path
        self.query = query
        self.outcome = outcome
    }

    /// Makes an answer with a status and a body.
    public init(
        _ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], status: Int = 200,
        headers: HTTPHeaders = ["Content-Type": "application/json"], body: String = ""
    ) {
        let outcome = Outcome.response(status: status, headers: headers, body: Data(body.utf8))
        self.init(method, path, query: query, outcome: outcome)
    }

    /// Makes an answer that fails as the network does:
    /// `CannedAnswer(.GET, "/v1/cities", failing: .network(NetworkFailure(.timedOut)))`.
    public init(_ method: HTTPMethod, _ path: String, query: [URLQueryItem] = [], failing error: CoreError) {
        self.init(method, path, query: query, outcome: .failure(error))
    }

    func answers(_ request: RecordedRequest) -> Bool {
        method == request.method && path.fits(request.path) && differences(from: request.query).isEmpty
    }

    /// Returns a measure of the difference from the request, by which an error lists the most similar answers first.
    func distance(from request: RecordedRequest) -> Int {
        (path.fits(request.path) ? 0 : 100) + (method == request.method ? 0 : 10)
            + differences(from: request.query).count
    }

    /// Returns true if only the query of the request differs.
    func differsInQuery(from request: RecordedRequest) -> Bool {
        method == request.method && path.fits(request.path) && !differences(from: request.query).isEmpty
    }

    private func differences(from other: [URLQueryItem]) -> [URLQueryItem] {
        var unmatched = other
        let missing = query.filter { item in
            let match = unmatched.firstIndex {
                item.name.fits($0.name) && (item.value ?? "").fits($0.value ?? "")
            }
            if let match { unmatched.remove(at: match) }
            return match == nil
        }
        return missing + unmatched
    }
}

extension CannedAnswer: CustomStringConvertible {
    public var description: String { "\(method) \(path.printed)\(query.text) (\(source))" }
}

extension String {
    /// The path for messages, in which a question mark would look like the beginning of the query.
    var printed: String { replacing("?", with: "%3F") }

    /// Returns true if a text is equal to this one, in which each mark of a redaction stands for any text.
    package func fits(_ text: String) -> Bool { fits(text, mark: Redaction.mark) }
}

extension [URLQueryItem] {
    var text: String {
        isEmpty ? "" : "?" + map { item in item.name + (item.value.map { "=\($0)" } ?? "") }.joined(separator: "&")
    }
}
