import Canned
import Foundation
import Networking

extension Recording {
    /// A request, without the secrets in it.
    public struct Request: Equatable, Sendable, Codable, CustomStringConvertible {
        /// The method of the request.
        public var method: String
        /// The path of the request, not percent-encoded.
        public var path: String
        /// The items of the query: name and value.
        public var query: [[String]]

        public var description: String {
            let items = query.map { $0.joined(separator: "=") }
            return "\(method) \(path)" + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
        }
    }
}

extension Recording.Request {
    init(_ request: TransportRequest, _ redaction: Redaction) {
        self.init(CannedAnswer(.cancelled, of: request, redaction: redaction))
    }

    private init(_ canned: CannedAnswer) {
        method = canned.method.rawValue
        path = canned.path
        query = canned.query.map(\.pair)
    }

    /// An answer to the request, which has no content.
    private var canned: CannedAnswer {
        CannedAnswer(
            HTTPMethod(rawValue: method), path, query: query.map { URLQueryItem(pair: $0) },
            outcome: .failure(.cancelled))
    }

    /// Returns the request with marks in place of secrets.
    func scrubbed(by scrubber: Scrubber) -> Self { Self(canned.scrubbed(by: scrubber)) }

    /// Returns true if it is the request that was recorded.
    func matches(_ request: TransportRequest) -> Bool { canned.answers(request) }
}

extension URLQueryItem {
    /// The name and the value, as a recording has them; only the name if there is no value.
    var pair: [String] { [name] + (value.map { [$0] } ?? []) }

    init(pair: [String]) { self.init(name: pair.first ?? "", value: pair.count > 1 ? pair[1] : nil) }
}
