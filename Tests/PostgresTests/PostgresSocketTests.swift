import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

/// Sockets stay in the kernel's list from wait to wait, which tells of each input once.
@Suite("Waiting for the sockets of PostgreSQL")
struct PostgresSocketTests {
    private let pipe = Pipe()
    private let watcher = SocketWatcher()
    private var reader: Int32 { pipe.fileHandleForReading.fileDescriptor }

    private func send() { pipe.fileHandleForWriting.write(Data([1])) }
    private func receive() { _ = pipe.fileHandleForReading.readData(ofLength: 1) }

    @Test("Input before the first wait and between two waits is not missed", arguments: [true, false])
    func earlyInput(isSoon: Bool) async throws {
        send()
        let number = try #require(watcher.watch(reader))
        for _ in 0..<100 {
            await watcher.waitForInput(of: number, isSoon: isSoon)
            receive()
            send()
        }
        await watcher.waitForInput(of: number, isSoon: isSoon)
        watcher.forget(reader, number)
    }

    @Test("Input during the wait ends it", arguments: [true, false])
    func input(isSoon: Bool) async throws {
        let number = try #require(watcher.watch(reader))
        for _ in 0..<100 {
            async let wait: Void = watcher.waitForInput(of: number, isSoon: isSoon)
            send()
            await wait
            receive()
        }
        watcher.forget(reader, number)
    }

    @Test("A cancelled task waits no longer, and input still ends the next wait")
    func cancel() async throws {
        let number = try #require(watcher.watch(reader))
        let waiting = Task { await watcher.waitForInput(of: number, isSoon: false) }
        waiting.cancel()
        await waiting.value
        send()
        await watcher.waitForInput(of: number, isSoon: false)
        watcher.forget(reader, number)
    }

    @Test("Answers beyond the socket's buffer come whole, to tasks and to threads that share the connections")
    func largeAnswers() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        let count = 4_000
        _ = try await films.insert((0..<count).map { .fixture(id: $0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { () async throws in
                    for turn in 0..<10 {
                        let id = task * 10 + turn
                        #expect(try await films.object(withId: id)?.id == id)
                        #expect(try await films.all().result().count == count)
                        let onThread: SignalProducer<Film?, StoreError> = films.object(withId: id)
                        #expect(try await onThread.value()?.id == id)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
