import FeedbackTesting
import Foundation
import Networking
import Testing

/// An answer as a server sends it, and the outcome that is expected of a transport.
struct RawAnswer: Sendable, CustomTestStringConvertible {
    enum Expectation: Sendable {
        case body(String, status: Int)
        case failure
        /// Any outcome is right: transports differ here.
        case anything
    }

    let name: String
    let bytes: [UInt8]
    let expected: Expectation
    var method = HTTPMethod.GET
    /// False if this answer crashes `URLSession` on Linux.
    var isSurvivable = true

    init(
        _ name: String, _ text: String, _ expected: Expectation, method: HTTPMethod = .GET, isSurvivable: Bool = true
    ) {
        (self.name, self.bytes, self.expected, self.method) = (name, Array(text.utf8), expected, method)
        self.isSurvivable = isSurvivable
    }

    var testDescription: String { name }

    var headLength: Int {
        String(decoding: bytes, as: UTF8.self).range(of: "\r\n\r\n").map { end in
            String(decoding: bytes, as: UTF8.self)[..<end.upperBound].utf8.count
        } ?? bytes.count
    }

    static let all: [RawAnswer] = [
        RawAnswer("with a length", ok("Content-Length: 5", "hello"), .body("hello", status: 200)),
        RawAnswer("with a length of 0", ok("Content-Length: 0", ""), .body("", status: 200)),
        RawAnswer("chunked", ok(chunked, "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"), .body("hello", status: 200)),
        RawAnswer(
            "chunked with extensions", ok(chunked, "5;a=b\r\nhello\r\n0\r\n\r\n"), .body("hello", status: 200)),
        RawAnswer(
            "chunked with trailers", ok(chunked, "5\r\nhello\r\n0\r\nX-Sum: 7\r\nContent-Length: 9\r\n\r\n"),
            .body("hello", status: 200), isSurvivable: false),
        RawAnswer("chunked with a bad size", ok(chunked, "5\r\nhello\r\nzz\r\nhello\r\n0\r\n\r\n"), .failure),
        RawAnswer("without a length", ok("X: y", "hello"), .body("hello", status: 200)),
        RawAnswer(
            "after 100 Continue", "HTTP/1.1 100 Continue\r\n\r\n" + ok("Content-Length: 5", "hello"),
            .body("hello", status: 200), isSurvivable: false),
        RawAnswer(
            "after early hints",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n"
                + ok("Content-Length: 5", "hello"),
            .body("hello", status: 200), isSurvivable: false),
        RawAnswer(
            "a redirect", "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 4\r\n\r\ngone",
            .body("gone", status: 302)),
        RawAnswer(
            "a redirect to nowhere", "HTTP/1.1 302 Found\r\nLocation: http://[bad\r\nContent-Length: 0\r\n\r\n",
            .body("", status: 302), isSurvivable: false),
        RawAnswer(
            "a redirect to a port beyond all numbers",
            "HTTP/1.1 302 Found\r\nLocation: http://a:99999999999/\r\nContent-Length: 0\r\n\r\n",
            .body("", status: 302), isSurvivable: false),
        RawAnswer("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello", .body("hello", status: 200)),
        RawAnswer(
            "HTTP/1.0 kept alive", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
            .body("hello", status: 200)),
        RawAnswer("204 with a body", "HTTP/1.1 204 No Content\r\n\r\nhello", .body("", status: 204)),
        RawAnswer(
            "204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", .anything),
        RawAnswer("304 with a body", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\nhello", .body("", status: 304)),
        RawAnswer("to HEAD", ok("Content-Length: 5", ""), .body("", status: 200), method: .HEAD),
        RawAnswer("to HEAD with a body", ok("Content-Length: 5", "hello"), .body("", status: 200), method: .HEAD),
        RawAnswer("with a length that is too large", ok("Content-Length: 9", "hello"), .failure),
        RawAnswer(
            "with a length that is too small", ok("Content-Length: 2", "hello"), .body("he", status: 200)),
        RawAnswer("with a negative length", ok("Content-Length: -1", "hello"), .anything),
        RawAnswer("with a length that is no number", ok("Content-Length: five", "hello"), .anything),
        RawAnswer("with a length beyond all numbers", ok("Content-Length: 99999999999999999999", "hello"), .anything),
        RawAnswer(
            "with two equal lengths", ok("Content-Length: 5\r\nContent-Length: 5", "hello"), .anything),
        RawAnswer("with two lengths", ok("Content-Length: 5\r\nContent-Length: 4", "hello"), .anything),
        RawAnswer(
            "with a length and chunks", ok("Content-Length: 99\r\n" + chunked, "5\r\nhello\r\n0\r\n\r\n"),
            .body("hello", status: 200)),
        RawAnswer("with two types", ok("Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0", ""), .anything),
        RawAnswer(
            "with a folded field", ok("X: a\r\n  b\r\nContent-Length: 5", "hello"), .anything, isSurvivable: false),
        RawAnswer("with line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", .anything),
        RawAnswer("with an unknown status", "HTTP/1.1 799 Odd\r\nContent-Length: 5\r\n\r\nhello", .anything),
        RawAnswer("that switches protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhello", .anything),
        RawAnswer("with an unknown coding", ok("Content-Encoding: odd\r\nContent-Length: 5", "hello"), .anything),
        RawAnswer("with a challenge", unauthorized, .body("no", status: 401)),
        RawAnswer(
            "two answers", ok("Content-Length: 2", "hi") + ok("Content-Length: 2", "ho"), .body("hi", status: 200)),
    ]

    private static let chunked = "Transfer-Encoding: chunked"
    private static let unauthorized =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"

    private static func ok(_ field: String, _ body: String) -> String { "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(body)" }
}

@Suite("Answers of every kind", .onOwnThread)
struct AnswerTests {
    /// A transport and an answer for it.
    private static let combinations: [(TransportKind, RawAnswer)] = TransportKind.allCases.flatMap { kind in
        RawAnswer.all.filter { $0.isSurvivable || TransportKind.survivors.contains(kind) }.map { (kind, $0) }
    }

