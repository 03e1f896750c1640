import Feedback
import Foundation
import Networking

extension Transport {
    /// Writes each answer into a folder, in the form that ``CannedBackend`` reads, with secrets removed: so a session
    /// against a live backend becomes a canned test.
    ///
    /// Secrets are known by the names of header fields, query items and JSON keys, and the credentials' values are
    /// removed wherever they stand. Look at what was written before you commit it.
    public func recording(to folder: URL, redaction: Redaction = Redaction()) -> some Transport {
        RecordingTransport(transport: self, folder: folder, redaction: redaction)
    }
}

private struct RecordingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let folder: URL
    let redaction: Redaction
    private let counts = Counts()

    init(transport: Wrapped, folder: URL, redaction: Redaction) {
        self.transport = transport
        self.folder = folder
        self.redaction = redaction
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let response = try await transport.send(request)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: fileName(for: request))
            try CannedFile.data(for: answer(response, to: request)).write(to: file, options: .atomic)
        } catch {
            let path = folder.path(percentEncoded: false)
            throw .network(NetworkFailure(.cannotWriteFile, url: path, detail: "\(error)"))
        }
        return response
    }

    private func answer(_ response: TransportResponse, to request: TransportRequest) -> CannedAnswer {
        let recorded = RecordedRequest(request, body: Data())
        let query = recorded.query.map { item in
            URLQueryItem(name: item.name, value: redaction.isSecret(item.name) ? Redaction.mark : item.value)
        }
        let headers = response.headers.reduce(into: HTTPHeaders()) { kept, field in
            let name = field.name.lowercased()
            if !fieldsOfTheConnection.contains(name), !redaction.isSecret(name) { kept[field.name] = field.value }
        }
        let body = redacted(response.body, credentials: request.credentials?.0)
        return CannedAnswer(
            recorded.method, recorded.path, query: query,
            outcome: .response(status: response.status, headers: headers, body: body))
    }

    private func redacted(_ body: Data, credentials: Credentials?) -> Data {
        var body = body
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys]
        if let json = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed),
            let clean = try? JSONSerialization.data(withJSONObject: redaction.json(json), options: options)
        {
            body = clean
        }
        guard let credentials, var text = String(validating: body, as: UTF8.self) else { return body }
        for (_, value) in credentials.headers {
            // Of `Bearer abc`, the secret is `abc`.
            guard let secret = value.split(separator: " ").last, secret.count >= 4 else { continue }
            text = text.replacingOccurrences(of: secret, with: Redaction.mark)
        }
        return Data(text.utf8)
    }

    private func fileName(for request: TransportRequest) -> String {
        let path = request.url.path(percentEncoded: false).map { $0.isLetter || $0.isNumber ? $0 : "-" }
        let name = request.method.rawValue.lowercased() + String(path)
        let count = counts.next(name)
        return count == 1 ? "\(name).json" : "\(name)-\(count).json"
    }

    private final class Counts: Sendable {
        private let counts = Locked<[String: Int]>([:])

        func next(_ name: String) -> Int {
            counts.withLock { counts in
                counts[name, default: 0] += 1
                return counts[name, default: 1]
            }
        }
    }
}

/// What belongs to the connection and not to the answer, or was undone on the way.
private let fieldsOfTheConnection: Set = [
    "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "date", "server",
]
