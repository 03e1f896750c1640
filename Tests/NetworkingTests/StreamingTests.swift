import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

/// A body is read while it arrives, and no faster than its reader takes it.
@Suite("Streamed answers")
struct StreamingTests {
    private typealias Body = BackendResource<Void, Void, NoAuth>

    private let body = Body(path: .api(.core, "/body"), method: .GET)

    private func session(
        _ url: URL, _ transport: any Transport = DefaultTransport(), timeout: Duration = .seconds(600)
    ) -> BackendSession {
        let environment = BackendEnvironment(name: "test", services: [.core: url])
        return BackendSession(
            environment: environment, credentials: FixedCredentials(.bearer("secret")), transport: transport
        ) { $0.timeout = timeout }
    }

    private static let ok = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)

    @Test("Each piece is handed on before the next one is sent", arguments: TransportKind.allCases)
    func pieces(kind: TransportKind) async throws {
        try await withBackend(transport: kind.make()) { backend, session in
            let taken = Box(0)
            backend.get("/body") { _ in
                .stream { body in
                    for number in 0..<5 {
                        await eventually { taken.value == number }
                        try await body.write(Data("\(number)\n".utf8))
                    }
                }
            }
            var lines: [String] = []
            for try await line in session.stream(body).lines {
                lines.append(line)
                taken.update { $0 += 1 }
            }
            #expect(lines == ["0", "1", "2", "3", "4"])
        }
    }

    @Test("An empty answer has no pieces", arguments: TransportKind.allCases, ["200 OK", "204 No Content"])
    func empty(kind: TransportKind, status: String) async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n".utf8))
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server.url, kind.make()).stream(body).makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("A slow reader pauses the transfer, and loses nothing", arguments: TransportKind.survivors)
    func slowReader(kind: TransportKind) async throws {
        try await withBackend(transport: kind.make()) { backend, session in
            let (pieces, sent) = (2_048, Box(0))
            backend.get("/body") { _ in
                .stream { body in
                    for number in 0..<pieces {
                        try await body.write(Data(repeating: UInt8(number % 251), count: 1 << 16))
                        sent.update { $0 += 1 }
                    }
                }
            }
            var iterator = session.stream(body).makeAsyncIterator()
            var received = try #require(try await iterator.next())
            var (last, looks) = (-1, 0)
            await eventually("the server can send no more") {
                (last, looks) = (sent.value, sent.value == last ? looks + 1 : 0)
                return looks == 100
            }
            #expect(sent.value < 512, "The rest is in the sockets.")
            while let more = try await iterator.next() {
                #expect(more.count < 32 << 20)
                received += more
            }
            #expect(received.count == pieces << 16)
            #expect((0..<pieces).allSatisfy { received[$0 << 16] == UInt8($0 % 251) })
        }
    }

    @Test("A slow reader does not count as silence of the server", arguments: TransportKind.survivors)
    func readerIsNotSilence(kind: TransportKind) async throws {
        let size = 32 << 20
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8))
            send([UInt8](repeating: 7, count: size))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let silent = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(silent) {} }
        let transport = kind.make()
        var iterator = session(server.url, transport, timeout: .seconds(3)).stream(body).makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        // Meanwhile another server is silent for as long as is allowed.
        let error = await failure { () async throws(CoreError) in
            var other = session(silent.url, transport, timeout: .seconds(3)).stream(body).makeAsyncIterator()
            return try await other.next()
        }
        guard case .network(let failure)? = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
        while let more = try await iterator.next() { count += more.count }
        #expect(count == size)
    }

    @Test("A server that falls silent within the body fails with timedOut", arguments: TransportKind.allCases)
    func silence(kind: TransportKind) async throws {
        let server = try RawServer { _, send in
            send(Self.ok + [1])
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server.url, kind.make(), timeout: .seconds(1)).stream(body).makeAsyncIterator()
        #expect(try await iterator.next() == Data([1]))
        do throws(CoreError) {
            _ = try await iterator.next()
            recordUnexpected(nil)
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .timedOut)
        }
    }

    @Test("A refusal is a status error with its body", arguments: TransportKind.allCases)
    func refusal(kind: TransportKind) async throws {
        let server = try RawServer(
            answering: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone".utf8))
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server.url, kind.make()).stream(body).makeAsyncIterator()
        do throws(CoreError) {
            _ = try await iterator.next()
            recordUnexpected(nil)
        } catch {
            guard case .status(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.code == 404 && failure.body == Data("gone".utf8))
        }
        #expect(try await iterator.next() == nil)
    }

    @Test(
        "A cut body is handed on, and then fails with connectionLost, once",
        arguments: TransportKind.allCases,
        ["Content-Length: 10\r\n\r\nabcde", "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"])
    func cut(kind: TransportKind, rest: String) async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 200 OK\r\n\(rest)".utf8))
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server.url, kind.make()).stream(body).makeAsyncIterator()
        var received = Data()
        do throws(CoreError) {
            while let more = try await iterator.next() { received += more }
            recordUnexpected(nil)
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .connectionLost)
        }
        #expect(received == Data("abcde".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test("Redirects are followed, and refused credentials are refreshed")
    func redirectAndRefresh() async throws {
        let provider = RefreshingProvider()
        try await withBackend(credentials: provider) { backend, session in
            backend.get("/body") { _ in .redirect(to: "/other") }
            backend.get("/other") { request in
                request.headers["Authorization"] == "Bearer new"
                    ? .data(Data("secret".utf8), contentType: "text/plain") : .init(status: 401)
            }
            let guarded = BackendResource<Void, Void, KongAuth>(path: .api(.core, "/body"), method: .GET)
            var received = Data()
            for try await piece in session.stream(guarded) { received += piece }
            #expect(received == Data("secret".utf8))
        }
    }

    @Test("A request is sent again only while its reader has nothing")
    func retries() async throws {
        let server = try RawServer { request, send in
            switch request.path {
            case "/body" where request.connection == 0:
                send(Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n".utf8))
            default: send(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde".utf8))
            }
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let policy = RetryPolicy(maximumAttempts: 5, firstDelay: .milliseconds(1))
        let session = session(server.url, DefaultTransport().retrying(policy))
        var received = Data()
        do throws(CoreError) {
            for try await piece in session.stream(body) { received += piece }
            recordUnexpected(nil)
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .connectionLost)
        }
        #expect(received == Data("abcde".utf8))
        #expect(server.requests.count == 2)
    }

    /// A moment at which a stream is given up.
    enum Phase: CaseIterable { case beforeHead, beforeBody, withinBody, paused }

    private func server(in phase: Phase) throws -> RawServer {
        try RawServer { _, send in
            switch phase {
            case .beforeHead: break
            case .beforeBody: send(Self.ok)
            case .withinBody: send(Self.ok + [1])
            case .paused: send(Self.ok + [UInt8](repeating: 1, count: 64 << 20))
            }
            return .hold
        }
    }

    @Test("Cancelling the task ends the transfer at once", arguments: TransportKind.survivors, Phase.allCases)
    func cancel(kind: TransportKind, phase: Phase) async throws {
        let server = try server(in: phase)
        defer { withExtendedLifetime(server) {} }
        let (session, pieces) = (session(server.url, kind.make()), Box(0))
        let reading = Task { () -> CoreError? in
            await failure { () async throws(CoreError) in
                var iterator = session.stream(body).makeAsyncIterator()
                while try await iterator.next() != nil {
                    pieces.update { $0 += 1 }
                    while phase == .paused, !Task.isCancelled { await Task.yield() }
                }
            }
        }
        await eventually { !server.requests.isEmpty }
        if phase == .withinBody || phase == .paused { await eventually { pieces.value > 0 } }
        reading.cancel()
        #expect(await reading.value == .cancelled)
        await eventually { server.endedConnections == 1 }
    }

    @Test("Leaving the loop ends the transfer", arguments: TransportKind.survivors, [Phase.withinBody, .paused])
    func leave(kind: TransportKind, phase: Phase) async throws {
        let server = try server(in: phase)
        defer { withExtendedLifetime(server) {} }
        let session = session(server.url, kind.make())
        for try await _ in session.stream(body) { break }
        await eventually { server.endedConnections == 1 }
    }

    @Test("A cancelled task sends nothing")
    func cancelledBefore() async throws {
        try await withBackend { backend, session in
            let reading = Task {
                while !Task.isCancelled { await Task.yield() }
                return await failure { () async throws(CoreError) in
                    var iterator = session.stream(body).makeAsyncIterator()
                    _ = try await iterator.next()
                }
            }
            reading.cancel()
            #expect(await reading.value == .cancelled)
        }
    }

    @Test("Many streams, some of them cancelled at any moment, mix nothing up", arguments: TransportKind.survivors)
    func manyStreams(kind: TransportKind) async throws {
        try await withBackend(transport: kind.make()) { backend, session in
            backend.get("/body/:number") { request in
                let number = UInt8(request.path.split(separator: "/").last ?? "") ?? 0
                return .stream { body in
                    for _ in 0..<8 { try await body.write(Data(repeating: number, count: 50_000)) }
                }
            }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let resource = Body(path: .api(.core, "/body/\(number)"), method: .GET)
                        let reading = Task {
                            var count = 0
                            for try await piece in session.stream(resource) {
                                #expect(piece.allSatisfy { $0 == UInt8(number) })
                                count += piece.count
                            }
                            return count
                        }
                        if number % 2 == 1 {
                            for _ in 0..<number { await Task.yield() }
                            reading.cancel()
                        }
                        switch await reading.result {
                        case .success(let count): #expect(count == 400_000)
                        case .failure(let error): #expect(number % 2 == 1 && error as? CoreError == .cancelled)
                        }
                    }
                }
            }
        }
    }

    /// The beginning of a body that is packed with gzip.
    private static let packedZeros: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + [
            0xEC, 0xC1, 1, 13, 0, 0, 0, 0xC2, 0xA0, 0xF7, 0x4F, 0x6D, 0x0E, 0x37, 0xA0,
        ]

    #if os(Linux)
    @Test(
        "A stream that is packed in a way that was not asked for is refused",
        arguments: [
            "Content-Encoding: br", "Content-Encoding: deflate", "Content-Encoding: gzip, gzip",
            "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked",
        ])
    func otherPacking(fields: String) async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) + Self.packedZeros)
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server.url).stream(body).makeAsyncIterator()
        do throws(CoreError) {
            _ = try await iterator.next()
            recordUnexpected(nil)
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .malformedAnswer)
        }
        #expect(server.requests.first?.head.contains("Accept-Encoding: gzip\r\n") == true)
    }
    #endif

    @Test("A stream of 200 MB takes little memory")
    func memory() async {
        // In a process of its own: other tests use memory meanwhile.
        await #expect(processExitsWith: .success) { try await StreamingTests.readMuch() }
    }

    private static func readMuch() async throws {
        try await withBackend { backend, session in
            backend.get("/body") { _ in
                .stream { body in
                    let piece = Data(repeating: 7, count: 1 << 16)
                    for _ in 0..<3_200 { try await body.write(piece) }
                }
            }
            let resource = Body(path: .api(.core, "/body"), method: .GET)
            let before = residentBytes()
            var (peak, count) = (0, 0)
            for try await piece in session.stream(resource) {
                count += piece.count
                peak = max(peak, residentBytes())
            }
            #expect(count == 3_200 << 16)
            // The address sanitizer keeps what was freed.
            if dlsym(nil, "__asan_init") == nil { #expect(peak - before < 30 << 20) }
        }
    }
}

/// Credentials that the server refuses until they are refreshed.
private struct RefreshingProvider: CredentialProvider {
    func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials { .bearer("old") }
    func refreshedCredentials(
        for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
    ) async throws -> Credentials { .bearer("new") }
}