    @Test("An answer is taken as it is meant", arguments: combinations)
    func whole(kind: TransportKind, answer: RawAnswer) async throws {
        let server = try RawServer(answering: answer.bytes)
        defer { withExtendedLifetime(server) {} }
        let result = await outcome(of: answer, at: server.url, with: kind.make())
        switch (answer.expected, result) {
        case (.body(let body, let status), .success(let response)):
            #expect(String(decoding: response.body, as: UTF8.self) == body)
            #expect(response.status == status)
        case (.body, .failure(let error)): Issue.record("\(error)")
        case (.failure, .success(let response)): Issue.record("\(response.status) with \(response.body.count) bytes")
        case (.failure, .failure), (.anything, _): break
        }
    }

    @Test(
        "An answer that is cut after any byte is a value or a typed error, and a whole one where its end is marked",
        arguments: TransportKind.survivors, RawAnswer.all)
    func cut(kind: TransportKind, answer: RawAnswer) async throws {
        let server = try RawServer { request, send in
            send(Array(answer.bytes.prefix(Int(request.path.dropFirst()) ?? 0)))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for count in 0..<answer.bytes.count {
            let result = await outcome(of: answer, at: server.url.appending(path: "\(count)"), with: transport)
            if count < answer.headLength, answer.bytes.starts(with: "HTTP/1.1 200".utf8) {
                #expect(throws: CoreError.self, "cut after \(count)") { try result.get() }
            }
        }
    }

    @Test("An answer that is reset after any byte is a value or a typed error", arguments: TransportKind.survivors)
    func reset(kind: TransportKind) async throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        let server = try RawServer { request, send in
            send(Array(bytes.prefix(Int(request.path.dropFirst()) ?? 0)))
            return .reset
        }
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make()
        for count in 0..<bytes.count {
            let request = TransportRequest(url: server.url.appending(path: "\(count)"), timeout: .seconds(60))
            let error = await failure { () async throws(CoreError) in try await transport.send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error, "reset after \(count)") }
            #expect(failure.reason == .connectionLost, "reset after \(count)")
        }
    }

    @Test("An answer that comes byte by byte is taken as it is meant", arguments: TransportKind.survivors)
    func trickled(kind: TransportKind) async throws {
        for answer in RawAnswer.all {
            guard case .body(let body, let status) = answer.expected else { continue }
            let server = try RawServer { _, send in
                for byte in answer.bytes { send([byte]) }
                return .close
            }
            defer { withExtendedLifetime(server) {} }
            let response = try await outcome(of: answer, at: server.url, with: kind.make()).get()
            #expect(String(decoding: response.body, as: UTF8.self) == body && response.status == status)
        }
    }

    @Test("Bytes after an answer are not taken for the next one", arguments: TransportKind.survivors)
    func leftovers(kind: TransportKind) async throws {
        let poisoned = [
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        ]
        for first in poisoned {
            let server = try RawServer { request, send in
                let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
                let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"
                send(Array((request.path == "/first" ? first + evil : good).utf8))
                return .keep
            }
            defer { withExtendedLifetime(server) {} }
            let transport = kind.make()
            _ = try await transport.send(TransportRequest(url: server.url.appending(path: "first")))
            let second = try await transport.send(TransportRequest(url: server.url.appending(path: "second")))
            #expect(String(decoding: second.body, as: UTF8.self) == "good", "after \(first)")
        }
    }

