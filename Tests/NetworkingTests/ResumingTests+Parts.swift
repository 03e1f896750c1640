import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// The part that a download leaves, and the downloads that may go on with it.
extension ResumingTests {
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

    @Test("A download that is redirected goes on, as long as the redirect leads to the same URL")
    func redirected() async throws {
        let server = try RawServer { request, send in
            if request.path == "/file" {
                send(Array("HTTP/1.1 302 Found\r\nLocation: /real\r\nContent-Length: 0\r\n\r\n".utf8))
            } else {
                send(Self.part(cut: 7)(request))
            }
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(environment: BackendEnvironment(name: "raw", services: [:])) {
            $0.transport = DefaultTransport().resuming()
        }
        let resource = BackendResource<Void, Void, NoAuth>(
            path: .absolute(server.url.appending(path: "file")), method: .GET)
        try await withFile { file in
            for _ in 0..<4 {
                _ = await failure { () async throws(CoreError) in try await session.download(resource, to: file) }
            }
            try await session.download(resource, to: file)
            #expect(try Data(contentsOf: file) == Data(Self.content))
            #expect(try names(beside: file) == ["file"])
        }
        #expect(server.requests.filter { $0.path == "/real" }.map(Self.start) == [nil, 7, 14, 21, 28])
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

    @Test("A download that cannot be moved to its place fails, and leaves nothing beside it")
    func unmovable() async throws {
        let server = try server([Self.whole()])
        defer { withExtendedLifetime(server) {} }
        try await withFile { file in
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            let error = await failure { () async throws(CoreError) in
                try await DefaultTransport().resuming().send(request(server, to: file))
            }
            guard case .network(let failure)? = error else { return recordUnexpected(error) }
            #expect(failure.reason == .cannotWriteFile && failure.url == file.path(percentEncoded: false))
            #expect(!failure.detail.isEmpty)
            #expect(try names(beside: file) == ["file"])
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

    /// A file that changes at any moment, on a server that cuts its answers, and reads `Range` and `If-Range` as it likes.
    private final class RestlessFile: Sendable {
        private let numbers: Locked<SeededGenerator>
        private let version = Box<UInt8>(0)

        init(seed: UInt64) { numbers = Locked(SeededGenerator(seed: seed)) }

        static func content(_ version: UInt8) -> [UInt8] {
            [UInt8](repeating: version, count: 20 + Int(version / 4 % 7))
        }

        func answer(to request: RawServer.Request) -> [UInt8] {
            let (change, habit, cut) = numbers.withLock { numbers in
                (
                    Int.random(in: 0..<5, using: &numbers), Int.random(in: 0..<4, using: &numbers),
                    Int.random(in: 0..<40, using: &numbers)
                )
            }
            let version = version.update { version in
                if change == 0 { version &+= 1 }
                return version
            }
            let (content, tag) = (Self.content(version), "\"\(version)\"")
            let isSame = ResumingTests.field("If-Range", of: request) == tag
            let start = ResumingTests.start(of: request) ?? 0
            let takesRange = habit == 0 ? false : habit == 1 ? true : isSame
            let answer =
                takesRange && start < content.count
                ? ResumingTests.part(content, fields: "ETag: \(tag)\r\n", cut: cut)
                : ResumingTests.whole(content, fields: "ETag: \(tag)\r\n", cut: cut)
            return answer(request)
        }
    }

    @Test("Whatever the server does, the file is one version of it, from its first byte to its last", arguments: 0..<20)
    func oneVersion(seed: UInt64) async throws {
        let restless = RestlessFile(seed: seed)
        let server = try RawServer { request, send in
            send(restless.answer(to: request))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let policy = RetryPolicy(maximumAttempts: 1_000, firstDelay: .milliseconds(1))
        let transport = DefaultTransport().resuming().retrying(policy)
        try await withFile { file in
            for _ in 0..<5 {
                _ = try await transport.send(request(server, to: file))
                let bytes = [UInt8](try Data(contentsOf: file))
                #expect(bytes == RestlessFile.content(try #require(bytes.first)))
            }
        }
    }
}

/// Numbers that are the same for the same seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
