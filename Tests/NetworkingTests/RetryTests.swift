import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Retrying")
struct RetryTests {
    /// A clock that records each sleep and ends it at once.
    private struct SleeplessClock: Clock {
        let slept = Box<[Duration]>([])
        var now: ContinuousClock.Instant { ContinuousClock.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            slept.update { $0.append(deadline - now) }
            try Task.checkCancellation()
        }
    }

    /// Answers with these statuses and headers, one after the other, and then with 200.
    private func transport(
        _ answers: [(Int, HTTPHeaders)], sent: Box<Int> = Box(0)
    ) -> StubTransport {
        StubTransport { request throws(CoreError) in
            let number = sent.update { count in
                count += 1
                return count - 1
            }
            let (status, headers) = number < answers.count ? answers[number] : (200, [:])
            if status == 0 { throw .network(NetworkFailure(.connectionLost)) }
            return try TransportResponse(status: status, headers: headers, url: request.url)
        }
    }

    private func request(_ method: HTTPMethod = .GET) throws -> TransportRequest {
        TransportRequest(method: method, url: try #require(URL(string: "https://api.example.com/v1")))
    }

    @Test("A failure that may pass is tried again, up to the limit", arguments: [0, 408, 429, 502, 503, 504])
    func tries(_ status: Int) async throws {
        let (clock, sent) = (SleeplessClock(), Box(0))
        let once = transport([(status, [:])], sent: sent).retrying(clock: clock)
        #expect(try await once.send(request()).status == 200)
        #expect(sent.value == 2)

        let always = transport(Array(repeating: (status, [:]), count: 9)).retrying(clock: clock)
        let response = try? await always.send(request())
        #expect(status == 0 ? response == nil : response?.status == status)
        #expect(clock.slept.value.count == 3)
    }

    @Test("A failure that will not pass by itself is not retried", arguments: [400, 401, 403, 404, 409, 500, 501])
    func doesNotTry(_ status: Int) async throws {
        let sent = Box(0)
        let response = try await transport([(status, [:])], sent: sent).retrying(clock: SleeplessClock()).send(
            request())
        #expect(response.status == status && sent.value == 1)
    }

    @Test("Only idempotent methods are sent again, unless told otherwise")
    func methods() async throws {
        for method in [HTTPMethod.GET, .HEAD, .PUT, .DELETE, .OPTIONS] {
            #expect(
                try await transport([(503, [:])]).retrying(clock: SleeplessClock()).send(request(method)).status == 200)
        }
        for method in [HTTPMethod.POST, .PATCH] {
            #expect(
                try await transport([(503, [:])]).retrying(clock: SleeplessClock()).send(request(method)).status == 503)
            let policy = RetryPolicy(allows: { _ in true })
            #expect(
                try await transport([(503, [:])]).retrying(policy, clock: SleeplessClock()).send(request(method)).status
                    == 200)
        }
    }

    @Test("The wait doubles, up to the maximum")
    func backoff() async throws {
        let clock = SleeplessClock()
        let policy = RetryPolicy(maximumAttempts: 6, firstDelay: .seconds(1), maximumDelay: .seconds(5), jitter: 0)
        _ = try await transport(Array(repeating: (503, [:]), count: 9)).retrying(policy, clock: clock).send(request())
        #expect(clock.slept.value.map { ($0 / .seconds(1)).rounded() } == [1, 2, 4, 5, 5])
    }

    @Test(
        "No number of attempts and no delay is too large",
        arguments: [
            (Duration.seconds(300), Duration.seconds(300)), (.seconds(Int64.max), .seconds(Int64.max)),
            (.milliseconds(1), .seconds(Int64.max)), (.seconds(1), .zero), (.zero, .seconds(5)),
        ])
    func patience(first: Duration, longest: Duration) async throws {
        let clock = SleeplessClock()
        let policy = RetryPolicy(maximumAttempts: .max, firstDelay: first, maximumDelay: longest, jitter: 0.5)
        let answers = transport(Array(repeating: (503, [:]), count: 300))
        #expect(try await answers.retrying(policy, clock: clock).send(request()).status == 200)
        #expect(clock.slept.value.allSatisfy { $0 <= longest })
    }

    @Test("Jitter spreads the waits, and never makes them longer")
    func jitter() async throws {
        let clock = SleeplessClock()
        let policy = RetryPolicy(maximumAttempts: 50, firstDelay: .seconds(10), maximumDelay: .seconds(10), jitter: 0.5)
        _ = try await transport(Array(repeating: (503, [:]), count: 99)).retrying(policy, clock: clock).send(request())
        let seconds = clock.slept.value.map { $0 / .seconds(1) }
        #expect(seconds.allSatisfy { 4.9...10 ~= $0 })
        #expect(Set(seconds.map { Int($0) }).count > 2)
    }

    @Test("Retry-After is honoured, in seconds and as a date")
    func retryAfter() async throws {
        let clock = SleeplessClock()
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = formatter.string(from: Date().addingTimeInterval(20))
        let answers: [(Int, HTTPHeaders)] = [(429, ["Retry-After": "7"]), (503, ["Retry-After": date])]
        #expect(try await transport(answers).retrying(clock: clock).send(request()).status == 200)
        let seconds = clock.slept.value.map { $0 / .seconds(1) }
        #expect(6.9...7.1 ~= seconds[0])
        #expect(18...20.1 ~= seconds[1])
    }

    @Test(
        "A server that asks for more patience than there is is not asked again",
        arguments: ["31", "99999999999999999999999"])
    func tooLong(_ field: String) async throws {
        let sent = Box(0)
        let response = try await transport([(429, ["Retry-After": field])], sent: sent).retrying(
            clock: SleeplessClock()
        )
        .send(request())
        #expect(response.status == 429 && sent.value == 1)
    }

    @Test(
        "A Retry-After that makes no sense is passed over",
        arguments: ["", "soon", "-5", "1.5", "Sun, 99 Nov 1994 08:49:37 GMT"])
    func nonsense(_ field: String) async throws {
        let clock = SleeplessClock()
        let response = try await transport([(503, ["Retry-After": field])]).retrying(clock: clock).send(request())
        #expect(response.status == 200)
        #expect(clock.slept.value.allSatisfy { $0 < .seconds(1) })
    }

    @Test("Over real sockets: a server that fails twice is asked three times")
    func overSockets() async throws {
        let policy = RetryPolicy(firstDelay: .milliseconds(1))
        try await withBackend(transport: DefaultTransport().retrying(policy)) { backend, session in
            backend.get("/v1") { _ in .json([1]) }
            backend.misbehave(.drop, times: 1)
            let calls = Box(0)
            backend.get("/v1/busy") { _ in
                calls.update {
                    $0 += 1; return $0
                } < 3 ? .status(503) : .json([1])
            }
            let dropped = try await session.access(BackendResource<Void, [Int], NoAuth>.get("/v1"))
            let busy = try await session.access(BackendResource<Void, [Int], NoAuth>.get("/v1/busy"))
            #expect(dropped == [1] && busy == [1] && calls.value == 3)
        }
    }
}
