import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

@Suite("Timeouts of resources", .timeLimit(.minutes(10)))
struct ResourceTimeoutTests {
    private typealias Numbers = BackendResource<Void, [Int], NoAuth>

    private func session(
        at url: URL, _ kind: TransportKind, configure: (inout BackendSession.Configuration) -> Void = { _ in }
    ) -> BackendSession {
        BackendSession(
            environment: BackendEnvironment(name: "raw", services: [.core: url]), transport: kind.make(),
            configure: configure)
    }

    private func expectTimeOut(_ resource: Numbers, in session: BackendSession) async {
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }

    @Test("A resource's own timeout is shorter than the session's", arguments: TransportKind.allCases)
    func shorter(kind: TransportKind) async throws {
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        let session = session(at: server.url, kind) { $0.timeout = .seconds(3_600) }
        await expectTimeOut(.get("/").timingOut(after: .milliseconds(20)), in: session)
        await expectTimeOut(.get("/").timingOut(total: .milliseconds(20)), in: session)
    }

    @Test("A resource's own timeout is longer than the session's", arguments: TransportKind.allCases)
    func longer(kind: TransportKind) async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let server = try RawServer { request, send in
            guard request.path == "/patient" else { return .hold }
            mayAnswer.wait()
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let session = session(at: server.url, kind) {
            $0.timeout = .milliseconds(20)
            $0.totalTimeout = .milliseconds(20)
        }
        let patient = Numbers.get("/patient").timingOut(after: .seconds(Int64.max), total: .seconds(Int64.max))
        async let numbers = session.access(patient)
        await eventually("the server is asked") { server.requests.count == 1 }
        // While it waits, a request that began later reaches the session's timeouts.
        await expectTimeOut(.get("/"), in: session)
        mayAnswer.signal()
        #expect(try await numbers == [1])
    }

    @Test(
        "Zero and less end a request that is not answered at once",
        arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(1)], TransportKind.allCases)
    func none(timeout: Duration, kind: TransportKind) async throws {
        let server = try RawServer { _, _ in .hold }
        defer { withExtendedLifetime(server) {} }
        let session = session(at: server.url, kind)
        await expectTimeOut(.get("/").timingOut(after: timeout), in: session)
        await expectTimeOut(.get("/").timingOut(total: timeout), in: session)
    }

    @Test("The limit for the whole includes retries")
    func retries() async throws {
        let transport = StubTransport { request throws(CoreError) in
            throw .network(NetworkFailure(.connectionLost, url: request.url.absoluteString))
        }
        let session = BackendSession(
            environment: .production, transport: transport.retrying(RetryPolicy(firstDelay: .seconds(3_600))))
        await expectTimeOut(.get("/").timingOut(total: .milliseconds(20)), in: session)
    }

    @Test("A resource that is made from another one has its timeouts")
    func kept() {
        let resource = BackendResource<Int, [Int], NoAuth>(path: .api(.core, "/"), method: .POST)
            .timingOut(after: .seconds(1)).timingOut(total: .seconds(2))
        #expect(resource.timeout == .seconds(1) && resource.totalTimeout == .seconds(2))
        let made = resource.map(\.count).ifChanged(since: nil).sending(7)
        #expect(made.timeout == .seconds(1) && made.totalTimeout == .seconds(2))
        let changed = made.timingOut(after: .seconds(3))
        #expect(changed.timeout == .seconds(3) && changed.totalTimeout == .seconds(2))
    }
}
