import Foundation
import Networking

extension Scrubber {
    /// Returns the fields without secrets, and without those of the connection.
    func scrub(_ headers: HTTPHeaders) -> HTTPHeaders {
        headers.ofAnswer.reduce(into: HTTPHeaders()) { kept, field in
            kept[field.name] = redaction.isSecret(field.name) ? Redaction.mark : scrub(field.value)
        }
    }

    /// Returns the items without secrets.
    func scrub(_ query: [URLQueryItem]) -> [URLQueryItem] {
        query.map { item in
            URLQueryItem(
                name: scrub(item.name),
                value: redaction.isSecret(item.name) ? Redaction.mark : item.value.map { scrub($0) })
        }
    }

    /// Returns the body without secrets. If it has none, its bytes stay as they are.
    func scrub(_ body: Data) -> Data {
        if let json = try? JSONText(body, name: "The body") {
            let redacted = json.indented(redacting: self)
            return redacted == json.indented() ? body : redacted
        }
        guard let text = String(validating: body, as: UTF8.self) else { return body }
        return Data(scrub(text).utf8)
    }

    /// Returns the error without secrets: it tells the URL of the request, and often what the server said.
    func scrub(_ error: CoreError) -> CoreError {
        switch error {
        case .request(let failure): .request(RequestFailure(scrub(failure.reason)))
        case .encoding(let failure):
            .encoding(EncodingFailure(path: scrub(failure.path), reason: scrub(failure.reason)))
        case .network(let failure): .network(scrub(failure))
        case .status(let failure): .status(scrub(failure))
        case .parsing(let failure): .parsing(scrub(failure))
        case .authentication(let failure): .authentication(scrub(failure))
        case .cancelled: .cancelled
        }
    }

    private func scrub(_ failure: NetworkFailure) -> NetworkFailure {
        NetworkFailure(failure.reason, url: scrub(failure.url), detail: scrub(failure.detail))
    }

    private func scrub(_ failure: StatusFailure) -> StatusFailure {
        StatusFailure(
            code: failure.code, body: scrub(failure.body), headers: scrub(failure.headers),
            request: scrub(failure.request))
    }

    private func scrub(_ failure: ParsingFailure) -> ParsingFailure {
        let place = failure.place.map {
            ParsingFailure.Place(line: $0.line, column: $0.column, excerpt: scrub($0.excerpt))
        }
        return ParsingFailure(path: scrub(failure.path), reason: scrub(failure.reason), place: place)
    }

    private func scrub(_ failure: AuthenticationFailure) -> AuthenticationFailure {
        switch failure {
        case .missingCredentials(let kind, let reason): .missingCredentials(kind: kind, reason: scrub(reason))
        case .refreshFailed(let kind, let reason): .refreshFailed(kind: kind, reason: scrub(reason))
        case .unreachable(let kind, let failure): .unreachable(kind: kind, scrub(failure))
        case .rejected(let kind, let failure): .rejected(kind: kind, scrub(failure))
        case .foreignHost(let kind, let host): .foreignHost(kind: kind, host: scrub(host))
        }
    }
}

extension CoreError {
    /// The header fields of the answer, if one came.
    var headers: HTTPHeaders {
        switch self {
        case .status(let failure), .authentication(.rejected(_, let failure)): failure.headers
        default: [:]
        }
    }
}

extension HTTPHeaders {
    /// The fields that a recorded answer has: those of the connection differ each time.
    package var ofAnswer: HTTPHeaders {
        reduce(into: HTTPHeaders()) { kept, field in
            if !fieldsOfTheConnection.contains(field.name.lowercased()) { kept[field.name] = field.value }
        }
    }
}

/// Fields that belong to the connection and not to the answer, or whose encoding was undone by the transport.
private let fieldsOfTheConnection: Set = [
    "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "date", "server",
]
