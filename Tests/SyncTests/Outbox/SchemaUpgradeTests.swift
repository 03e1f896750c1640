import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Writes that a version of the program has stored, and the next version sends.
struct SchemaUpgradeTests {
    // MARK: - A column more

    @Test("Writes of a program without a column are sent by the next version, with the values of the migration")
    func added() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b"), memo("c")], to: ColoredMemo.schema,
            [colored("a", color: "blue"), colored("b"), colored("c")], Self.addColor
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.insert(memo("d"))
            try await store.delete(memo("c"))
        } next: { upgraded in
            let (store, server) = (try upgraded.store(), upgraded.server)
            #expect(store.outbox.status.value.waiting == 3)
            #expect(try await store.local.object(withId: "d") == colored("d"))
            try await store.update(colored("d", color: "green"))
            server.backend.behave()
            await eventually { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value.isEmpty)
            let expected = [colored("a", title: "mine", color: "blue"), colored("b"), colored("d", color: "green")]
            #expect(try await server.rows() == expected)
            #expect(try await store.local.sorted(by: \.id).result() == expected)
        }
    }

    @Test(
        "A program that still runs when the next version adds a column goes on writing, and takes no value of the column away"
    )
    func addedMeanwhile() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b"), memo("c")], to: ColoredMemo.schema,
            [colored("a", color: "blue"), colored("b"), colored("c")], Self.addColor
        ) { store in
            let next = try SQLiteDatabase(
                .file(#require(store.outbox.database.path)), migrations: [Migration(to: 2, Self.addColor)])
            try next.execute("UPDATE memos SET color = 'blue' WHERE id = 'a'")
            try await store.update(memo("a", title: "mine"))
            try await store.save(memo("b", title: "mine"))
            try await store.insert(memo("d"))
            try await store.delete(memo("c"))
        } next: { upgraded in
            let (store, server) = (try upgraded.store(), upgraded.server)
            #expect(store.outbox.status.value.waiting == 4)
            #expect(try await store.local.object(withId: "a")?.color == "blue")
            server.backend.behave()
            await eventually { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value.isEmpty)
            let expected = [
                colored("a", title: "mine", color: "blue"), colored("b", title: "mine"), colored("d"),
            ]
            #expect(try await server.rows() == expected)
            #expect(try await store.local.sorted(by: \.id).result() == expected)
        }
    }

    @Test("Parked writes of a program without a column can be given up, and the server's objects come back")
    func addedAndGivenUp() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b"), memo("c")], to: ColoredMemo.schema,
            [colored("a"), colored("b"), colored("c", color: "blue")], Self.addColor, .fail(rate: 1, status: 422)
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.insert(memo("d"))
            try await store.delete(memo("c"))
            await eventually { store.outbox.parked.value.count == 3 }
        } next: { upgraded in
            let store = try upgraded.store()
            for write in store.outbox.parked.value { try await store.outbox.giveUp(write.id) }
            #expect(store.outbox.status.value.isInStep)
            // It is not known which color the deleted memo would have, until the next pull.
            #expect(try await store.local.sorted(by: \.id).result() == [colored("a"), colored("b")])
            upgraded.server.backend.behave()
            try await store.pull()
            #expect(try await store.local.sorted(by: \.id).result() == upgraded.server.rows())
        }
    }

    @Test("Parked writes of a program without a column can be sent again and changed")
    func addedAndRetried() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b"), memo("c")], to: ColoredMemo.schema,
            [colored("a"), colored("b"), colored("c")], Self.addColor, .fail(rate: 1, status: 422)
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.update(memo("b", title: "mine"))
            try await store.delete(memo("c"))
            await eventually { store.outbox.parked.value.count == 3 }
        } next: { upgraded in
            let store = try upgraded.store()
            upgraded.server.backend.behave()
            try await store.mend(colored("b", title: "mended", color: "green"))
            for write in store.outbox.parked.value { try await store.outbox.retry(write.id) }
            await eventually { store.outbox.status.value.isInStep }
            let expected = [colored("a", title: "mine"), colored("b", title: "mended", color: "green")]
            #expect(try await upgraded.server.rows() == expected)
            #expect(try await store.local.sorted(by: \.id).result() == expected)
        }
    }

    @Test("A pull after an upgrade fetches the new column of all objects, also if the server numbers its changes")
    func addedAndPulled() async throws {
        let database = try SQLiteDatabase(.memory)
        let cursors = try SQLiteStore(PullCursor.schema, in: database)
        try await withServer(of: Memo.schema) { server in
            _ = try SyncedStore(Memo.schema, remote: server.store, outbox: Outbox(in: database))
            try await cursors.insert(PullCursor(id: "memos", changes: 7, deletions: 7))
            _ = try SyncedStore(Memo.schema, remote: server.store, outbox: Outbox(in: database))
            #expect(try await cursors.all().count() == 1)
            _ = try SyncedStore(
                Memo.schema, remote: server.store, outbox: Outbox(in: database), columnChanges: [.removed("size")])
            #expect(try await cursors.all().count() == 0)
        }
    }

    // MARK: - Another name, and a column less

    @Test("Writes to a column that was renamed, perhaps twice, are sent with its present name")
    func renamed() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a")], to: NamedMemo.schema, [NamedMemo(id: "a", name: "a")],
            "ALTER TABLE memos RENAME COLUMN title TO name"
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.insert(memo("b"))
        } next: { upgraded in
            let store = try upgraded.store(.renamed("title", to: "label"), .renamed("label", to: "name"))
            upgraded.server.backend.behave()
            await eventually { store.outbox.status.value.isInStep }
            let expected = [NamedMemo(id: "a", name: "mine"), NamedMemo(id: "b", name: "b")]
            #expect(try await upgraded.server.rows() == expected)
            #expect(try await store.local.sorted(by: \.id).result() == expected)
            // The old title was a part of the request, so that nothing is overwritten unseen.
            #expect(upgraded.server.backend.requests.contains { $0.method == .patch && "\($0.query)".contains("eq.a") })
        }
    }

    @Test("Writes to a column that was removed are sent without it")
    func removed() async throws {
        try await withUpgrade(
            from: ColoredMemo.schema, [colored("a"), colored("b")], to: Memo.schema, [memo("a"), memo("b")],
            "ALTER TABLE memos DROP COLUMN color"
        ) { store in
            try await store.update(colored("a", title: "mine", color: "blue"))
            try await store.update(colored("b", color: "blue"))
            try await store.update(colored("b", title: "later", color: "blue"))
            try await store.insert(colored("c"))
        } next: { upgraded in
            let store = try upgraded.store(.removed("color"))
            upgraded.server.backend.behave()
            await eventually { store.outbox.status.value.isInStep }
            let expected = [memo("a", title: "mine"), memo("b", title: "later"), memo("c")]
            #expect(try await upgraded.server.rows() == expected)
            #expect(try await store.local.sorted(by: \.id).result() == expected)
        }
    }

    // MARK: - What cannot be read

    @Test("A write to an unknown column is parked, holds up no other, and is sent by a version that knows the column")
    func unknown() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b"), memo("c")], to: NamedMemo.schema,
            ["a", "b", "c"].map { NamedMemo(id: $0, name: $0) }, "ALTER TABLE memos RENAME COLUMN title TO name"
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.delete(memo("b"))
        } next: { upgraded in
            do {
                let store = try upgraded.store()
                upgraded.server.backend.behave()
                await eventually { store.outbox.status.value.waiting == 0 }
                let parked = try #require(store.outbox.parked.value.first)
                #expect(store.outbox.parked.value.count == 1)
                #expect(parked.cause == .unreadable)
                #expect(parked.reason == "title has no column in the schema of memos; add one.")
                #expect(parked.summary.contains("mine"))
                #expect(store.objectID(of: parked) == "a")
                #expect(try await upgraded.server.rows().map(\.id) == ["a", "c"])
                await #expect(throws: StoreError.unknownProperty("title", table: "memos")) {
                    try await store.outbox.retry(parked.id)
                }
                // Later writes to the memo wait, and pulls go on.
                try await store.update(NamedMemo(id: "a", name: "later"))
                try await upgraded.server.table.update(NamedMemo(id: "c", name: "theirs"))
                try await upgraded.server.table.update(NamedMemo(id: "a", name: "a", size: 7))
                try await store.pull()
                #expect(try await store.local.object(withId: "c")?.name == "theirs")
                #expect(try await store.local.object(withId: "a")?.name == "later")
            }
            let store = try upgraded.store(.renamed("title", to: "name"))
            await eventually { store.outbox.status.value.isInStep }
            #expect(try await upgraded.server.rows().map(\.name) == ["later", "theirs"])
        }
    }

    @Test("A write that cannot be read can be given up")
    func unknownAndGivenUp() async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b")], to: NamedMemo.schema,
            ["a", "b"].map { NamedMemo(id: $0, name: $0) }, "ALTER TABLE memos RENAME COLUMN title TO name"
        ) { store in
            try await store.update(memo("a", title: "mine"))
            try await store.insert(memo("c"))
        } next: { upgraded in
            let store = try upgraded.store()
            upgraded.server.backend.behave()
            await eventually { store.outbox.parked.value.count == 2 }
            try await upgraded.server.table.delete(NamedMemo(id: "a", name: "a"))
            try await store.pull()
            for write in store.outbox.parked.value { try await store.outbox.giveUp(write.id) }
            #expect(store.outbox.status.value.isInStep)
            #expect(try await store.local.all().result() == [NamedMemo(id: "b", name: "b")])
        }
    }

    @Test(
        "A value that its property can no longer hold is not left out of its write, whether the store has it still or not",
        arguments: ["UPDATE memos SET size = 1 WHERE size NOT IN (1, 2)", "UPDATE memos SET size = size"])
    func otherType(migration: String) async throws {
        try await withUpgrade(
            from: Memo.schema, [memo("a"), memo("b")], to: SizedMemo.schema,
            ["a", "b"].map { SizedMemo(id: $0, title: $0, size: .small) },
            migration
        ) { store in
            try await store.update(Memo(id: "a", title: "mine", size: 3))
            try await store.update(Memo(id: "b", title: "b", size: 2))
        } next: { upgraded in
            let store = try upgraded.store()
            upgraded.server.backend.behave()
            await eventually { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value.map(\.cause) == [.unreadable])
            #expect(store.outbox.parked.value.first?.reason.contains("holds 3 in size") == true)
            #expect(
                try await upgraded.server.rows() == [
                    SizedMemo(id: "a", title: "a", size: .small), SizedMemo(id: "b", title: "b", size: .large),
                ])
        }
    }

    @Test("A request that cannot be read is parked, and sent by a version of the program that can read it")
    func unreadableRequest() async throws {
        let database = try SQLiteDatabase(.memory)
        let sent = Locked<[String]>([])
        do {
            let outbox = try Outbox(in: database)
            let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
                throw .network(NetworkFailure(.offline))
            }
            try await requests.send(5, about: "a")
            await eventually { outbox.status.value.offlineSince != nil }
        }
        do {
            let outbox = try Outbox(in: database)
            _ = try DurableRequests<[Int]>("numbers", in: outbox) { numbers, _ throws(CoreError) in
                sent.withLock { $0.append("\(numbers)") }
            }
            await eventually { outbox.parked.value.map(\.cause) == [.unreadable] }
        }
        let outbox = try Outbox(in: database)
        _ = try DurableRequests<Int>("numbers", in: outbox) { number, _ throws(CoreError) in
            sent.withLock { $0.append("\(number)") }
        }
        await eventually { outbox.status.value.isInStep }
        #expect(sent.withLock { $0 } == ["5"])
    }

    private static let addColor = "ALTER TABLE memos ADD COLUMN color TEXT NOT NULL DEFAULT 'red'"
}

