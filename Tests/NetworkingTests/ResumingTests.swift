import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// A download that was cut goes on where it ended, and never mixes two versions of a file.
@Suite("Resumed downloads")
struct ResumingTests {
    private static let content = Array("The quick brown fox jumps over it.".utf8)
    private static let other = Array("A lazy dog sleeps, and does not care".utf8)
    private static let tag = "ETag: \"a\"\r\n"

    private typealias Answer = @Sendable (RawServer.Request) -> [UInt8]

    /// The whole file, or its beginning.
    private static func whole(
        _ content: [UInt8] = content, fields: String = tag, cut: Int = .max
    ) -> Answer {
        { _ in
            Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(content.count)\r\n\r\n".utf8) + content.prefix(cut)
        }
    }

    /// The part that is asked for, up to a number of bytes; the whole file if no part is asked for.
    private static func part(_ content: [UInt8] = content, fields: String = tag, cut: Int = .max) -> Answer {
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

    private static func answer(_ head: String, _ body: [UInt8] = []) -> Answer {
        { _ in Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body }
    }

    private static func field(_ name: String, of request: RawServer.Request) -> String? {
        request.head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }

    private static func start(of request: RawServer.Request) -> Int? {
        field("Range", of: request).flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    /// A server that gives these answers to one connection after the other, and the last one from then on.
    private func server(_ answers: [Answer]) throws -> RawServer {
        try RawServer { request, send in
            send(answers[min(request.connection, answers.count - 1)](request))
            return .close
        }
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "resuming-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "file"))
    }

    private func names(beside file: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path())
    }

    private func request(
        _ server: RawServer, to file: URL, path: String = "file", limit: Int = .max
    ) -> TransportRequest {
        TransportRequest(
            url: server.url.appending(path: path), timeout: .seconds(600), destination: .file(file, limit: limit))
    }

    private func expectCut(
        sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws(CoreError) -> TransportResponse
    ) async {
        let error = await failure(of: work)
        guard case .network(let failure)? = error, failure.reason == .connectionLost else {
            return recordUnexpected(error, sourceLocation: sourceLocation)
        }
    }

    /// Downloads after the first answer was cut within its body, and returns the starts that the requests asked for.
    private func starts(
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

    /// Something that differs between the first request and the second one.
    enum Difference: CaseIterable { case url, accept, user, namelessUser, conditional, damagedNote, shortPart }

    @Test("A part of something else is not continued", arguments: Difference.allCases)
    func somethingElse(difference: Difference) async throws {
        let server = try server([Self.whole(cut: 7), Self.whole()])
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport().resuming()
        try await withFile { file in
            var (first, second) = (request(server, to: file), request(server, to: file))
            if difference == .user { first.authorize(with: .bearer("a", user: "anna")) }
            if difference == .namelessUser { first.authorize(with: .bearer("a")) }
            await expectCut { [first] () async throws(CoreError) in try await transport.send(first) }
            switch difference {
            case .url: second.url.append(queryItems: [URLQueryItem(name: "page", value: "2")])
            case .accept: second.headers["Accept"] = "text/plain"
            case .user: second.authorize(with: .bearer("b", user: "ben"))
            case .namelessUser: second.authorize(with: .bearer("a"))
            case .conditional: second.headers["If-None-Match"] = "\"b\""
            case .damagedNote, .shortPart:
                let name = try #require(
                    try names(beside: file).first { $0.hasSuffix(difference == .shortPart ? ".part" : ".resume") })
                let url = file.deletingLastPathComponent().appending(path: name)
                try Data(try Data(contentsOf: url).dropLast()).write(to: url)
            }
            _ = try await transport.send(second)
            #expect(try Data(contentsOf: file) == Data(Self.content))
        }
        #expect(server.requests.map(Self.start) == [nil, nil])
    }

    @Test("A cancelled download goes on, and its progress counts what was there")
    func cancelled() async throws {
        let server = try RawServer { request, send in
            send((request.connection == 0 ? Self.whole(cut: 7) : Self.part())(request))
            return request.connection == 0 ? .hold : .close
        }
        defer { withExtendedLifetime(server) {} }
        let (transport, received) = (DefaultTransport().resuming(), Box<[TransferProgress]>([]))
        try await withFile { file in
            var request = request(server, to: file)
            request.authorize(with: .bearer("a", user: "anna"))
            request.progress = { progress in received.update { $0.append(progress) } }
            let download = Task { [request] in
                await failure { () async throws(CoreError) in try await transport.send(request) }
            }
            await eventually { received.value.last?.bytesReceived == 7 }
            // The bytes may still be on their way to the file.
            await eventually { [folder = file.deletingLastPathComponent()] in
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
                return names.contains { (try? Data(contentsOf: folder.appending(path: $0)).count) == 7 }
            }
            download.cancel()
            #expect(await download.value == .cancelled)
            // With another token of the same user.
            request.authorize(with: .bearer("b", user: "anna"))
            _ = try await transport.send(request)
            #expect(try Data(contentsOf: file) == Data(Self.content))
        }
        #expect(server.requests.map(Self.start) == [nil, 7])
        #expect(received.value.last?.bytesReceived == 34 && received.value.last?.bytesToReceive == 34)
    }

    @Test("Downloads to one file at the same time do not disturb each other")
    func atOnce() async throws {
        let server = try RawServer { request, send in
            send(Array(Self.part()(request).dropLast(3)))
            if request.connection < 8 { return request.connection % 2 == 0 ? .close : .reset }
            send(Array(Self.content.suffix(3)))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let policy = RetryPolicy(maximumAttempts: 100, firstDelay: .milliseconds(1))
        let transport = DefaultTransport().resuming().retrying(policy)
        try await withFile { file in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let error = await failure { () async throws(CoreError) in
                            try await transport.send(request(server, to: file))
                        }
                        #expect(error == nil)
                        #expect((try? Data(contentsOf: file)) == Data(Self.content))
                    }
                }
            }
            let names = try names(beside: file)
            #expect(names == ["file"])
        }
    }

    @Test("The limit is one of the whole file", arguments: [33, 34])
    func limit(limit: Int) async throws {
        let server = try server([Self.whole(cut: 7), Self.part()])
        defer { withExtendedLifetime(server) {} }
        let transport = DefaultTransport().resuming()
        try await withFile { file in
            await expectCut { () async throws(CoreError) in try await transport.send(request(server, to: file)) }
            let error = await failure { () async throws(CoreError) in
                try await transport.send(request(server, to: file, limit: limit))
            }
            guard limit < 34 else {
                #expect(error == nil)
                return
            }
            guard case .network(let failure)? = error else { return recordUnexpected(error) }
            #expect(failure.reason == .bodyTooLarge(limit: limit))
            #expect(!FileManager.default.fileExists(atPath: file.path()))
        }
    }

    @Test("Canned answers, empty ones and other destinations are as without it")
    func otherTransports() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        try await withFile { file in
            for body in [Data("canned".utf8), Data()] {
                let stub = StubTransport { request throws(CoreError) in
                    let kept = try request.destination.deliver(body, status: 200, from: request.url)
                    return try TransportResponse(status: 200, body: kept, url: request.url)
                }
                _ = try await stub.resuming().send(TransportRequest(url: url, destination: .file(file)))
                #expect(try Data(contentsOf: file) == body)
                let response = try await stub.resuming().send(TransportRequest(url: url))
                #expect(response.body == body)
            }
            #expect(try names(beside: file) == ["file"])
        }
    }
}

extension TransportKind {
    /// The transport that is the default of the system.
    fileprivate static var curlOrSession: TransportKind { survivors[0] }
}
