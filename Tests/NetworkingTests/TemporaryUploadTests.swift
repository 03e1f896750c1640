import FeedbackTesting
import Foundation
import Networking
import Testing

/// `URLSession` uploads only files, so a stream goes through a temporary one.
@Suite("Temporary files of uploads", .timeLimit(.minutes(10)))
struct TemporaryUploadTests {
    enum Ending: CaseIterable {
        case answer, cancellation, timeout
    }

    /// Part of each body, by which its file is found.
    private let marker = UUID().uuidString

    /// The permissions of the temporary files that hold the marker.
    private var permissions: [Int] {
        let manager = FileManager.default
        let files = (try? manager.contentsOfDirectory(at: manager.temporaryDirectory, includingPropertiesForKeys: nil))
        return (files ?? []).filter { $0.lastPathComponent.hasPrefix("upload-") || $0.pathExtension == "part" }
            .compactMap { file in
                guard (try? Data(contentsOf: file))?.range(of: Data(marker.utf8)) != nil else { return nil }
                return try? manager.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            }
    }

    /// Looks for the file, again if another process changes the folder while it is listed.
    private func look(_ seen: Box<[Int]>) {
        for _ in 0..<1_000 where seen.value.isEmpty { seen.value = permissions }
    }

    @Test(
        "While a stream is sent, only its user can read its file, which no end leaves behind",
        arguments: Ending.allCases)
    func ends(with ending: Ending) async throws {
        let seen = Box<[Int]>([])
        let server = try RawServer { [self] _, send in
            look(seen)
            guard ending == .answer else { return .hold }
            send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let body = RequestBody.stream { [marker] in
            AsyncStream { continuation in
                continuation.yield(Data(marker.utf8))
                continuation.finish()
            }
        }
        var request = TransportRequest(method: .POST, url: server.url, body: body, timeout: .seconds(600))
        if ending == .timeout { request.totalTimeout = .seconds(1) }
        let upload = Task { [request] in try await URLSessionTransport().send(request).status }
        if ending == .cancellation {
            await eventually { !seen.value.isEmpty }
            upload.cancel()
        }
        let result = await upload.result
        // A time limit does not wait for the end of what is too late.
        await eventually("the file is gone") { permissions.isEmpty }
        switch ending {
        case .answer: #expect(try result.get() == 204)
        case .cancellation: #expect(throws: CoreError.cancelled) { try result.get() }
        case .timeout:
            let late = NetworkFailure(.timedOut, url: server.url.absoluteString)
            #expect(throws: CoreError.network(late)) { try result.get() }
        }
        // The time may be over before the server has looked.
        if ending != .timeout || !seen.value.isEmpty { #expect(seen.value == [0o600]) }
    }

    @Test("A stream that fails leaves nothing behind, and other users could not read what had come of it")
    func failingStream() async throws {
        struct Broken: Error {}
        let seen = Box<[Int]>([])
        let body = RequestBody.stream { [self] in
            let isWritten = Box(false)
            return AsyncThrowingStream<Data, any Error> {
                guard isWritten.value else {
                    isWritten.value = true
                    return Data(marker.utf8)
                }
                look(seen)
                throw Broken()
            }
        }
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = await failure { () async throws(CoreError) in
            try await URLSessionTransport().send(TransportRequest(method: .POST, url: url, body: body))
        }
        guard case .request = error else { return recordUnexpected(error) }
        #expect(seen.value == [0o600])
        #expect(permissions.isEmpty)
    }
}
