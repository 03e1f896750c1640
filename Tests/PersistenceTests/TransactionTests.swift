import Feedback
import Persistence
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("All of a transaction is kept when its body succeeds", arguments: StoreKind.allCases)
    func commits(_ kind: StoreKind) throws {
        func check<S: TestedStore>(_ store: S) throws {
            try store.insert([.fixture(id: 1), .fixture(id: 2)]).get()
            let count = try store.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 3)])
                try films.update([.fixture(id: 1, title: "x")])
                try films.delete([.fixture(id: 2)])
                try films.upsert([.fixture(id: 4)])
                let found = try films.execute(store.filter(where: \.title == "x"))
                return try films.count(store.all()) * 10 + found.count
            }.get()
            #expect(count == 31)
            #expect(try store.all().result().get().map(\.id) == [1, 3, 4])
        }
        try kind.run { try check($0) }
    }

    @Test("Nothing of a transaction is kept when its body fails", arguments: StoreKind.allCases)
    func rollsBack(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let films = (0..<1000).map { Film.fixture(id: $0 * 2) }
            try store.insert(films).get()
            #expect(throws: StoreError.rolledBack(reason: "changed my mind")) {
                try store.transaction { films throws(StoreError) in
                    try films.insert((0..<1000).map { .fixture(id: $0 * 2 + 1) })
                    try films.delete(where: \.id < 900)
                    throw .rolledBack(reason: "changed my mind")
                }.get()
            }
            #expect(try store.all().result().get() == films)
            #expect(try store.filter(where: \.budget == films[0].budget).count().get() == 1000)
        }
        try kind.run { try check($0) }
    }

    @Test("A transaction ends with whatever its body throws, and keeps nothing then", arguments: StoreKind.allCases)
    func ownError(_ kind: StoreKind) async throws {
        struct Refusal: Error, Equatable { var id: Int }
        func failure<S: TestedStore>(
            of store: S, _ body: @escaping @Sendable (S.Transaction) throws -> Void
        ) async -> (any Error)? {
            do { try await store.transaction(body) } catch { return error }
            return nil
        }
        func check(_ store: some TestedStore) async throws {
            try await store.transaction { films in
                try films.insert([.fixture(id: 1)])
                try films.insert([.fixture(id: 2)])
            }
            let refusal = await failure(of: store) { films in
                try films.delete(ids: [2])
                guard try films.object(withId: 1) == nil else { throw Refusal(id: 1) }
            }
            #expect(refusal as? Refusal == Refusal(id: 1))
            let duplicate = await failure(of: store) { films in
                try films.delete(ids: [2])
                try films.insert([.fixture(id: 1)])
            }
            #expect(duplicate is StoreError)
            // An error that the body has dealt with is not the transaction's.
            try await store.transaction { films in
                do { throw Refusal(id: 3) } catch { try films.insert([.fixture(id: 3)]) }
            }
            #expect(try await store.all().result().map(\.id) == [1, 2, 3])
        }
        try await kind.run { try await check($0) }
    }

    @Test("A batch that fails inside leaves the rest of the transaction as it was", arguments: StoreKind.allCases)
    func failedBatchInside(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                try? films.insert([.fixture(id: 2), .fixture(id: 1)])
                try? films.update([.fixture(id: 1, title: "lost"), .fixture(id: 9)])
                try films.insert([.fixture(id: 3)])
            }.get()
            #expect(try store.all().result().get() == [.fixture(id: 1), .fixture(id: 3)])
        }
        try kind.run { try check($0) }
    }

    @Test("A write that fails inside after its first changes is undone as a whole, and the transaction goes on")
    func failedWritesInside() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        func check(_ store: some TransactionalStore<Note>) throws {
            _ = try store.insert([Note(id: "a", text: "1"), Note(id: "b", text: "2")]).get()
            try store.transaction { notes throws(StoreError) in
                #expect(throws: StoreError.self) { try notes.merge([Note(id: "c", text: "2")], where: \.id == "a") }
                #expect(throws: StoreError.self) {
                    try notes.upsert([Note(id: "a", text: "4"), Note(id: "c", text: "2")])
                }
                #expect(throws: StoreError.self) { try notes.update(where: .always, set: [.value(\.text, "5")]) }
                try notes.insert([Note(id: "d", text: "3")])
            }.get()
            #expect(try store.all().result().get().map(\.id) == ["a", "b", "d"])
            #expect(try store.all().result().get().map(\.text) == ["1", "2", "3"])
        }
        try check(MemoryStore(schema))
        try check(SQLiteStore(schema, in: SQLiteDatabase(.memory)))
    }

    @Test("A write around a transaction from inside fails instead of waiting forever", arguments: StoreKind.allCases)
    func noDeadlock(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            #expect(throws: StoreError.insideTransaction) {
                try store.transaction { _ throws(StoreError) in _ = try store.insert(.fixture(id: 1)).values() }.get()
            }
            try store.insert(.fixture(id: 1)).get()
        }
        try kind.run { try check($0) }
    }

    @Test("Stores of one database write together or not at all")
    func severalStores() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        #expect(throws: StoreError.duplicate(id: "1")) {
            try films.transaction { films throws(StoreError) in
                try films.with(notes).insert([Note(id: "a", text: "b")])
                try films.insert([.fixture(id: 1), .fixture(id: 1)])
            }.get()
        }
        #expect(try notes.all().count().get() == 0)
    }

    @Test("A transaction of some store takes in others of its database, and no others")
    func someStores() throws {
        func write(_ films: some TransactionalStore<Film>, _ notes: some TransactionalStore<Note>) throws(StoreError) {
            let work: SignalProducer<Void, StoreError> = films.transaction { transaction throws(StoreError) in
                let films: any StoreTransaction<AnyStore<Film>> = AnyTransaction(transaction, of: films)
                let count = try films.count(AnyStore(MemoryStore(Film.schema)).all())
                try films.insert([.fixture(id: count + 1)])
                try films.with(notes).insert([Note(id: "\(count)", text: "b")])
            }
            try work.single()?.get()
        }
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        try write(films, notes)
        #expect(try notes.all().count().get() == 1)
        let others = try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory))
        for other: any TransactionalStore<Note> in [others, MemoryStore(Note.schema)] {
            let error = #expect(throws: StoreError.self) { try write(films, other) }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        #expect(try films.all().count().get() == 1)
    }
}
