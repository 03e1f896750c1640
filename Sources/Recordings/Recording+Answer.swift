import Canned
import Foundation
import Networking

extension Recording {
    /// A request and the answer to it.
    public struct Answer: Equatable, Sendable, Codable {
        /// The method of the request.
        public var method: String
        /// The path of the request, not percent-encoded.
        public var path: String
        /// The items of the query: name and value.
        public var query: [[String]]
        /// The status of the answer; `nil` if none came.
        public var status: Int?
        /// The header fields of the answer, without secrets.
        public var headers: [String: String]
        /// The body, if it is a text.
        public var text: String?
        /// The body, if it is not a text, in base 64.
        public var base64: String?
        /// The reason why no answer came.
        public var failure: Failure?
    }

    /// An error of the network.
    public enum Failure: Equatable, Sendable, Codable {
        /// No complete answer arrived.
        case network(reason: String, code: Int?, url: String, detail: String)
        /// The transport itself gave up with this status.
        case status(code: Int, body: Data, request: String)
        /// Another error, by its description.
        case other(String)
    }
}

extension Recording.Answer {
    init(_ answer: CannedAnswer) {
        method = answer.method.rawValue
        path = answer.path
        query = answer.query.map(\.pair)
        headers = [:]
        switch answer.outcome {
        case let .response(status, headers, body):
            self.status = status
            self.headers = Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            if let text = String(validating: body, as: UTF8.self) {
                self.text = text
            } else {
                base64 = body.base64EncodedString()
            }
        case let .failure(error):
            failure = Recording.Failure(error)
        }
    }

    /// The answer as a canned answer.
    public var canned: CannedAnswer {
        let outcome: CannedAnswer.Outcome
        if let failure {
            outcome = .failure(failure.error)
        } else {
            let body = text.map { Data($0.utf8) } ?? base64.flatMap { Data(base64Encoded: $0) } ?? Data()
            outcome = .response(status: status ?? 200, headers: HTTPHeaders(headers), body: body)
        }
        return CannedAnswer(
            HTTPMethod(rawValue: method), path, query: query.map { URLQueryItem(pair: $0) }, outcome: outcome)
    }
}

extension Recording.Failure {
    init(_ error: CoreError) {
        switch error {
        case let .network(failure):
            self = .network(
                reason: failure.reason.name, code: failure.reason.code, url: failure.url, detail: failure.detail)
        case let .status(failure):
            self = .status(code: failure.code, body: failure.body, request: failure.request)
        default:
            self = .other("\(error)")
        }
    }

    var error: CoreError {
        switch self {
        case let .network(reason, code, url, detail):
            .network(NetworkFailure(.init(name: reason, code: code ?? 0) ?? .other(code: 0), url: url, detail: detail))
        case let .status(code, body, request): .status(StatusFailure(code: code, body: body, request: request))
        case let .other(reason): .request(RequestFailure(reason))
        }
    }
}
