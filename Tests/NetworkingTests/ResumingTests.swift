import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// A download that was cut goes on where it ended, and never mixes two versions of a file.
@Suite("Resumed downloads")
struct ResumingTests {
    static let content = Array("The quick brown fox jumps over it.".utf8)
    static let other = Array("A lazy dog sleeps, and does not care".utf8)
    static let tag = "ETag: \"a\"\r\n"

    typealias Answer = @Sendable (RawServer.Request) -> [UInt8]

    /// The whole file, or its beginning.
    static func whole(
        _ content: [UInt8] = content, fields: String = tag, cut: Int = .max
    ) -> Answer {
        { _ in
            Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(content.count)\r\n\r\n".utf8) + content.prefix(cut)
        }
    }

    /// The part that is asked for, up to a number of bytes; the whole file if no part is asked for.
    static func part(_ content: [UInt8] = content, fields: String = tag, cut: Int = .max) -> Answer {
        { request in
            guard let start = start(of: request) else { return whole(content, fields: fields, cut: cut)(request) }
            let rest = content[start...]
            return Array(
                """
                HTTP/1.1 206 Partial Content\r\n\(fields)Content-Length: \(rest.count)\r\n\
                Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)\r\n\r\n
                """.utf8) + rest.prefix(cut)
        }
    }

    static func answer(_ head: String, _ body: [UInt8] = []) -> Answer {
        { _ in Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body }
    }

    static func field(_ name: String, of request: RawServer.Request) -> String? {
        request.head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }

    static func start(of request: RawServer.Request) -> Int? {
        field("Range", of: request).flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    /// A server that gives these answers to one connection after the other, and the last one from then on.
    func server(_ answers: [Answer]) throws -> RawServer {
        try RawServer { request, send in
            send(answers[min(request.connection, answers.count - 1)](request))
            return .close
        }
    }

    func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "resuming-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "file"))
    }

    func names(beside file: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
    }

    func request(
        _ server: RawServer, to file: URL, path: String = "file", limit: Int = .max
    ) -> TransportRequest {
        TransportRequest(
            url: server.url.appending(path: path), timeout: .seconds(600), destination: .file(file, limit: limit))
    }

    func expectCut(
        sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws(CoreError) -> TransportResponse
    ) async {
        let error = await failure(of: work)
        guard case .network(let failure)? = error, failure.reason == .connectionLost else {
            return recordUnexpected(error, sourceLocation: sourceLocation)
        }
    }

    /// Downloads after the first answer was cut within its body, and returns the starts that the requests asked for.
    func starts(
        _ answers: [Answer], kind: TransportKind = .curlOrSession, becomes expected: [UInt8] = content,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Int?] {
        let server = try server(answers)
        defer { withExtendedLifetime(server) {} }
        let transport = kind.make().resuming()
        try await withFile { file in
            await expectCut(sourceLocation: sourceLocation) { () async throws(CoreError) in
                try await transport.send(request(server, to: file))
            }
            let response = try await transport.send(request(server, to: file))
            #expect(response.status == 200 && response.body.isEmpty, sourceLocation: sourceLocation)
            #expect(response.header("Content-Range") == nil, sourceLocation: sourceLocation)
            #expect(try Data(contentsOf: file) == Data(expected), sourceLocation: sourceLocation)
            #expect(try names(beside: file) == ["file"], sourceLocation: sourceLocation)
        }
        return server.requests.map(Self.start)
    }

    @Test("A download that is cut at any byte goes on from there", arguments: TransportKind.allCases)
    func everyByte(kind: TransportKind) async throws {
        for cut in 0..<Self.content.count {
            let starts = try await starts([Self.whole(cut: cut), Self.part()], kind: kind)
            #expect(starts == [nil, cut == 0 ? nil : cut])
        }
    }

