import Feedback
import Foundation
import Networking

extension Transport {
    /// Writes each answer into a folder, in the form that ``CannedBackend`` reads, with secrets removed. So a session
    /// with a live backend becomes a canned test.
    ///
    /// Secrets are recognized by the names of header fields, query items and JSON keys. Their values and those of the
    /// credentials are removed everywhere: from paths, file names, headers and bodies, percent-encoded or not. A secret
    /// whose name is not recognized and that was not sent as a credential is not found, so look at the files before you
    /// commit them. Streamed answers are not written.
    ///
    /// The folder is for one transport: another one, or a later recording, replaces files of the same names and leaves the
    /// others. So begin with an empty folder.
    public func recording(to folder: URL, redaction: Redaction = Redaction()) -> some Transport {
        RecordingTransport(transport: self, folder: folder, redaction: redaction)
    }
}

private struct RecordingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let folder: URL
    let redaction: Redaction
    private let counts = CannedFileNames()

    init(transport: Wrapped, folder: URL, redaction: Redaction) {
        self.transport = transport
        self.folder = folder
        self.redaction = redaction
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let response = try await transport.send(request)
        if case .stream = request.destination, response.isSuccess { return response }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let answer = CannedAnswer(response, to: request, redaction: redaction)
            let file = folder.appending(path: counts.fileName(for: answer))
            try CannedFile.data(for: answer).write(to: file, options: .atomic)
        } catch {
            let path = folder.path(percentEncoded: false)
            throw .network(NetworkFailure(.cannotWriteFile, url: path, detail: "\(error)"))
        }
        return response
    }
}

extension CannedAnswer {
    /// Makes the answer to a request, without the secrets in it. The body of a download is read from its file.
    package init(_ response: TransportResponse, to request: TransportRequest, redaction: Redaction) {
        let scrubber = Scrubber(request, response.headers, redaction: redaction)
        var body = response.body
        if case .file(let file, _) = request.destination, response.isSuccess, let content = try? Data(contentsOf: file)
        {
            body = content
        }
        self.init(
            request, scrubber,
            outcome: .response(
                status: response.status, headers: scrubber.scrub(response.headers),
                body: scrubber.scrub(body)))
    }

    /// Makes the failure of a request, without the secrets in it.
    package init(_ failure: CoreError, of request: TransportRequest, redaction: Redaction) {
        let scrubber = Scrubber(request, failure.headers, redaction: redaction)
        self.init(request, scrubber, outcome: .failure(scrubber.scrub(failure)))
    }

    private init(_ request: TransportRequest, _ scrubber: Scrubber, outcome: Outcome) {
        let recorded = RecordedRequest(request, body: Data())
        self.init(
            recorded.method, scrubber.scrub(recorded.path), query: scrubber.scrub(recorded.query), outcome: outcome)
    }

    /// Returns the answer with marks in place of secrets. Names and numbers in JSON stay, so that it can be decoded.
    package func scrubbed(by scrubber: Scrubber) -> CannedAnswer {
        let clean: Outcome =
            switch outcome {
            case .response(let status, let headers, let body):
                .response(status: status, headers: scrubber.scrub(headers), body: scrubber.scrub(body))
            case .failure(let error): .failure(scrubber.scrub(error))
            }
        return CannedAnswer(method, scrubber.scrub(path), query: scrubber.scrub(query), outcome: clean)
    }

    /// Returns the answer as a file in a folder of canned answers.
    package func file() throws -> Data { try CannedFile.data(for: self) }

    /// Returns true if it is the answer to the request.
    package func answers(_ request: TransportRequest) -> Bool { answers(RecordedRequest(request, body: Data())) }
}

/// The files of canned answers that have been written, by name.
package final class CannedFileNames: Sendable {
    private let counts = Locked<[String: Int]>([:])

    package init() {}

    /// Returns a file name of the method and the path, with a number from the second answer on. Neither of them, which may
    /// come from the file of somebody else, can lead to another folder.
    package func fileName(for answer: CannedAnswer) -> String {
        let path = answer.path.replacingOccurrences(of: Redaction.mark, with: "redacted")
        var name = String((answer.method.rawValue.lowercased() + path).map { $0.isLetter || $0.isNumber ? $0 : "-" })
        if name.utf8.count > 120 {
            // A fingerprint distinguishes long paths that begin alike.
            while name.utf8.count > 100 { name.removeLast() }
            name += "-\(String(fingerprint(of: path), radix: 16))"
        }
        // A dot occurs in no path's name, and file systems may not tell capitals apart.
        let count = next(name.lowercased())
        return count == 1 ? "\(name).json" : "\(name).\(count).json"
    }

    private func next(_ name: String) -> Int {
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
