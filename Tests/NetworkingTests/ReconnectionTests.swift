import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

/// When and for whom a connection of server-sent events is made again.
@Suite("Reconnections of event streams")
struct ReconnectionTests {
    /// A clock that stands still: it records each sleep, and ends it at once.
    private struct SleeplessClock: Clock {
        let slept = Box<[Duration]>([])
        let now = ContinuousClock.now
        /// The number of the sleep that fails, as that of a cancelled task does.
        var failing: Int?
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            let count = slept.update { slept in
                slept.append(deadline - now)
                return slept.count
            }
            if count == failing { throw CancellationError() }
        }
    }

    private static let ok = "200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    private static let end = "204 No Content\r\n\r\n"

    private let resource = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/events"), method: .GET)

    private func session(_ server: RawServer, credentials: (any CredentialProvider)? = nil) -> BackendSession {
        let environment = BackendEnvironment(name: "test", services: [.core: server.url])
        return BackendSession(environment: environment, credentials: credentials) { $0.timeout = .seconds(600) }
    }

    /// A server that answers its connections with these answers, one after the other, and the last one from then on.
    private func server(_ answers: [String]) throws -> RawServer {
        try RawServer { request, send in
            send(Array("HTTP/1.1 \(answers[min(request.connection, answers.count - 1)])".utf8))
            return .close
        }
    }

    private func waits(_ answers: [String], _ policy: RetryPolicy = .eventStream) async throws -> [Duration] {
        let server = try server(answers + [Self.end])
        defer { withExtendedLifetime(server) {} }
        let clock = SleeplessClock()
        for try await _ in session(server).events(resource, reconnecting: policy, clock: clock) {}
        return clock.slept.value
    }

    @Test("The wait is never shorter than the server has said, whatever the policy's longest wait and random part")
    func serverDecides() async throws {
        let answer = "\(Self.ok)retry: 60000\ndata: 1\n\n"
        #expect(try await waits([answer, answer, answer]) == Array(repeating: .seconds(60), count: 3))
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .zero, maximumDelay: .milliseconds(1), jitter: 1)
        #expect(try await waits([answer, answer], policy) == [.seconds(60), .seconds(60)])
    }

    @Test(
        "A server that is busy is asked again after the time that it says, however long, and is not an end of the events",
        arguments: ["429 Too Many Requests", "503 Service Unavailable"])
    func retryAfter(status: String) async throws {
        let busy = "\(status)\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n"
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .seconds(2), jitter: 0)
        #expect(try await waits(["\(Self.ok)data: 1\n\n", busy, Self.ok], policy) == [2, 120, 8].map { .seconds($0) })
    }

    @Test("Further failures wait longer than the server has said")
    func backoff() async throws {
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .zero, maximumDelay: .seconds(30), jitter: 0)
        let waits = try await waits(["\(Self.ok)retry: 5000\n\n", Self.ok, Self.ok], policy)
        #expect(waits == [5, 10, 20].map { .seconds($0) })
    }

    @Test(
        "A connection that brings lines, such as comments, is no failure", arguments: [": alive", "foo: 1", "event: a"])
    func comments(line: String) async throws {
        let policy = RetryPolicy(maximumAttempts: 3, firstDelay: .seconds(2), jitter: 0)
        let answer = "\(Self.ok)\(line)\n\n"
        let waits = try await waits([Self.ok, answer, answer, answer, answer, Self.ok], policy)
        #expect(waits == [2, 2, 2, 2, 2, 4].map { .seconds($0) })
    }

    @Test("A line that is cut does not make a connection a success")
    func cutComment() async throws {
        let policy = RetryPolicy(maximumAttempts: 9, firstDelay: .seconds(2), jitter: 0)
        let waits = try await waits([Self.ok, "\(Self.ok): al", Self.ok], policy)
        #expect(waits == [2, 4, 8].map { .seconds($0) })
    }

    @Test("The last id is sent to another server too, to which a redirect leads")
    func redirect() async throws {
        let server = try RawServer { request, send in
            let ids = request.head.contains("Last-Event-ID: 7\r\n") && !request.head.contains("X-Key")
            send(Array("HTTP/1.1 \(Self.ok)data: \(ids)\n\n".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let first = try RawServer(
            answering: Array(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(server.url)events\r\nContent-Length: 0\r\n\r\n".utf8))
        defer { withExtendedLifetime(first) {} }
        var resource = resource
        resource.headers["X-Key"] = "secret"
        var events = session(first).events(resource, after: "7").makeAsyncIterator()
        #expect(try await events.next()?.data == "true")
    }

    @Test("A time to wait that is cut within its digits is not one", arguments: ["retry: 9", "retry: 900\r", "retry"])
    func cutRetry(rest: String) async throws {
        let expected: Duration = rest.hasSuffix("\r") ? .milliseconds(900) : .seconds(60)
        #expect(try await waits(["\(Self.ok)retry: 60000\ndata: 1\n\n\(rest)"]) == [expected])
    }

    @Test("A wait that nobody could wait for is cut to a year")
    func years() async throws {
        #expect(try await waits(["\(Self.ok)retry: 99999999999999999999\ndata: 1\n\n"]) == [.year])
    }

    @Test("After a cancelled wait the events are over")
    func cancelledWait() async throws {
        let server = try server(["\(Self.ok)data: 1\n\n"])
        defer { withExtendedLifetime(server) {} }
        var events = session(server).events(resource, clock: SleeplessClock(failing: 1)).makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        #expect(await failure { () async throws(CoreError) in _ = try await events.next() } == .cancelled)
        #expect(try await events.next() == nil)
        #expect(server.requests.count == 1)
    }

    @Test("An answer that has no body ends the events", arguments: ["204 No Content", "205 Reset Content"])
    func noBody(status: String) async throws {
        let server = try server(["\(Self.ok)data: 1\n\n", "\(status)\r\nContent-Length: 0\r\n\r\n"])
        defer { withExtendedLifetime(server) {} }
        let policy = RetryPolicy(maximumAttempts: 3)
        var received: [String] = []
        for try await event in session(server).events(resource, reconnecting: policy, clock: SleeplessClock()) {
            received.append(event.data)
        }
        #expect(received == ["1"] && server.requests.count == 2)
    }

    /// Tokens of whoever is signed in; those that end with `-old` are refused, and refreshed.
    private struct Accounts: CredentialProvider {
        let token: Box<String>

        func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
            .bearer(token.value, user: String(token.value.prefix { $0 != "-" }))
        }

        func refreshedCredentials(
            for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
        ) async throws -> Credentials {
            .bearer("\(rejected.user ?? "")-new", user: rejected.user)
        }
    }

    private func guardedServer() throws -> RawServer {
        try RawServer { request, send in
            let answer =
                request.head.contains("-old")
                ? "401 Unauthorized\r\nContent-Length: 0\r\n\r\n" : "\(Self.ok)data: 1\n\n"
            send(Array("HTTP/1.1 \(answer)".utf8))
            return .close
        }
    }

    private let guarded = BackendResource<Void, Void, KongAuth>(path: .api(.core, "/events"), method: .GET)

    @Test("Credentials that are refused at a reconnection are refreshed")
    func refresh() async throws {
        let (server, token) = (try guardedServer(), Box("anna-1"))
        defer { withExtendedLifetime(server) {} }
        var events = session(server, credentials: Accounts(token: token)).events(guarded, clock: SleeplessClock())
            .makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        token.value = "anna-old"
        #expect(try await events.next()?.data == "1")
        #expect(server.requests.map { $0.head.contains("anna-new") } == [false, false, true])
    }

    @Test("A connection is not made again with the credentials of another user", arguments: ["ben-1", "ben-old"])
    func otherUser(next: String) async throws {
        let (server, token) = (try guardedServer(), Box("anna-1"))
        defer { withExtendedLifetime(server) {} }
        let stream = session(server, credentials: Accounts(token: token)).events(guarded, clock: SleeplessClock())
        var events = stream.makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        token.value = next
        let error = await failure { () async throws(CoreError) in _ = try await events.next() }
        #expect(
            error
                == .authentication(
                    .missingCredentials(kind: "Kong", reason: "They are of another user now.")))
        #expect(try await events.next() == nil)
        #expect(server.requests.count == 1)
        // A new iteration is for the user of then.
        var others = stream.makeAsyncIterator()
        #expect(try await others.next()?.data == "1")
    }

    @Test("A provider that has no network for a while ends no events")
    func providerWithoutNetwork() async throws {
        struct Unreachable: CredentialProvider {
            let calls = Box(0)

            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                calls.update { $0 += 1 }
                if calls.value == 2 { throw CoreError.network(NetworkFailure(.offline)) }
                return .bearer("anna-1")
            }

            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials { rejected }
        }
        let server = try guardedServer()
        defer { withExtendedLifetime(server) {} }
        let provider = Unreachable()
        var events = session(server, credentials: provider).events(guarded, clock: SleeplessClock())
            .makeAsyncIterator()
        #expect(try await events.next()?.data == "1")
        #expect(try await events.next()?.data == "1")
        #expect(provider.calls.value == 3)
    }

    @Test("Many event streams, disposed on many threads at any moment, end their connections")
    func manyStreams() async throws {
        let arrived = Box(0)
        let server = try RawServer { request, send in
            send(Array("HTTP/1.1 \(Self.ok)data: \(request.connection)\n\n".utf8))
            return request.connection % 3 == 0 ? .close : .hold
        }
        defer { withExtendedLifetime(server) {} }
        let session = session(server)
        let producer = session.events(resource, reconnecting: RetryPolicy(maximumAttempts: .max)).producer
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<125 {
                        let disposable = producer.startWithResult { result in
                            if case .success = result { arrived.update { $0 += 1 } }
                        }
                        for _ in 0..<(number * (thread + 1) % 97) { await Task.yield() }
                        disposable.dispose()
                    }
                }
            }
        }
        // The transport serves others as before.
        var events = session.events(resource).makeAsyncIterator()
        #expect(try await events.next() != nil)
    }
}
