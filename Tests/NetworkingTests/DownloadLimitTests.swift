import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

/// A server cannot fill the disk if the app sets a limit.
@Suite("Limits of downloads")
struct DownloadLimitTests {
    /// An answer, or its beginning: the server then sends nothing more, and leaves the connection open.
    struct Answer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ fields: String, _ body: Data) {
            testDescription = name
            bytes = Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8) + body
        }

        static let tooLong = [
            Answer("Announced", "Content-Length: 1000000000000\r\n", Data([1])),
            Answer("Announced, by one byte", "Content-Length: 1001\r\n", Data([1])),
            Answer("In a chunk", "Transfer-Encoding: chunked\r\n", Data("3e9\r\n".utf8) + Data(count: 1_001)),
            Answer(
                "In several chunks", "Transfer-Encoding: chunked\r\n",
                Data("3e8\r\n".utf8) + Data(count: 1_000) + Data("\r\n1\r\n1\r\n".utf8)),
            Answer("Without a length", "", Data(count: 1_001)),
            Answer(
                "Packed", "Content-Encoding: gzip\r\nContent-Length: 999\r\n",
                Data(base64Encoded: gzippedZeros) ?? Data()),
        ]
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(
        "A body beyond the limit ends at once, and leaves the folder as it was", arguments: TransportKind.allCases,
        Answer.tooLong)
    func tooLong(kind: TransportKind, answer: Answer) async throws {
        let server = try RawServer { _, send in
            send(answer.bytes)
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            try Data("old".utf8).write(to: file)
            let request = TransportRequest(
                url: server.url, timeout: .seconds(600), destination: .file(file, limit: 1_000))
            let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .bodyTooLarge(limit: 1_000) && failure.url == server.url.absoluteString)
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            await eventually("nothing else is left in the folder") {
                (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) == ["file"]
            }
        }
    }

    @Test(
        "A body as long as the limit is stored", arguments: TransportKind.allCases,
        ["Content-Length: 1000\r\n", ""])
    func longEnough(kind: TransportKind, fields: String) async throws {
        let server = try RawServer(answering: Answer("", fields, Data(count: 1_000)).bytes)
        defer { withExtendedLifetime(server) {} }
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            let request = TransportRequest(url: server.url, destination: .file(file, limit: 1_000))
            _ = try await kind.make().send(request)
            #expect(try Data(contentsOf: file) == Data(count: 1_000))
        }
    }

    @Test("A limit below zero allows an empty file")
    func negative() async throws {
        let server = try RawServer(answering: Answer("", "Content-Length: 0\r\n", Data()).bytes)
        defer { withExtendedLifetime(server) {} }
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            let request = TransportRequest(url: server.url, destination: .file(file, limit: -1))
            _ = try await DefaultTransport().send(request)
            #expect(try Data(contentsOf: file).isEmpty)
        }
    }

    @Test(
        "A 204 is an empty file, as an empty 200 is", arguments: TransportKind.allCases, ["200 OK", "204 No Content"])
    func noContent(kind: TransportKind, status: String) async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8))
        defer { withExtendedLifetime(server) {} }
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            try Data("old".utf8).write(to: file)
            _ = try await kind.make().send(TransportRequest(url: server.url, destination: .file(file)))
            #expect(try Data(contentsOf: file).isEmpty)
        }
    }

    @Test("The session's limit holds for both forms of a download")
    func session() async throws {
        try await withBackend(configure: { $0.maximumDownloadSize = 1_000 }) { backend, session in
            let length = Box(1_001)
            backend.get("/data") { _ in .data(Data(count: length.value), contentType: "image/png") }
            let data = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/data"), method: .GET)
            try await withFolder { folder in
                let file = folder.appending(path: "file")
                let producer: SignalProducer<Never, CoreError> = session.download(data, to: file)
                let errors = [
                    await failure { () async throws(CoreError) in try await session.download(data, to: file) },
                    await failure { () async throws(CoreError) in try await producer.wait() },
                ]
                for error in errors {
                    guard case .network(let failure) = error else { return recordUnexpected(error) }
                    #expect(failure.reason == .bodyTooLarge(limit: 1_000))
                }
                length.value = 1_000
                try await session.download(data, to: file)
                #expect(try Data(contentsOf: file).count == 1_000)
            }
        }
    }

    @Test("A body that a transport has in memory is held to the limit of a file")
    func inMemory() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "file")
            let url = try #require(URL(string: "https://api.example.com/v1?token=secret"))
            let error = await failure { () async throws(CoreError) in
                try TransportRequest.Destination.file(file, limit: 4).deliver(Data(count: 5), status: 200, from: url)
            }
            #expect(error == .network(NetworkFailure(.bodyTooLarge(limit: 4), url: "https://api.example.com/v1")))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
            let kept = try TransportRequest.Destination.file(file, limit: 4)
                .deliver(Data(count: 4), status: 200, from: url)
            #expect(kept.isEmpty)
            #expect(try Data(contentsOf: file) == Data(count: 4))
        }
    }

    @Test("A body that is as long as the limit is there", arguments: TransportKind.allCases)
    func exact(kind: TransportKind) async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345".utf8))
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(url: server.url, destination: .memory(limit: 5))
        #expect(try await kind.make().send(request).body == Data("12345".utf8))
    }
}
