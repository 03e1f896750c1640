import ChildProcesses
import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import TableBackend
import Testing

@testable import Sync

struct OutboxDurabilityTests {
    /// The number of times that the writer is killed; `OUTBOX_KILLS=100` changes it.
    static let kills = ProcessInfo.processInfo.environment["OUTBOX_KILLS"].flatMap(Int.init) ?? 4

    @Test(
        "After the writer is killed at random moments, all that was acknowledged reaches the server, in order and once")
    func killed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (database, notes) = (
            folder.appending(path: "counters.sqlite").path(), folder.appending(path: "notes").path()
        )
        #expect(FileManager.default.createFile(atPath: notes, contents: nil))

        // Each value that a row of the server was given, in order. A row is checked when it is to be stored.
        let stored = Locked<[UUID: [Int]]>([:])
        let table = try SQLiteStore(Counter.schema, in: SQLiteDatabase(.memory))
        let backend = LocalBackend()
        backend.serve(
            Table(table, Counter.schema) { counter in
                stored.withLock { $0[counter.id, default: []].append(counter.value) }
                return nil
            }, at: "/counters")
        let url = try await backend.start()
        backend.misbehave(.fail(rate: 0.1))

        var random = SeededGenerator(seed: 16)
        for _ in 0..<Self.kills {
            let before = try size(of: notes)
            let writer = try ChildProcess(Self.writer, [database, url.absoluteString, notes], output: .null)
            // The moment depends on the writer's progress and not on time.
            let enough = before + Int.random(in: 4..<1_200, using: &random)
            try await eventually("the writer has written") { try size(of: notes) >= enough || !writer.isRunning }
            writer.kill(SIGKILL)
            #expect(await writer.end() == .signal(SIGKILL), "the writer ended by itself")
        }

        backend.behave()
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]),
            credentials: FixedCredentials(.bearer("test")))
        let outbox = try Outbox(in: SQLiteDatabase(.file(database)))
        let counters = try SyncedStore(
            Counter.schema, remote: PostgRESTStore(Counter.schema, accessible: session), outbox: outbox)
        await eventually("all is sent") { outbox.status.value.waiting == 0 }
        #expect(outbox.parked.value.isEmpty)

        var acknowledged: [UUID: Int] = [:]
        for line in try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n") {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            if numbers.count == 2 { acknowledged[.fixture(UInt32(numbers[0]))] = numbers[1] }
        }
        #expect(acknowledged.count == 5)
        for (id, value) in acknowledged {
            let local = try #require(try await counters.local.object(withId: id)).value
            // The write after the last note may have been kept before the process was killed.
            #expect(local == value || local == value + 1)
            #expect(try await table.object(withId: id)?.value == local)
            // The first value is an insertion, which the table takes once by its key.
            let values = stored.withLock { $0[id] ?? [] }.drop { $0 == 1 }
            #expect(values.count == local - 1, "the number of values of \(id) on the server")
            let misplaced = zip(values, 2...).first { $0 != $1 }?.0
            #expect(misplaced == nil, "the values of \(id) on the server are in order, each once")
        }
        await backend.stop(within: .zero)
    }

    @Test("While a process has an outbox open, another one is refused; outboxes of one process are not")
    func oneProcess() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, link, notes) = (
            folder.appending(path: "counters.sqlite").path(), folder.appending(path: "link.sqlite").path(),
            folder.appending(path: "notes").path()
        )
        #expect(FileManager.default.createFile(atPath: notes, contents: nil))
        // Nothing listens there.
        let other = try ChildProcess(Self.writer, [file, "http://127.0.0.1:9", notes], output: .null)
        try await eventually("it has written") { try size(of: notes) > 0 || !other.isRunning }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        for path in [file, link] {
            #expect(throws: StoreError.locked(file: path)) { try Outbox(in: SQLiteDatabase(.file(path))) }
        }
        other.kill(SIGKILL)
        await other.end()
        let first = try Outbox(in: SQLiteDatabase(.file(file)))
        let second = try Outbox(in: SQLiteDatabase(.file(link)))
        withExtendedLifetime((first, second)) {}
    }

    private func size(of path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    }

    private static let writer = builtProgram("OutboxWriter")
}

private struct Counter: Identifiable, Sendable {
    var id: UUID
    var value: Int

    static let schema = Schema<Counter>("counters", Counter.init, Column("id", \.id), Column("value", \.value))
}
