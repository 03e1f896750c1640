import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Server-sent events", .onOwnThread)
struct EventStreamTests {
    @Test("An event is written as its fields, one line of data for each line of text")
    func format() {
        let event = LocalBackend.ServerSentEvent(
            "one\ntwo\r\nthree\rfour", name: "update", id: "7", retry: .milliseconds(1_500))
        #expect(
            event.wireFormat
                == "event: update\nid: 7\nretry: 1500\ndata: one\ndata: two\ndata: three\ndata: four\n\n")
        #expect(LocalBackend.ServerSentEvent("").wireFormat == "data: \n\n")
        #expect(LocalBackend.ServerSentEvent("", retry: .seconds(-1)).wireFormat == "retry: 0\ndata: \n\n")
        let endless = LocalBackend.ServerSentEvent("", retry: .seconds(Int64.max))
        #expect(endless.wireFormat == "retry: 31536000000\ndata: \n\n")
    }

    @Test("A line break in a name or an id cannot begin a field of its own")
    func injection() {
        let event = LocalBackend.ServerSentEvent("x", name: "a\ndata: y", id: "1\r\nretry: 0")
        #expect(event.wireFormat == "event: a data: y\nid: 1 retry: 0\ndata: x\n\n")
    }

    @Test("Events arrive when they are sent, not when the stream ends")
    func arrival() async throws {
        let backend = LocalBackend()
        let (prices, continuation) = AsyncStream.makeStream(of: String.self)
        backend.get("/prices") { _ in
            .events { events in
                for await price in prices { try await events.send(.init(price, name: "price")) }
            }
        }
        try await backend.serve { client throws in
            client.send("GET /prices HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for price in ["1", "2"] {
                continuation.yield(price)
                #expect(client.readUntil("data: \(price)\n\n\r\n"))
            }
            continuation.finish()
            #expect(client.readUntil("0\r\n\r\n"))
            // The connection goes on after the end of the stream.
            client.send("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.response().status == 404)
        }
    }

    @Test(
        "The producer of a quiet stream is cancelled when the client closes the connection", arguments: [true, false])
    func clientGoes(sendsEvents: Bool) async throws {
        let backend = LocalBackend()
        let (ended, hasEnded) = AsyncStream.makeStream(of: Bool.self)
        let produce: @Sendable (LocalBackend.BodyWriter) async throws -> Void = { body in
            try await body.write("data: hello\n\n")
            for await _ in AsyncStream<Int>.makeStream().stream {}
            hasEnded.yield(Task.isCancelled)
        }
        backend.get("/quiet") { _ in
            sendsEvents ? .events { try await produce($0.body) } : .stream(endsWithClient: true, produce)
        }
        try await backend.run { address in
            try await onThread {
                let client = try RawClient(address)
                client.send("GET /quiet HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(client.readUntil("data: hello\n\n\r\n"))
            }
            var ends = ended.makeAsyncIterator()
            let wasCancelled = await ends.next()
            #expect(wasCancelled == true)
        }
    }

    @Test("A stop ends the streams and does not wait for them", .timeLimit(.minutes(10)))
    func stop() async throws {
        let backend = LocalBackend()
        backend.get("/quiet") { _ in
            .events { events in
                try await events.send("hello")
                for await _ in AsyncStream<Int>.makeStream().stream {}
            }
        }
        let address = try await backend.start()
        let client = try RawClient(address)
        client.send("GET /quiet HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(client.readUntil("data: hello\n\n\r\n"))
        let stop = Task { await backend.stop(within: .seconds(600)) }
        #expect(client.readUntil("0\r\n\r\n"))
        client.endSending()
        await stop.value
    }

    @Test("Sending waits while the client does not read")
    func backPressure() async throws {
        let backend = LocalBackend()
        let sent = Locked(0)
        backend.get("/flood") { _ in
            .events { events in
                let text = String(repeating: "x", count: 100_000)
                for _ in 0..<1_000 {
                    try await events.send(.init(text))
                    sent.withLock { $0 += 1 }
                }
            }
        }
        try await backend.run { address in
            let client = try RawClient(address)
            client.send("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await standsStill { sent.withLock { $0 } })
            #expect(sent.withLock { $0 } < 1_000)
        }
    }

    @Test("All tasks that write to one stream go on while the client reads, and end when it disconnects")
    func manyWriters() async throws {
        let backend = LocalBackend()
        let sent = Locked(0)
        let ended = Locked(0)
        let write: @Sendable (LocalBackend.EventWriter) async -> Void = { events in
            let event = LocalBackend.ServerSentEvent(String(repeating: "x", count: 65_536))
            while (try? await events.send(event)) != nil { sent.withLock { $0 += 1 } }
            ended.withLock { $0 += 1 }
        }
        backend.get("/flood") { _ in
            .events { events in
                async let first: Void = write(events)
                async let second: Void = write(events)
                _ = await (first, second)
            }
        }
        try await backend.run { address in
            var client: RawClient? = try RawClient(address)
            client?.send("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await standsStill { sent.withLock { $0 } })
            _ = try client?.bytes(10_000_000)
            client = nil
            #expect(await eventually { ended.withLock { $0 } == 2 })
        }
    }

    /// Waits until something was sent and the kernel, which takes a few megabytes, takes no more.
    private func standsStill(_ sent: () -> Int) async -> Bool {
        var last = 0
        return await eventually {
            // If the writers are slower than this, the test shows less, but does not fail.
            try? await Task.sleep(for: .milliseconds(100))
            defer { last = sent() }
            return last > 0 && last == sent()
        }
    }
}