    #if os(Linux)
    @Test("A download goes on while a program that is about to start holds the part")
    func heldPart() async throws {
        let server = try server([Self.whole(cut: 5), Self.part()])
        defer { withExtendedLifetime(server) {} }
        try await withFile { file in
            let copies = Box<[Int32]>([])
            defer { copies.value.forEach { close($0) } }
            var request = request(server, to: file)
            let path = file.deletingLastPathComponent().path()
            request.progress = { _ in
                // As a fork does, which copies all of a process.
                for number in try! FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                    Int32.init)
                {
                    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                    if link?.hasPrefix(path) == true { copies.update { $0.append(dup(number)) } }
                }
            }
            let transport = DefaultTransport().resuming()
            await expectCut { [request] () async throws(CoreError) in try await transport.send(request) }
            #expect(!copies.value.isEmpty)
            request.progress = nil
            _ = try await transport.send(request)
            #expect(try Data(contentsOf: file) == Data(Self.content))
            #expect(server.requests.map(Self.start) == [nil, 5])
        }
    }
    #endif

    @Test("With retries, a server that cuts each answer after some bytes is asked until all have come")
    func retries() async throws {
        let server = try server([Self.part(cut: 5)])
        defer { withExtendedLifetime(server) {} }
        let policy = RetryPolicy(maximumAttempts: 100, firstDelay: .milliseconds(1))
        try await withFile { file in
            try Data("old".utf8).write(to: file)
            _ = try await DefaultTransport().resuming().retrying(policy).send(request(server, to: file))
            #expect(try Data(contentsOf: file) == Data(Self.content))
            #expect(try names(beside: file) == ["file"])
        }
        #expect(server.requests.map(Self.start) == [nil, 5, 10, 15, 20, 25, 30])
        #expect(server.requests.dropFirst().allSatisfy { Self.field("If-Range", of: $0) == "\"a\"" })
    }

    @Test("A file that has changed begins anew")
    func changed() async throws {
        let changed = Self.whole(Self.other, fields: "ETag: \"b\"\r\n")
        #expect(try await starts([Self.whole(cut: 7), changed], becomes: Self.other) == [nil, 7])
    }

    @Test("A server that ignores Range begins anew")
    func ignored() async throws {
        #expect(try await starts([Self.whole(cut: 7), Self.whole()]) == [nil, 7])
    }

    @Test(
        "A part that is not surely the missing one is not taken; the file is asked for as a whole",
        arguments: [
            "ETag: \"b\"\r\nContent-Range: bytes 7-33/34", "Content-Range: bytes 7-33/34",
            "ETag: W/\"a\"\r\nContent-Range: bytes 7-33/34", "ETag: \"a\"\r\nContent-Range: bytes 6-33/34",
            "ETag: \"a\"\r\nContent-Range: bytes 0-33/34", "ETag: \"a\"\r\nContent-Range: bytes 7-33/35",
            "ETag: \"a\"\r\nContent-Range: bytes 7-33/*", "ETag: \"a\"\r\nContent-Range: bytes */34", "ETag: \"a\"",
            "ETag: \"a\"\r\nContent-Range: bytes 7-99999999999999999999/34",
            "ETag: \"a\"\r\nContent-Range: bytes 7-34/34", "ETag: \"a\"\r\nContent-Range: lines 7-33/34",
            "ETag: \"a\"\r\nContent-Type: multipart/byteranges; boundary=x",
        ])
    func wrongPart(fields: String) async throws {
        let wrong = Self.answer("206 Partial Content\r\n\(fields)", Array(Self.other.prefix(27)))
        #expect(try await starts([Self.whole(cut: 7), wrong, Self.part()]) == [nil, 7, nil])
    }

    @Test("After a 416 the file is asked for as a whole", arguments: ["", "\r\nContent-Range: bytes */7"])
    func notSatisfiable(field: String) async throws {
        let refusal = Self.answer("416 Range Not Satisfiable\(field)")
        #expect(try await starts([Self.whole(cut: 7), refusal, Self.part()]) == [nil, 7, nil])
    }

    @Test(
        "Without a sure version a download begins anew",
        arguments: [
            "", "ETag: W/\"a\"\r\n", "ETag: a\r\n", "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\n",
            "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nDate: Mon, 02 Nov 2026 10:00:59 GMT\r\n",
            "ETag: W/\"a\"\r\nLast-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nDate: Mon, 02 Nov 2026 11:00:00 GMT\r\n",
        ])
    func noVersion(fields: String) async throws {
        #expect(try await starts([Self.whole(fields: fields, cut: 7), Self.part(fields: fields)]) == [nil, nil])
    }

    @Test("The time of the last change is a version, if it was long before the answer")
    func lastModified() async throws {
        let fields = "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT\r\nDate: Mon, 02 Nov 2026 10:01:00 GMT\r\n"
        #expect(try await starts([Self.whole(fields: fields, cut: 7), Self.part(fields: fields)]) == [nil, 7])
    }

    @Test("A part that is shorter than the rest is kept, and does not pass for the whole")
    func shortPart() async throws {
        let short = Self.answer(
            "206 Partial Content\r\n\(Self.tag)Content-Range: bytes 7-9/34", Array(Self.content[7...9]))
        let server = try server([Self.whole(cut: 7), short, Self.part()])
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport().resuming()
        try await withFile { file in
            for _ in 0..<2 {
                await expectCut { () async throws(CoreError) in try await transport.send(request(server, to: file)) }
            }
            _ = try await transport.send(request(server, to: file))
            #expect(try Data(contentsOf: file) == Data(Self.content))
        }
        #expect(server.requests.map(Self.start) == [nil, 7, 10])
    }

    @Test(
        "A refusal that may pass keeps the part; one that says that the file is gone does not", arguments: [503, 404])
    func refusal(status: Int) async throws {
        let server = try server([Self.whole(cut: 7), Self.answer("\(status) No", [1]), Self.part()])
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport().resuming()
        try await withFile { file in
            await expectCut { () async throws(CoreError) in try await transport.send(request(server, to: file)) }
            let refusal = try await transport.send(request(server, to: file))
            #expect(refusal.status == status && refusal.body == Data([1]))
            #expect(try names(beside: file).count == (status == 503 ? 2 : 0))
            _ = try await transport.send(request(server, to: file))
            #expect(try Data(contentsOf: file) == Data(Self.content))
        }
        #expect(server.requests.map(Self.start) == [nil, 7, status == 503 ? 7 : nil])
    }
}

extension TransportKind {
    /// The transport that is the default of the system.
    static var curlOrSession: TransportKind { survivors[0] }
}
