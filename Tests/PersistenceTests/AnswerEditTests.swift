import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Persistence

/// A write to a few objects changes the answers that observers were told, without a request for all objects.
@Suite("Answers that are changed by a write", .onOwnThread)
struct AnswerEditTests {
    /// The number of random writes; `PERSISTENCE_WRITES` changes it.
    static let writes = ProcessInfo.processInfo.environment["PERSISTENCE_WRITES"].flatMap(Int.init) ?? 80

    @Test("A row that a trigger leaves out, changing another one, is told as well")
    func ignoredRow() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        try films.insert(.fixture(id: 1, title: "Heat", budget: 1)).get()
        try database.execute(
            """
            CREATE TRIGGER again BEFORE INSERT ON films WHEN EXISTS (SELECT 1 FROM films WHERE title = NEW.title)
            BEGIN UPDATE films SET budget = budget + 1 WHERE title = NEW.title; SELECT RAISE(IGNORE); END
            """)
        let observed = Observed(films.sorted(by: \.id))
        films.insert(.fixture(id: 2, title: "Heat", budget: 7)).start()
        #expect(try films.all().result().get().map(\.budget) == [2])
        #expect(try observed.isTold)
    }

    // MARK: - Any writes

    @Test(
        "After each of many random writes, observers of random queries were told what the store answers",
        arguments: StoreKind.allCases, 1...2 as ClosedRange<UInt64>)
    func randomWrites(_ kind: StoreKind, seed: UInt64) throws {
        try kind.run { try checkRandomWrites(to: $0, seed: seed) }
    }

    private func checkRandomWrites(to store: some TestedStore, seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        try store.insert(random.films(60)).get()
        let observations = (0..<30).map { _ in Observed(random.query(for: store, depth: 2)) }
        for number in 0..<Self.writes / 2 {
            let write = perform(random.write(), on: store, &random)
            for observation in observations {
                let isTold = try observation.isTold
                #expect(isTold, "after write \(number), \(write), of \(observation.query)")
            }
        }
        let changes = observations.map(\.emissions.all.count).max()
        #expect(try #require(changes) > Self.writes / 10, "the writes hardly changed an answer")
    }

    /// Does one random write; returns its description.
    private func perform<S: TestedStore>(_ write: RandomWrite, on store: S, _ random: inout RandomFilms) -> String {
        let few = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.object() }
        let condition = random.condition(depth: 1)
        let isUndone = random.chance(30)
        switch write {
        case .insert: store.insert(few).start()
        case .upsert: store.upsert(few[0]).start()
        case .upsertMany: store.upsert((0..<50).map { _ in random.object() }).start()
        case .delete: store.delete(few).start()
        case .updateWhere: store.update(where: condition && \.id < 100, set: [.value(\.budget, few[0].budget)]).start()
        case .deleteWhere: store.delete(where: condition && \.id < 20).start()
        case .merge: store.merge(few, where: \.id > 500).start()
        case .transaction:
            store.transaction { films throws(StoreError) in
                try films.upsert(few)
                // Of a batch that fails, nothing is kept, but the transaction goes on.
                try? films.insert([.fixture(id: 900), few[0]])
                try films.delete(ids: [few[0].id])
                if isUndone { throw .rolledBack(reason: "") }
            }.start()
        }
        return "\(write)"
    }

    @Test("A write to a few objects asks the store only if it alone knows the new answer")
    func requests() throws {
        let films = Locked((0..<10).map { Film.fixture(id: $0) })
        let asked = Atomic(0)
        var question = Question<Film>(condition: \.budget > 0)
        question.limit = 3
        let query = try ObservedQuery(question, table: "films", id: .id, areSame: ==, isEditable: true) {
            asked.add(1, ordering: .relaxed)
            return Array(films.withLock { $0.filter { $0.budget > 0 }.prefix(3) })
        }
        let told = Emissions<[Int]>()
        let observation = Observation { result in
            guard case .success(let answer) = result, let films = answer.objects as? ObservedObjects<Film> else {
                return
            }
            told.append(films.all.map(\.id))
        }
        query.add(observation)
        query.tell()

        func write(_ film: Film, isDeleted: Bool = false) {
            films.withLock { films in
                films.removeAll { $0.id == film.id }
                if !isDeleted { films.insert(film, at: films.firstIndex { $0.id > film.id } ?? films.count) }
            }
            let edit = TableEdit(
                touched: ObservedObjects([film]), present: ObservedObjects(isDeleted ? [] : [film]))
            query.willCommit()
            query.apply(edit)
            query.tell()
        }
        write(.fixture(id: 1, title: "new"))
        write(.fixture(id: -1))  // comes in, so that one goes out
        write(.fixture(id: 7, budget: 7))  // comes after the page
        #expect(asked.load(ordering: .relaxed) == 1)
        write(.fixture(id: 0, budget: 0))  // goes out, so that another one comes in
        #expect(asked.load(ordering: .relaxed) == 2)
        write(.fixture(id: 5), isDeleted: true)
        #expect(asked.load(ordering: .relaxed) == 2)
        query.noteOtherWriters()
        write(.fixture(id: 2, title: "new"))
        #expect(asked.load(ordering: .relaxed) == 3)
        #expect(told.all == [[0, 1, 2], [0, 1, 2], [-1, 0, 1], [-1, 1, 2], [-1, 1, 2]])
        observation.end()
    }

    @Test(
        "A change is not made to an answer that was read while it was committed: that may have newer changes",
        arguments: [false, true])
    func answersReadMeanwhile(_ beginsBefore: Bool) throws {
        let films = Locked([Film.fixture(id: 1, budget: 0)])
        let whileReading = Locked<(@Sendable () -> Void)?>(nil)
        let query = try ObservedQuery(Question<Film>(), table: "films", id: .id, areSame: ==, isEditable: true) {
            whileReading.withLock { $0.take() }?()
            return films.withLock { $0 }
        }
        let told = Emissions<[Int]>()
        func observe() -> Observation {
            let observation = Observation { result in
                guard case .success(let answer) = result, let films = answer.objects as? ObservedObjects<Film> else {
                    return
                }
                told.append(films.all.map(\.budget))
            }
            query.add(observation)
            return observation
        }
        let observations = [observe(), observe()]
        query.tell()
        let film = Film.fixture(id: 1, budget: 1)
        let edit = TableEdit(touched: ObservedObjects([film]), present: ObservedObjects([film]))
        // This process commits 1, and then another process commits 2, before the observers are told of either.
        if beginsBefore {
            whileReading.withLock { action in
                action = {
                    query.willCommit()
                    films.withLock { $0 = [.fixture(id: 1, budget: 2)] }
                }
            }
        } else {
            query.willCommit()
            films.withLock { $0 = [.fixture(id: 1, budget: 2)] }
        }
        query.invalidate()
        observations[0].change(of: query)
        query.apply(edit)
        query.tell()
        #expect(told.all == [[0], [0], [2], [2]])
        for observation in observations { observation.end() }
    }

    @Test("A write to an observed SQLite store reads the changed object again, and no others")
    func reads() throws {
        let database = try SQLiteDatabase(.memory)
        let goods = try SQLiteStore(Good.schema, in: database)
        try goods.insert((0..<100).map { Good(id: $0, price: Price(rawValue: $0)) }).get()
        let told = Observed(goods.all())
        try goods.upsert(Good(id: 0, price: Price(rawValue: 1_000))).get()
        let before = Price.made.load(ordering: .relaxed)
        try goods.upsert(Good(id: 1, price: Price(rawValue: 1_001))).get()
        try goods.delete(Good(id: 2, price: Price(rawValue: 2))).run()
        #expect(Price.made.load(ordering: .relaxed) - before < 20)
        #expect(told.emissions.all.map { $0.prefix(3).map(\.id) } == [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 3]])
    }

    // MARK: - Changes that are not the writer's own

    @Test("What a trigger changes is told, also in other rows and tables")
    func triggers() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try films.insert((0..<5).map { .fixture(id: $0, budget: $0) }).get()
        try tags.insert(Tag(id: 1, name: "")).get()
        try database.execute(
            """
            CREATE TRIGGER others AFTER UPDATE ON films WHEN new.id = 1 BEGIN
                UPDATE films SET budget = budget + 100 WHERE id = 3;
                UPDATE tags SET name = name || 'x';
            END
            """)
        let told = Observed(films.all())
        let toldTags = Observed(tags.all())
        for budget in 10..<13 { try films.update(.fixture(id: 1, budget: budget)).get() }
        #expect(told.emissions.all.last?.map(\.budget) == [0, 12, 2, 303, 4])
        #expect(toldTags.emissions.all.last?.map(\.name) == ["xxx"])
    }

    @Test("A trigger that writes to another table makes only queries of that table ask again")
    func triggersOfOtherTables() throws {
        let database = try SQLiteDatabase(.memory)
        let goods = try SQLiteStore(Good.schema, in: database)
        let films = try SQLiteStore(Film.schema, in: database)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try goods.insert((0..<100).map { Good(id: $0, price: Price(rawValue: $0)) }).get()
        try tags.insert(Tag(id: 1, name: "")).get()
        try database.execute("CREATE TABLE log (entry INTEGER PRIMARY KEY, of INTEGER)")
        for table in ["goods", "films"] {
            try database.execute(
                """
                CREATE TRIGGER \(name: "noting " + table) AFTER UPDATE ON \(name: table) BEGIN
                    INSERT INTO log (of) VALUES (new.id);
                    UPDATE TAGS SET name = name || 'x' WHERE id = 1;
                END
                """)
        }
        let toldGoods = Observed(goods.all())
        let toldTags = Observed(tags.all())
        try films.insert((0..<3).map { .fixture(id: $0) }).get()
        let before = Price.made.load(ordering: .relaxed)
        for price in 1_000..<1_003 { try goods.update(Good(id: 1, price: Price(rawValue: price))).get() }
        try films.update(.fixture(id: 1)).get()
        try goods.transaction { goods throws(StoreError) in
            try goods.update([Good(id: 2, price: Price(rawValue: 7))])
            try goods.with(tags).insert([Tag(id: 2, name: "own")])
        }.get()
        #expect(Price.made.load(ordering: .relaxed) - before < 60)
        #expect(toldGoods.emissions.all.last?.prefix(3).map(\.price.rawValue) == [0, 1_002, 7])
        #expect(toldTags.emissions.all.map { $0.map(\.name) }.last == ["xxxxx", "own"])
        #expect(toldTags.emissions.all.count == 6)
    }

    @Test("What a trigger does in a table whose changes SQLite does not report is told as well")
    func triggersWithoutRowIDs() throws {
        let database = try SQLiteDatabase(.memory)
        try database.execute("CREATE TABLE tags (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID")
        let tags = try SQLiteStore(Tag.schema, in: database)
        let films = try SQLiteStore(Film.schema, in: database)
        try tags.insert([Tag(id: 1, name: ""), Tag(id: 2, name: "")]).get()
        try films.insert(.fixture(id: 1)).get()
        try database.execute(
            """
            CREATE TRIGGER clearing AFTER UPDATE ON films BEGIN
                DELETE FROM tags WHERE id = 1;
                UPDATE tags SET name = new.title;
            END
            """)
        let told = Observed(tags.all())
        try films.update(.fixture(id: 1, title: "a")).get()
        #expect(told.emissions.all.map { $0.map(\.name) } == [["", ""], ["a"]])
        try database.execute("DROP TRIGGER clearing")
        try database.execute("CREATE TRIGGER clearing AFTER UPDATE ON films BEGIN DELETE FROM tags; END")
        try films.update(.fixture(id: 1, title: "b")).get()
        #expect(told.emissions.all.last?.map(\.name) == [])
    }

    @Test("What a trigger changes is told to an observer that came during the transaction")
    func triggersBeforeObservation() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try films.insert(.fixture(id: 1)).get()
        try tags.insert(Tag(id: 1, name: "")).get()
        try database.execute("CREATE TRIGGER naming AFTER UPDATE ON films BEGIN UPDATE tags SET name = new.title; END")
        let names = Emissions<[String]>()
        let disposables = CompositeDisposable()
        try films.transaction { films throws(StoreError) in
            try films.update([.fixture(id: 1, title: "new")])
            let isObserved = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                disposables += tags.all().observe().startWithResult { result in
                    if case .success(let tags) = result { names.append(tags.map(\.name)) }
                }
                isObserved.signal()
            }
            isObserved.wait()
        }.get()
        #expect(names.all == [[""], ["new"]])
        disposables.dispose()
    }

    @Test("A write after one of another connection tells the changes of both")
    func otherWriters() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("films.sqlite")
        let films = try SQLiteStore(Film.schema, at: path)
        let others = try SQLiteStore(Film.schema, at: path)
        try films.insert((0..<5).map { .fixture(id: $0, budget: 0) }).get()
        let told = Observed(films.all())
        for round in 1...3 {
            try films.upsert(.fixture(id: 0, budget: round)).get()
            #expect(try told.isTold)
            try others.upsert([.fixture(id: 1, budget: round), .fixture(id: 10 + round)]).get()
            try films.upsert(.fixture(id: 2, budget: round)).get()
            #expect(try told.isTold)
        }
        #expect(told.emissions.all.last?.map(\.id) == [0, 1, 2, 3, 4, 11, 12, 13])
    }

    @Test("Rows that SQLite replaces by itself leave the answer")
    func replacedRows() throws {
        let database = try SQLiteDatabase(.memory)
        try database.execute(
            "CREATE TABLE tags (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE)")
        let tags = try SQLiteStore(Tag.schema, in: database)
        try tags.insert([Tag(id: 1, name: "a"), Tag(id: 2, name: "b")]).get()
        let told = Observed(tags.all())
        try tags.upsert(Tag(id: 1, name: "c")).get()
        try tags.insert(Tag(id: 3, name: "b")).get()
        #expect(told.emissions.all.last?.map(\.id) == [1, 3])
    }

    @Test("Stores that write a table's name in other letters observe each other's writes")
    func letters() throws {
        let database = try SQLiteDatabase(.memory)
        let tags = try SQLiteStore(Tag.schema, in: database)
        let others = try SQLiteStore(
            Schema<Tag>("TAGS", Tag.init, Column("id", \.id), Column("name", \.name)), in: database)
        let told = Observed(tags.all())
        try others.insert(Tag(id: 1, name: "a")).get()
        try others.insert(Tag(id: 2, name: "b")).get()
        try tags.insert(Tag(id: 3, name: "c")).get()
        #expect(told.emissions.all.map { $0.map(\.id) } == [[], [1], [1, 2], [1, 2, 3]])
    }
}

