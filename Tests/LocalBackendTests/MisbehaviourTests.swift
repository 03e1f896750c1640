import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Misbehaving on the wire", .onOwnThread)
struct MisbehaviourTests {
    private static let body = String(repeating: "x", count: 1_000)

    private static func backend(_ misbehaviour: LocalBackend.Misbehaviour) -> LocalBackend {
        let backend = LocalBackend()
        backend.get("/body") { _ in .text(body) }
        backend.get("/good") { _ in .text("good") }
        backend.misbehave(misbehaviour, at: "/body")
        return backend
    }

    private static func exchange(
        _ misbehaviour: LocalBackend.Misbehaviour
    ) async throws -> (text: String, ending: RawClient.Ending) {
        let backend = backend(misbehaviour)
        return try await backend.run { address in
            try await onThread { () throws in
                let client = try RawClient(address)
                client.send("GET /body HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let end = client.readToEnd()
                #expect(try RawClient(address).get("/good").text == "good")
                return end
            }
        }
    }

    @Test("Dropped: the connection closes without an answer")
    func drop() async throws {
        let (text, ending) = try await MisbehaviourTests.exchange(.drop)
        #expect(text.isEmpty)
        #expect(ending == .closed)
    }

    @Test("Reset: the connection breaks within the body")
    func reset() async throws {
        let (text, ending) = try await MisbehaviourTests.exchange(.reset(after: 10))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("\r\n\r\nxxxxxxxxxx"))
        #expect(ending == .reset)
    }

    @Test("Truncated: the connection closes in good order with less than was promised")
    func truncate() async throws {
        let (text, ending) = try await MisbehaviourTests.exchange(.truncate(after: 10))
        #expect(text.contains("Content-Length: 1000\r\n") && text.hasSuffix("\r\n\r\nxxxxxxxxxx"))
        #expect(ending == .closed)
    }

    @Test("Stalled: after some bytes nothing more comes, though the connection stays")
    func stall() async throws {
        try await MisbehaviourTests.backend(.stall(after: 10)).serve { client throws in
            client.send("GET /body HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(client.readUntil("\r\n\r\nxxxxxxxxxx"))
            client.wait(atMost: 1)
            #expect(client.readToEnd() == ("", .silent))
        }
    }

    @Test("Delayed: the answer takes its time and is right")
    func delay() async throws {
        try await MisbehaviourTests.backend(.delay(.milliseconds(50))).serve { client throws in
            let start = ContinuousClock.now
            #expect(try client.get("/body").text == MisbehaviourTests.body)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
        }
    }

    @Test("Failing: the share asked for gets the status instead, and the connection goes on")
    func fail() async throws {
        try await MisbehaviourTests.backend(.fail(rate: 0.5, status: 502, seed: 3)).serve { client throws in
            let statuses = try (0..<200).map { _ in try client.get("/body").status }
            #expect((80...120).contains(statuses.count { $0 == 502 }))
            #expect(Set(statuses) == [200, 502])
        }
    }

    @Test("It ends after so many times, and when it is told to behave")
    func ending() async throws {
        let backend = LocalBackend()
        backend.get("/") { _ in .text("good") }
        backend.misbehave(.fail(rate: 1), times: 1)
        try await backend.serve { client throws in
            #expect(try (0..<3).map { _ in try client.get("/").status } == [503, 200, 200])
            backend.misbehave(.fail(rate: 1, status: 500))
            #expect(try client.get("/missing").status == 500)
            backend.behave()
            #expect(try client.get("/").status == 200)
        }
    }

    @Test("A stop does not wait for what has stalled")
    func stoppingStalled() async throws {
        let backend = MisbehaviourTests.backend(.stall())
        let address = try await backend.start()
        let client = try RawClient(address)
        client.send("GET /body HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await eventually { backend.requests.count == 1 })
        let start = ContinuousClock.now
        await backend.stop(within: .seconds(60))
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(client.readToEnd().ending != .silent)
    }
}