    @Test("A head without end is refused, and interim answers without end too", arguments: TransportKind.survivors)
    func endless(kind: TransportKind) async throws {
        for line in ["X: \(String(repeating: "y", count: 1_000))\r\n", "\r\nHTTP/1.1 103 Early Hints\r\n"] {
            let server = try RawServer { _, send in
                send(Array("HTTP/1.1 103 Early Hints\r\n".utf8))
                let lines = [UInt8](repeatElement(Array(line.utf8), count: 100).joined())
                for _ in 0..<200 { send(lines) }
                return .close
            }
            defer { withExtendedLifetime(server) {} }
            let request = TransportRequest(url: server.url, timeout: .seconds(60))
            let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .malformedAnswer)
        }
    }

    @Test(
        "A field that Foundation would parse for seconds is cut in its object, and whole elsewhere",
        arguments: ["Content-Type", "content-disposition"], ["a", "; a=b", "\"", "é"])
    func longField(name: String, unit: String) async throws {
        let value = "text/plain;" + String(repeating: unit, count: 80_000 / unit.utf8.count)
        let line = "\(name): \(value)\r\n"
        let server = try RawServer(
            answering: Array("HTTP/1.1 200 OK\r\n\(line)\(line)\(line)X-Long: \(value.prefix(9_000))\r\n\r\n".utf8))
        defer { withExtendedLifetime(server) {} }
        let answer = try await DefaultTransport().send(TransportRequest(url: server.url))
        #expect(answer.header(name) == [value, value, value].joined(separator: ", "))
        #if os(Linux)
        let cut = try #require(answer.head.value(forHTTPHeaderField: name))
        #expect(cut.unicodeScalars.count == 4_096 && value.hasPrefix(cut))
        #expect(answer.head.value(forHTTPHeaderField: "X-Long") == String(value.prefix(9_000)))
        #endif
    }

    @Test("A small body that unpacks to a huge one ends at the limit", arguments: TransportKind.survivors)
    func bomb(kind: TransportKind) async throws {
        let packed = try #require(Data(base64Encoded: gzippedZeros))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
        let server = try RawServer(answering: Array(head.utf8) + packed)
        defer { withExtendedLifetime(server) {} }
        let request = TransportRequest(url: server.url, destination: .memory(limit: 100_000))
        let error = await failure { () async throws(CoreError) in try await kind.make().send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .bodyTooLarge(limit: 100_000))
    }

    @Test(
        "A body that was asked for as a file is there, with each step of its progress",
        arguments: TransportKind.allCases)
    func file(kind: TransportKind) async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try RawServer(
            answering: Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
        defer { withExtendedLifetime(server) {} }
        let file = FileManager.default.temporaryDirectory.appending(path: "an answer \(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let steps = Box<[TransferProgress]>([])
        let request = TransportRequest(
            url: server.url, destination: .file(file), progress: { step in steps.update { $0.append(step) } })
        let answer = try await kind.make().send(request)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try Data(contentsOf: file) == body)
        #expect(steps.value.map(\.bytesReceived) == steps.value.map(\.bytesReceived).sorted())
        #expect(steps.value.last == TransferProgress(bytesReceived: 300_000, bytesToReceive: 300_000))
    }

    @Test("A file may have a name as long as a name can be", arguments: TransportKind.allCases)
    func longName(kind: TransportKind) async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
        defer { withExtendedLifetime(server) {} }
        let name = UUID().uuidString + String(repeating: "n", count: 255 - 36)
        let file = FileManager.default.temporaryDirectory.appending(path: name)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await kind.make().send(TransportRequest(url: server.url, destination: .file(file)))
        #expect(try Data(contentsOf: file) == Data("ok".utf8))
    }

    #if os(Linux)
    @Test("A part of a body is asked for as it is, since a part of a packed body cannot be unpacked")
    func range() async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\n\r\nok".utf8))
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        let transport = CurlTransport()
        _ = try await transport.send(TransportRequest(url: server.url, headers: ["Range": "bytes=0-1"]))
        _ = try await transport.send(TransportRequest(url: server.url))
        let heads = server.requests.map { $0.head.lowercased() }
        #expect(heads.map { $0.contains("accept-encoding: identity\r\n") } == [true, false])
        #expect(heads.map { $0.contains("gzip") } == [false, true])
    }
    #endif

    private func outcome(
        of answer: RawAnswer, at url: URL, with transport: any Transport
    ) async -> Result<TransportResponse, CoreError> {
        do throws(CoreError) {
            return .success(
                try await transport.send(TransportRequest(method: answer.method, url: url, timeout: .seconds(60))))
        } catch {
            return .failure(error)
        }
    }
}

/// 200,000 zeros.
let gzippedZeros =
    "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBc"
    + "QA0DAA=="
