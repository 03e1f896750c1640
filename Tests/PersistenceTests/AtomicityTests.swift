import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@Suite("Atomicity")
struct AtomicityTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func smallDatabase() throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        configuration.maximumSize = 200_000
        return try SQLiteDatabase(.file(folder.path("small.sqlite")), configuration: configuration)
    }

    @Test("When SQLite ends a transaction, its later steps fail, and nothing of it is kept")
    func endedBySQLite() throws {
        let films = try SQLiteStore(Film.schema, in: smallDatabase())
        try films.insert(.fixture(id: 0)).get()
        let error = #expect(throws: StoreError.self) {
            try films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                try? films.insert([.fixture(id: 2, poster: Data(count: 400_000))])
                try? films.insert([.fixture(id: 3)])
                try? films.update([.fixture(id: 0, title: "changed")])
                try? films.delete([.fixture(id: 0)])
            }.get()
        }
        guard case .full = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try films.all().result().get() == [.fixture(id: 0)])
        try films.insert(.fixture(id: 4)).get()
    }

    @Test("When SQLite ends a transaction within a part of it, its later steps say why, whatever the part throws")
    func endedWithinPart() throws {
        struct Refusal: Error {}
        let films = try SQLiteStore(Film.schema, in: smallDatabase())
        let later = Locked<StoreError?>(nil)
        let error = #expect(throws: StoreError.self) {
            try films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                do {
                    try films.withSavepoint {
                        do {
                            try films.insert([.fixture(id: 2, poster: Data(count: 400_000))])
                        } catch {
                            throw Refusal()
                        }
                    }
                } catch {
                    #expect(error is Refusal)
                }
                do throws(StoreError) {
                    try films.insert([.fixture(id: 3)])
                } catch {
                    later.withLock { $0 = error }
                }
            }.get()
        }
        for error in [error, later.withLock({ $0 })] {
            guard case .full? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        #expect(try films.all().count().get() == 0)
    }

    @Test("A step that a trigger fails after the row was written is not kept, also if the body goes on")
    func failedHalfWay() throws {
        let database = try SQLiteDatabase(.memory)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try tags.insert(Tag(id: 1, name: "a")).get()
        for (event, row) in [("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")] {
            try database.execute(
                SQL(
                    stringLiteral: """
                        CREATE TRIGGER no_\(event) AFTER \(event) ON tags WHEN \(row).name <> 'free'
                        BEGIN SELECT RAISE(FAIL, 'tags stay'); END
                        """))
        }
        let free = Tag(id: 9, name: "free")
        for step in ["insert", "update", "upsert", "delete"] {
            #expect(throws: StoreError.self) {
                try tags.transaction { tags throws(StoreError) in
                    try tags.insert([free])
                    do throws(StoreError) {
                        switch step {
                        case "insert": try tags.insert([Tag(id: 2, name: "b")])
                        case "update": try tags.update([Tag(id: 1, name: "c")])
                        case "upsert": try tags.upsert([Tag(id: 1, name: "d")])
                        default: try tags.delete(ids: [1])
                        }
                    } catch {}
                }.get()
            }
            #expect(try tags.all().result().get() == [Tag(id: 1, name: "a")])
        }
        // Of several objects, all are taken back, and the transaction can go on.
        try tags.transaction { tags throws(StoreError) in
            try? tags.insert([Tag(id: 2, name: "b"), Tag(id: 3, name: "c")])
            try tags.insert([free])
        }.get()
        #expect(try tags.all().result().get() == [Tag(id: 1, name: "a"), free])
    }

    @Test("A part of a transaction that a trigger has failed half-way is undone alone")
    func failedPart() throws {
        let database = try SQLiteDatabase(.memory)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try tags.transaction { transaction throws(StoreError) in
            try transaction.insert([Tag(id: 1, name: "a")])
            #expect(throws: StoreError.self) {
                try transaction.withSavepoint {
                    try transaction.execute(
                        "CREATE TRIGGER no_tag AFTER INSERT ON tags BEGIN SELECT RAISE(FAIL, 'no tags'); END")
                    try? transaction.insert([Tag(id: 2, name: "b")])
                }
            }
            // The trigger is gone, too.
            try transaction.upsert([Tag(id: 3, name: "c"), Tag(id: 1, name: "d")])
        }.get()
        #expect(try tags.all().result().get() == [Tag(id: 1, name: "d"), Tag(id: 3, name: "c")])
        #expect(try database.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") == [])
    }

    @Test("A trigger that a part has dropped is there again when the part is undone")
    func droppedTrigger() throws {
        let database = try SQLiteDatabase(.memory)
        let tags = try SQLiteStore(Tag.schema, in: database)
        let copies = try SQLiteStore(Note.schema, in: database)
        try database.execute(
            """
            CREATE TRIGGER copy AFTER UPDATE ON tags BEGIN
                INSERT OR REPLACE INTO notes VALUES ('last', 'none'); INSERT OR REPLACE INTO notes VALUES ('last', new.name);
            END
            """)
        try tags.insert(Tag(id: 1, name: "a")).get()
        let told = copies.observe(copies.all()).collecting()
        defer { told.1.dispose() }
        try tags.transaction { transaction throws(StoreError) in
            try? transaction.withSavepoint {
                try transaction.execute("DROP TRIGGER copy")
                try transaction.upsert([Tag(id: 1, name: "b")])
                throw StoreError.cancelled
            }
            try transaction.upsert([Tag(id: 1, name: "c")])
        }.get()
        #expect(try copies.all().result().get() == [Note(id: "last", text: "c")])
        #expect(told.0.all.last == [Note(id: "last", text: "c")])
    }

    @Test("A statement or a trigger that rolls back ends the whole transaction", arguments: [true, false])
    func rolledBack(_ isTrigger: Bool) throws {
        let database = try SQLiteDatabase(.file(folder.path("films.sqlite")))
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        try notes.insert(Note(id: "a", text: "b")).get()
        if isTrigger {
            try database.execute(
                "CREATE TRIGGER no BEFORE DELETE ON notes BEGIN SELECT RAISE(ROLLBACK, 'notes stay'); END")
        }
        let failures = Locked(0)
        #expect(throws: StoreError.self) {
            try films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                do throws(StoreError) {
                    if isTrigger {
                        try films.with(notes).delete(ids: ["a"])
                    } else {
                        try films.execute("INSERT OR ROLLBACK INTO notes (id, text) VALUES ('a', 'c')")
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
                do throws(StoreError) {
                    try films.with(notes).insert([Note(id: "c", text: "d")])
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }.get()
        }
        #expect(failures.withLock { $0 } == 2)
        #expect(try films.all().count().get() == 0)
        #expect(try notes.all().result().get() == [Note(id: "a", text: "b")])
    }

    @Test("A disk that becomes full within many steps keeps none of them")
    func fullInTheMiddle() throws {
        let films = try SQLiteStore(Film.schema, in: smallDatabase())
        let failures = Locked(0)
        _ = try? films.transaction { films throws(StoreError) in
            for id in 0..<4_200 {
                do throws(StoreError) {
                    try films.insert([.fixture(id: id)])
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }.get()
        #expect(failures.withLock { $0 } > 0)
        #expect(try films.all().count().get() == 0)
    }

    @Test("A store of another database does not take part in a transaction")
    func otherDatabase() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let notes = try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory))
        let error = #expect(throws: StoreError.self) {
            try films.transaction { films throws(StoreError) in
                try films.with(notes).insert([Note(id: "a", text: "b")])
            }.get()
        }
        guard case .refused = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try notes.all().count().get() == 0)
    }

    @Test("A transaction is of no use after its body, nor are those that it gave to other stores")
    func afterTheBody() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        let kept = Locked<UncheckedTransaction?>(nil)
        try films.transaction { transaction throws(StoreError) in
            let other = try transaction.with(notes)
            kept.withLock { $0 = UncheckedTransaction(value: other) }
        }.get()
        let transaction = try #require(kept.withLock { $0 }).value
        #expect(throws: StoreError.self) { try transaction.insert([Note(id: "a", text: "b")]) }
        #expect(throws: StoreError.self) { try transaction.count(notes.all()) }
        #expect(try notes.all().count().get() == 0)
    }

    @Test("Using a store past its own transaction fails, also on a file", arguments: [true, false])
    func readingInside(_ isFile: Bool) throws {
        let database = try SQLiteDatabase(isFile ? .file(folder.path("films.sqlite")) : .memory)
        let stores: [AnyStore<Film>] = [
            AnyStore(try SQLiteStore(Film.schema, in: database)), AnyStore(MemoryStore(Film.schema)),
        ]
        func read<S: TransactionalStore>(_ store: S) throws where S.Object == Film {
            #expect(throws: StoreError.insideTransaction) {
                try store.transaction { _ throws(StoreError) in _ = try store.all().result().values() }.get()
            }
            #expect(throws: StoreError.insideTransaction) {
                try store.transaction { _ throws(StoreError) in _ = try store.object(withId: 1).values() }.get()
            }
            #expect(throws: StoreError.insideTransaction) {
                try store.transaction { _ throws(StoreError) in try store.delete([.fixture(id: 1)]).run() }.get()
            }
        }
        for store in stores {
            let transactional = try #require(store.base as? any TransactionalStore<Film>)
            try read(transactional)
        }
    }

    @Test("A statement of SQL neither ends a transaction nor runs two statements")
    func rawSQL() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for sql: SQL in [
            "COMMIT", "ROLLBACK", "SAVEPOINT a", "ATTACH ':memory:' AS other", "DELETE FROM films; SELECT 1",
        ] {
            #expect(throws: StoreError.self) {
                try films.transaction { films throws(StoreError) in
                    try films.insert([.fixture(id: 1)])
                    try films.execute(sql)
                }.get()
            }
        }
        #expect(try films.all().count().get() == 0)
    }
}

// Unchecked, since the test uses it on one thread.
private struct UncheckedTransaction: @unchecked Sendable {
    let value: SQLiteTransaction<Note>
}
