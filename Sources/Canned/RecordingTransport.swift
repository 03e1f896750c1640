import Feedback
import Foundation
import Networking

extension Transport {
    /// Writes each answer into a folder, in the form that ``CannedBackend`` reads, with secrets removed: so a session
    /// against a live backend becomes a canned test.
    ///
    /// Secrets are known by the names of header fields, query items and JSON keys. Their values and those of the
    /// credentials are removed wherever they stand: in paths, file names, headers and bodies, percent-encoded or not. A
    /// secret that has no telling name and was not sent as a credential is not found: look at what was written before you
    /// commit it.
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
            let answer = answer(response, to: request)
            let file = folder.appending(path: fileName(for: answer))
            try CannedFile.data(for: answer).write(to: file, options: .atomic)
        } catch {
            let path = folder.path(percentEncoded: false)
            throw .network(NetworkFailure(.cannotWriteFile, url: path, detail: "\(error)"))
        }
        return response
    }

    private func answer(_ response: TransportResponse, to request: TransportRequest) -> CannedAnswer {
        let recorded = RecordedRequest(request, body: Data())
        let scrubber = Scrubber(request, response, redaction: redaction)
        let query = recorded.query.map { item in
            let value = redaction.isSecret(item.name) ? Redaction.mark : item.value.map(scrubber.scrub)
            return URLQueryItem(name: scrubber.scrub(item.name), value: value)
        }
        let headers = response.headers.reduce(into: HTTPHeaders()) { kept, field in
            let name = field.name.lowercased()
            guard !fieldsOfTheConnection.contains(name), !redaction.isSecret(name) else { return }
            kept[field.name] = scrubber.scrub(field.value)
        }
        return CannedAnswer(
            recorded.method, scrubber.scrub(recorded.path), query: query,
            outcome: .response(
                status: response.status, headers: headers, body: body(of: response, without: scrubber)))
    }

    private func body(of response: TransportResponse, without scrubber: Scrubber) -> Data {
        if let json = try? JSONText(response.body, name: "The body") { return json.indented(redacting: scrubber) }
        guard let text = String(validating: response.body, as: UTF8.self) else { return response.body }
        return Data(scrubber.scrub(text).utf8)
    }

    /// The method and the path, and a number from the second answer on.
    private func fileName(for answer: CannedAnswer) -> String {
        let path = answer.path.replacingOccurrences(of: Redaction.mark, with: "redacted")
        var name = answer.method.rawValue.lowercased() + path.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        if name.utf8.count > 120 {
            // Long paths that begin alike keep files of their own.
            while name.utf8.count > 100 { name.removeLast() }
            name += "-\(String(fingerprint(of: path), radix: 16))"
        }
        // A dot occurs in no path's name, and file systems may not tell capitals apart.
        let count = counts.next(name.lowercased())
        return count == 1 ? "\(name).json" : "\(name).\(count).json"
    }
}

/// How many files of a name have been written.
private final class Counts: Sendable {
    private let counts = Locked<[String: Int]>([:])

    func next(_ name: String) -> Int {
        counts.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name, default: 1]
        }
    }
}

/// FNV-1a: the same on every run.
private func fingerprint(of text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}

/// Fields that belong to the connection and not to the answer, or that were undone on the way.
private let fieldsOfTheConnection: Set = [
    "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "date", "server",
]