// MARK: - The versions of a memo

private struct Memo: Identifiable, Equatable, Sendable {
    var id: String
    var title: String
    var size: Int

    static let schema = Schema<Memo>(
        "memos", Memo.init, Column("id", \.id), Column("title", \.title), Column("size", \.size))
}

private func memo(_ id: String, title: String? = nil) -> Memo { Memo(id: id, title: title ?? id, size: 1) }

/// A memo with a column more.
private struct ColoredMemo: Identifiable, Equatable, Sendable {
    var id: String
    var title: String
    var size: Int
    var color: String

    static let schema = Schema<ColoredMemo>(
        "memos", ColoredMemo.init, Column("id", \.id), Column("title", \.title), Column("size", \.size),
        Column("color", \.color))
}

private func colored(_ id: String, title: String? = nil, color: String = "red") -> ColoredMemo {
    ColoredMemo(id: id, title: title ?? id, size: 1, color: color)
}

/// A memo whose title is called its name.
private struct NamedMemo: Identifiable, Equatable, Sendable {
    var id: String
    var name: String
    var size = 1

    static let schema = Schema<NamedMemo>(
        "memos", { NamedMemo(id: $0, name: $1, size: $2) }, Column("id", \.id), Column("name", \.name),
        Column("size", \.size))
}

/// A memo that has one of two sizes.
private struct SizedMemo: Identifiable, Equatable, Sendable {
    enum Size: Int, Primitive {
        case small = 1
        case large = 2
    }

    var id: String
    var title: String
    var size: Size

    static let schema = Schema<SizedMemo>(
        "memos", SizedMemo.init, Column("id", \.id), Column("title", \.title), Column("size", \.size))
}
