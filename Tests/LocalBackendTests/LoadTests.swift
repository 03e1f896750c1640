import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import LocalBackend

@Suite("Serving many, slow and hostile clients", .onOwnThread)
struct LoadTests {
    @Test("A thousand connections are served at once")
    func thousandConnections() async throws {
        let crowd = Crowd(of: 1_000)
        let backend = LocalBackend()
        // No answer comes before all requests are there.
        backend.get("/:number") { request in
            await crowd.wait()
            return .text(request.path)
        }
        try await backend.run { address in
            try await onThread { () throws in
                let clients = try (0..<1_000).map { _ in try RawClient(address) }
                for (number, client) in clients.enumerated() {
                    client.send("GET /\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                }
                for (number, client) in clients.enumerated() {
                    #expect(try client.response().text == "/\(number)")
                }
            }
        }
    }

    @Test("Handlers that block their threads do not hold up others, be they new or under way")
    func blockingHandlers() async throws {
        let backend = LocalBackend()
        let gate = DispatchSemaphore(value: 0)
        backend.get("/blocks") { _ in
            waitForSignal(gate)
            return .text("blocked")
        }
        backend.get("/quick") { _ in .text("quick") }
        backend.get("/slow") { _ in
            try await Task.sleep(for: .milliseconds(200))
            return .text("slow")
        }
        for count in [1, 2, 3, 12].map({ $0 * ProcessInfo.processInfo.activeProcessorCount }) {
            try await backend.run { address in
                try await onThread {
                    let slow = try RawClient(address)
                    slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let blocked = try (0..<min(count, 40)).map { _ in try RawClient(address) }
                    for client in blocked { client.send("GET /blocks HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                    #expect(try slow.response().text == "slow")
                    #expect(try RawClient(address).get("/quick").text == "quick")
                    for _ in blocked { gate.signal() }
                    for client in blocked { #expect(try client.response().text == "blocked") }
                }
            }
        }
    }

    @Test("Clients that trickle their requests are sent away with 408, and do not hold up others")
    func slowLoris() async throws {
        let backend = LocalBackend { $0.requestTimeout = .milliseconds(200) }
        backend.get("/") { _ in .text("good") }
        try await backend.run { address in
            try await onThread { () throws in
                let slow = try (0..<50).map { _ in try RawClient(address) }
                for client in slow { client.send("GET / HTTP/1.1\r\nHo") }
                #expect(try RawClient(address).get("/").text == "good")
                for client in slow { client.send("s") }
                for client in slow {
                    #expect(try client.response().status == 408)
                    client.endSending()
                    #expect(client.readToEnd().ending == .closed)
                }
            }
        }
    }

    @Test("A connection that nobody uses is closed")
    func idle() async throws {
        let backend = LocalBackend { $0.idleTimeout = .milliseconds(100) }
        backend.get("/") { _ in .text("good") }
        try await backend.serve { client throws in
            _ = try client.get("/")
            #expect(client.readToEnd() == ("", .closed))
        }
    }

    @Test("A body is produced no faster than the client reads it")
    func backpressure() async throws {
        let produced = Atomic(0)
        let backend = LocalBackend()
        let portion = Data(repeating: 7, count: 100_000)
        backend.get("/large") { _ in
            .stream(length: 60_000_000) { body in
                for _ in 0..<600 {
                    try await body.write(portion)
                    produced.add(1, ordering: .relaxed)
                }
            }
        }
        let counter = { @Sendable in produced.load(ordering: .relaxed) }
        try await backend.serve { client throws in
            client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try client.bytes(1_000_000)
            #expect(counter() < 300)
            _ = try client.bytes(50_000_000)
            #expect(counter() >= 500)
        }
    }

    @Test("A client that hangs up cancels its handler, or fails the next write of its stream")
    func hangingUp() async throws {
        let ended = Locked<[String]>([])
        let backend = LocalBackend()
        backend.get("/handler") { _ in
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                ended.withLock { $0.append("handler") }
            }
            return .text("late")
        }
        backend.get("/stream") { _ in
            .stream { body in
                do {
                    while true {
                        try await body.write("more")
                        await Task.yield()
                    }
                } catch {
                    ended.withLock { $0.append("stream") }
                }
            }
        }
        let isEnded = { @Sendable (name: String) in ended.withLock { $0.contains(name) } }
        try await backend.run { address in
            for name in ["handler", "stream"] {
                try await onThread { () throws in
                    let client = try RawClient(address)
                    client.send("GET /\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    while backend.requests.last?.path != "/\(name)" { usleep(1_000) }
                }
                #expect(await eventually { isEnded(name) })
            }
        }
    }

    @Test("After tens of thousands of malformed requests it answers the next good one", arguments: 0..<2)
    func hostile(seed: UInt64) async throws {
        let backend = LocalBackend {
            $0.recordedRequests = 10
            $0.requestTimeout = .milliseconds(500)
        }
        backend.get("/plain") { _ in .text("good") }
        backend.post("/echo") { request in .data(request.body, contentType: "text/plain") }
        try await backend.run { address in
            try await onThread { () throws in
                var mutations = Mutations(seed: 1_000 + seed)
                for _ in 0..<10_000 {
                    let client = try RawClient(address)
                    client.send(mutations.next())
                    // A few clients wait for the answer, most of them close at once.
                    if mutations.number(below: 20) == 0 {
                        client.endSending()
                        #expect(client.readToEnd().ending != .silent)
                    }
                }
                #expect(try RawClient(address).get("/plain").text == "good")
            }
        }
    }
}

/// Lets nobody through until all have come.
private actor Crowd {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int) { missing = count }

    func wait() async {
        missing -= 1
        if missing <= 0 {
            waiting.forEach { $0.resume() }
            waiting = []
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }
}

/// A blocking wait, as code that knows nothing of tasks would do it.
private func waitForSignal(_ semaphore: DispatchSemaphore) { semaphore.wait() }
