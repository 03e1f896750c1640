import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Starting and stopping", .onOwnThread)
struct LifecycleTests {
    @Test("It listens on loopback, on a free port unless one is given, and again after a stop")
    func restarting() async throws {
        let backend = LocalBackend()
        backend.get("/") { _ in .text("here") }
        let address = try await backend.start()
        #expect(address.host() == "127.0.0.1")
        #expect(backend.address == address)
        #expect(try await text(from: address) == "here")
        await backend.stop()
        #expect(backend.address == nil)
        let port = try #require(address.port)
        #expect(try await backend.start(port: port) == address)
        #expect(try await text(from: address) == "here")
        await backend.stop()
    }

    @Test("Servers that share a port each answer a part of the clients, and those that stay answer all")
    func sharedPort() async throws {
        let servers = ["a", "b"].map { name in
            let server = LocalBackend { $0.sharesPort = true }
            server.get("/name") { _ in .text(name) }
            return server
        }
        let address = try await servers[0].start()
        let port = try #require(address.port)
        #expect(try await servers[1].start(port: port) == address)
        let alone = LocalBackend()
        await #expect(throws: BackendError.portInUse(port)) { try await alone.start(port: port) }
        #if os(Linux)
        var names: Set<String> = []
        // Each client is as likely to reach one server as the other.
        for _ in 0..<100 where names.count < 2 {
            names.insert(try RawClient(address).get("/name").text)
        }
        #expect(names.count == 2)
        #endif
        await servers[0].stop()
        await servers[1].stop()
    }

    @Test("An error says why the server cannot start")
    func errors() async throws {
        let first = LocalBackend()
        let second = LocalBackend()
        let address = try await first.start()
        let port = try #require(address.port)
        await #expect(throws: BackendError.portInUse(port)) { try await second.start(port: port) }
        await #expect(throws: BackendError.alreadyRunning(address)) { try await first.start() }
        for port in [-1, 65_536] {
            await #expect(throws: BackendError.invalidPort(port)) { try await second.start(port: port) }
        }
        await #expect(throws: BackendError.invalidHost("192.0.2.1")) { try await second.start(host: "192.0.2.1") }
        await first.stop()
        try await second.start(port: port)
        await second.stop()
    }

    @Test("Of two starts at once, the one that succeeds decides which hosts are answered")
    func startsAtOnce() async throws {
        for _ in 0..<50 {
            let backend = LocalBackend()
            backend.get("/") { _ in .text("here") }
            // Detached, because child tasks would take turns on the thread of this test.
            let onLoopback = Task.detached { (try? await backend.start()) != nil }
            let onAll = Task.detached { (try? await backend.start(host: "0.0.0.0")) != nil }
            let (isOnLoopback, isOnAll) = await (onLoopback.value, onAll.value)
            #expect(isOnLoopback != isOnAll)
            let client = try RawClient(try #require(backend.address))
            client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            #expect(try client.response().status == (isOnLoopback ? 421 : 200))
            client.endSending()
            await backend.stop()
        }
    }

    @Test("A stop lets what is in flight finish, closes what is quiet, and takes in nobody new")
    func gracefulStop() async throws {
        let gate = Gate()
        let backend = LocalBackend()
        backend.get("/busy") { _ in
            await gate.wait()
            return .text("finished")
        }
        let address = try await backend.start()
        let busy = try RawClient(address)
        let quiet = try RawClient(address)
        busy.send("GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await eventually { backend.requests.count == 1 })

        let stop = Task { await backend.stop(within: .seconds(60)) }
        #expect(quiet.readToEnd() == ("", .closed))
        #expect(throws: RawClient.Failure.self) { try RawClient(address) }
        await gate.open()
        let response = try busy.response()
        #expect(response.text == "finished")
        #expect(response.headers["Connection"] == "close")
        #expect(busy.readToEnd() == ("", .closed))
        // Our side has to close too, or the server waits a while for what we might still send.
        busy.endSending()
        await stop.value
    }

    @Test("A stop waits no longer than it is told, and cancels what has not finished by then")
    func stopDeadline() async throws {
        let gate = Gate()
        let backend = LocalBackend()
        backend.get("/endless") { _ in
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            await gate.open()
            return .text("never seen")
        }
        let address = try await backend.start()
        let client = try RawClient(address)
        client.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(await eventually { backend.requests.count == 1 })
        await backend.stop(within: .milliseconds(50))
        #expect(client.readToEnd().text.isEmpty)
        await gate.wait()
    }

    @Test("A client of HTTP/1.0 can tell that its body has no end", arguments: [true, false])
    func cutBody(isStopped: Bool) async throws {
        let backend = LocalBackend()
        backend.get("/body") { _ in
            .stream { body in
                try await body.write("begun")
                if isStopped { try await Task.sleep(for: .seconds(600)) }
                throw CancellationError()
            }
        }
        let address = try await backend.start()
        let client = try RawClient(address)
        client.send("GET /body HTTP/1.0\r\n\r\n")
        #expect(client.readUntil("begun"))
        if isStopped { await backend.stop(within: .zero) }
        #expect(client.readToEnd().ending == .reset)
        await backend.stop(within: .zero)
    }

    @Test("Stops at the same time all return, and one that has nothing to stop does too")
    func manyStops() async throws {
        let backend = LocalBackend()
        await backend.stop()
        try await backend.start()
        await withDiscardingTaskGroup { group in
            for _ in 0..<10 { group.addTask { await backend.stop() } }
        }
        #expect(backend.address == nil)
    }

    @Test("A backend that nobody holds any more stops")
    func releasing() async throws {
        var backend: LocalBackend? = LocalBackend()
        let address = try #require(try await backend?.start())
        let client = try RawClient(address)
        backend = nil
        #expect(client.readToEnd().ending == .closed)
    }

    private func text(from address: URL) async throws -> String {
        try await onThread { try RawClient(address).get("/").text }
    }
}

/// A gate that is closed until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        waiting.forEach { $0.resume() }
        waiting = []
    }

    func wait() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }
}