private struct Tag: Identifiable, Hashable, Sendable {
    var id: Int
    var name: String

    static let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("name", \.name))
}

/// A value that counts how often one is made.
private struct Price: RawRepresentable, Primitive, Hashable {
    static let made = Atomic(0)

    let rawValue: Int

    init(rawValue: Int) {
        self.rawValue = rawValue
        Self.made.add(1, ordering: .relaxed)
    }
}

private struct Good: Identifiable, Hashable, Sendable {
    var id: Int
    var price: Price

    static let schema = Schema<Good>("goods", Good.init, Column("id", \.id), Column("price", \.price))
}

private enum RandomWrite: CaseIterable {
    case insert, upsert, upsertMany, delete, updateWhere, deleteWhere, merge, transaction
}

extension RandomFilms {
    fileprivate mutating func write() -> RandomWrite { chance(40) ? .upsert : pick(RandomWrite.allCases) }
}

/// An observed query, and what its observer was told.
private struct Observed<S: ObservableStore> {
    let query: Query<S>
    let emissions: Emissions<[S.Object]>
    private let disposable: any Disposable

    init(_ query: Query<S>) {
        self.query = query
        (emissions, disposable) = query.observe().collecting()
    }
}

extension Observed where S.Object == Film {
    /// True if what was told last is the present answer.
    var isTold: Bool {
        get throws {
            let answer = try query.result().get()
            guard let told = emissions.all.last, told.count == answer.count else { return false }
            return zip(told, answer).allSatisfy { told, stored in
                // NaN equals nothing, but its values are the same.
                Film.schema.columns.allSatisfy { $0.attribute.value(in: told) == $0.attribute.value(in: stored) }
            }
        }
    }
}
