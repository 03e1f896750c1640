import Foundation
import LocalBackend
import Networking

/// Prints the requests that a backend gets, and its answers, without texts that look like secrets.
struct TrafficLog: Sendable {
    /// The number of bytes of a body that are printed.
    static let bodyLimit = 4_096

    let showsBodies: Bool
    let print: @Sendable (String) -> Void

    @Sendable func note(_ request: LocalBackend.Request, _ response: LocalBackend.Response) {
        let redaction = Redaction()
        var lines = ["\(request.method) \(redaction.text(request.target)) → \(response.status) (\(size(of: response)))"]
        if showsBodies {
            lines += text(of: request.body, redaction).map { "  → " + $0 }
            if case let .data(data) = response.body { lines += text(of: data, redaction).map { "  ← " + $0 } }
        }
        print(lines.joined(separator: "\n"))
    }

    private func size(of response: LocalBackend.Response) -> String {
        switch response.body {
        case let .data(data): "\(data.count) bytes"
        case let .stream(length, _): length.map { "\($0) bytes" } ?? "streamed"
        }
    }

    /// Returns the lines of a body. The value of a secret can have several, so it is removed before the text is split.
    private func text(of body: Data, _ redaction: Redaction) -> [String] {
        if body.contains(0) { return ["(not text)"] }
        let text = redaction.text(String(decoding: body.prefix(Self.bodyLimit), as: UTF8.self))
        let rest = body.count > Self.bodyLimit ? ["… (\(body.count) bytes)"] : []
        return text.split(separator: "\n").map(String.init) + rest
    }
}
