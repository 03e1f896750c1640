import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

/// Triggers, other connections and SQLite itself change rows that a transaction has not written.
@Suite("Changes that are not the writer's own", .onOwnThread)
struct OtherChangesTests {
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

    @Test("Changes by a trigger are told, also in other rows and tables")
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
        try goods.insert((0..<100).map { Good(id: $0, price: Price(rawValue: 10_000 + $0)) }).get()
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
        let before = Price.timesMade(10_000..<20_000)
        for price in 11_000..<11_003 { try goods.update(Good(id: 1, price: Price(rawValue: price))).get() }
        try films.update(.fixture(id: 1)).get()
        try goods.transaction { goods throws(StoreError) in
            try goods.update([Good(id: 2, price: Price(rawValue: 10_007))])
            try goods.with(tags).insert([Tag(id: 2, name: "own")])
        }.get()
        #expect(Price.timesMade(10_000..<20_000) - before < 60)
        #expect(toldGoods.emissions.all.last?.prefix(3).map(\.price.rawValue) == [10_000, 11_002, 10_007])
        #expect(toldTags.emissions.all.map { $0.map(\.name) }.last == ["xxxxx", "own"])
        #expect(toldTags.emissions.all.count == 6)
    }

    @Test("Changes by a trigger in a table whose changes SQLite does not report are told as well")
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

    @Test("They are told also if SQLite has reported as many rows of a step that has failed, and was taken back")
    func triggersWithFailedStep() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let tags = try SQLiteStore(Tag.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        try films.insert(.fixture(id: 1)).get()
        try notes.insert(Note(id: "a", text: "")).get()
        try database.execute("CREATE TRIGGER naming AFTER UPDATE ON films BEGIN UPDATE notes SET text = new.title; END")
        try database.execute("CREATE TRIGGER no AFTER INSERT ON tags BEGIN SELECT RAISE(ABORT, 'no tags'); END")
        let told = Observed(notes.all())
        try films.transaction { films throws(StoreError) in
            let tags = try films.with(tags)
            #expect(throws: StoreError.self) { try tags.insert([Tag(id: 1, name: "")]) }
            try films.update([.fixture(id: 1, title: "new")])
        }.get()
        #expect(told.emissions.all.map { $0.map(\.text) } == [[""], ["new"]])
    }

    @Test("Changes by a trigger in its own table, whose changes SQLite does not report, are told as well")
    func triggerOfItsOwnTable() throws {
        let database = try SQLiteDatabase(.memory)
        let notes = try SQLiteStore(Note.schema, in: database)
        try notes.insert([Note(id: "a", text: ""), Note(id: "b", text: "")]).get()
        try database.execute(
            """
            CREATE TRIGGER copying AFTER UPDATE ON notes WHEN new.id = 'a' BEGIN
                UPDATE notes SET text = new.text WHERE id = 'b';
            END
            """)
        let told = Observed(notes.all())
        try notes.update(Note(id: "a", text: "new")).get()
        #expect(told.emissions.all.last?.map(\.text) == ["new", "new"])
    }

    @Test("Changes by a trigger are told to an observer that came during the transaction")
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

    @Test("Changes by a condition are told to an observer that came during the transaction", arguments: [false, true])
    func conditionBeforeObservation(_ isDeletion: Bool) throws {
        let tags = try SQLiteStore(Tag.schema, in: SQLiteDatabase(.memory))
        try tags.insert([Tag(id: 1, name: "a"), Tag(id: 2, name: "b")]).get()
        let names = Emissions<[String]>()
        let disposables = CompositeDisposable()
        try tags.transaction { transaction throws(StoreError) in
            if isDeletion {
                try transaction.delete(where: \.name == "a")
            } else {
                try transaction.update(where: \.name == "a", set: [.value(\.name, "c")])
            }
            onThreadsBlocking(1) { _ in
                disposables += tags.all().observe().startWithResult { result in
                    if case .success(let tags) = result { names.append(tags.map(\.name)) }
                }
            }
        }.get()
        #expect(names.all == [["a", "b"], isDeletion ? ["b"] : ["c", "b"]])
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
        let films = try SQLiteStore(Film.schema, in: database)
        try tags.insert([Tag(id: 1, name: "a"), Tag(id: 2, name: "b")]).get()
        try database.execute(
            "CREATE TRIGGER tagging AFTER INSERT ON films BEGIN INSERT INTO tags VALUES (new.id, new.title); END")
        let told = Observed(tags.all())
        try films.insert(.fixture(id: 3, title: "b")).get()
        #expect(told.emissions.all.last?.map(\.id) == [1, 3])
    }

    @Test("A write to a table with a full-text index makes only those queries ask again that it concerns")
    func fullTextIndex() throws {
        let database = try SQLiteDatabase(.memory)
        let goods = try SQLiteStore(Good.schema, in: database)
        let films = try SQLiteStore(Film.schema, in: database)
        let tags = try SQLiteStore(Tag.schema, in: database)
        try goods.insert((0..<100).map { Good(id: $0, price: Price(rawValue: 40_000 + $0)) }).get()
        try films.insert((0..<3).map { .fixture(id: $0) }).get()
        try tags.insert(Tag(id: 1, name: "a")).get()
        for table in ["goods", "films"] {
            try database.execute("CREATE VIRTUAL TABLE \(name: table + " texts") USING fts5(text)")
            try database.execute(
                """
                CREATE TRIGGER \(name: table + " indexing") AFTER UPDATE ON \(name: table) BEGIN
                    DELETE FROM \(name: table + " texts") WHERE rowid = old.id;
                    INSERT INTO \(name: table + " texts") (rowid, text) VALUES (new.id, 'id ' || new.id);
                END
                """)
        }
        let toldGoods = Observed(goods.all())
        let toldFilms = Observed(films.all())
        let toldTags = Observed(tags.all())
        // SQLite prepares the statements again after a change of the schema.
        try films.update(.fixture(id: 1, budget: 9)).get()
        try goods.update(Good(id: 1, price: Price(rawValue: 40_999))).get()
        try database.execute("CREATE TABLE other (x)")
        let before = Price.timesMade(40_000..<50_000)
        for budget in 0..<3 { try films.update(.fixture(id: 1, budget: budget)).get() }
        #expect(Price.timesMade(40_000..<50_000) == before)
        #expect(try toldFilms.isTold)
        try goods.update(Good(id: 1, price: Price(rawValue: 41_000))).get()
        #expect(Price.timesMade(40_000..<50_000) - before < 60)
        #expect(toldGoods.emissions.all.last?[1].price.rawValue == 41_000)

        // SQLite would not report the rows of a table that a trigger empties.
        try database.execute(
            "CREATE TRIGGER emptying AFTER UPDATE ON films BEGIN DELETE FROM tags; DELETE FROM goods; END")
        try tags.transaction { tags throws(StoreError) in
            try tags.update([Tag(id: 1, name: "b")])
            try tags.with(films).update([.fixture(id: 2, budget: 7)])
        }.get()
        #expect(toldTags.emissions.all.last == [])
        #expect(toldGoods.emissions.all.last == [])
        #expect(try toldFilms.isTold)
    }

    @Test("A write that joins a page from which another connection has taken an object is told")
    func pageWithRoom() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("films.sqlite")
        let films = try SQLiteStore(Film.schema, at: path)
        let others = try SQLiteStore(Film.schema, at: path)
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        let told = Observed(films.all().page(limit: 2))
        try others.delete(ids: [1]).get()
        try films.insert(.fixture(id: 3)).get()
        #expect(told.emissions.all.last?.map(\.id) == [2, 3])
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
