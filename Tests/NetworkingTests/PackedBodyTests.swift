#if os(Linux)
import FeedbackTesting
import Foundation
import Networking
import Testing

/// Answers whose bodies are packed with gzip, all of them or only a part.
@Suite("Packed bodies", .timeLimit(.minutes(5)))
struct PackedBodyTests {
    /// The ways in which an answer tells where its body ends.
    enum Framing: CaseIterable {
        case length, chunks, closing, http10

        func answer(_ body: Data) -> [UInt8] {
            let head = "200 OK\r\nContent-Encoding: gzip\r\n"
            switch self {
            case .length: return Array("HTTP/1.1 \(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
            case .closing: return Array("HTTP/1.1 \(head)\r\n".utf8) + body
            case .http10: return Array("HTTP/1.0 \(head)\r\n".utf8) + body
            case .chunks:
                let chunks = body.flatMap { Array("1;x=\"0\"\r\n".utf8) + [$0] + Array("\r\n".utf8) }
                return Array("HTTP/1.1 \(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + chunks
                    + Array("0\r\nX-Sum: 7\r\n\r\n".utf8)
            }
        }
    }

    enum Kind: CaseIterable { case memory, file, stream }

    private let text = #"[{"id":1,"name":"London"}]"#
    private let packed: Data

    init() throws {
        packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA4uuVspMUbIy1FHKS8xNVbJS8snPS8nPU6qNBQB3/rW8GgAAAA=="))
    }

    /// Returns the body that arrives.
    private func body(from server: RawServer, as kind: Kind) async throws -> Data {
        var request = TransportRequest(url: server.url)
        switch kind {
        case .memory: return try await CurlTransport().send(request).body
        case .file:
            let file = FileManager.default.temporaryDirectory.appending(path: "packed-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            request.destination = .file(file)
            do {
                _ = try await CurlTransport().send(request)
            } catch {
                #expect(!FileManager.default.fileExists(atPath: file.path))
                throw error
            }
            return try Data(contentsOf: file)
        case .stream:
            let session = BackendSession(environment: BackendEnvironment(name: "raw", services: [:])) {
                $0.transport = CurlTransport()
            }
            let resource = BackendResource<Void, Void, NoAuth>(path: .absolute(server.url), method: .GET)
            var data = Data()
            for try await piece in session.stream(resource) { data += piece }
            return data
        }
    }

    @Test("A body with its end is unpacked, however it is sent", arguments: Framing.allCases, Kind.allCases)
    func whole(framing: Framing, kind: Kind) async throws {
        let zeros = try #require(Data(base64Encoded: gzippedZeros))
        for (packed, unpacked) in [(packed, Data(text.utf8)), (zeros, Data(count: 200_000)), (Data(), Data())] {
            let server = try RawServer(answering: framing.answer(packed))
            defer { withExtendedLifetime(server) {} }
            #expect(try await body(from: server, as: kind) == unpacked)
        }
    }

    @Test(
        "A body without its end is a lost connection, although the message has one", arguments: Framing.allCases,
        Kind.allCases)
    func cut(framing: Framing, kind: Kind) async throws {
        for count in [1, 10, 18, packed.count - 9, packed.count - 8, packed.count - 4, packed.count - 1] {
            let server = try RawServer(answering: framing.answer(packed.prefix(count)))
            defer { withExtendedLifetime(server) {} }
            do {
                _ = try await body(from: server, as: kind)
                Issue.record("\(count) bytes of \(packed.count) are a success.")
            } catch let error as CoreError {
                guard case .network(let failure) = error else { return recordUnexpected(error) }
                #expect(failure.reason == .connectionLost)
                #expect(failure.detail == "The body, which is packed with gzip, has no end.")
            }
        }
    }
}
#endif
