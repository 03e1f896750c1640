import Feedback
import Persistence
import Testing

@Suite("Updates of a SQLite table with indexes")
struct UpdateTests {
    private struct Page: Identifiable, Equatable, Sendable {
        var id: Int
        var title: String
        var text: String?
        var size: Double

        static let schema = Schema(
            "pages", Page.init, Column("id", \.id), Column("title", \.title, isIndexed: true),
            Column("text", \.text, isIndexed: true), Column("size", \.size))
    }

    private let database: SQLiteDatabase
    private let pages: SQLiteStore<Page>

    init() throws {
        database = try SQLiteDatabase(.memory)
        pages = try SQLiteStore(Page.schema, in: database)
        try database.execute("CREATE TABLE log (entry TEXT)")
        try database.execute(
            "CREATE TRIGGER titles AFTER UPDATE OF title ON pages BEGIN INSERT INTO log VALUES ('title'); END")
        try database.execute(
            "CREATE TRIGGER texts AFTER UPDATE OF text ON pages BEGIN INSERT INTO log VALUES ('text'); END")
        try database.execute(
            "CREATE TRIGGER sizes AFTER UPDATE OF size ON pages BEGIN INSERT INTO log VALUES ('size'); END")
        try pages.insert(Page(id: 1, title: "a", text: nil, size: 1)).get()
    }

    private func log() throws -> [PrimitiveValue] {
        defer { _ = try? database.execute("DELETE FROM log") }
        return try database.rows("SELECT entry FROM log ORDER BY entry").map { $0[0] }
    }

    @Test("Only the columns that change are written, by an update and by an upsert")
    func changedColumns() throws {
        try pages.update(Page(id: 1, title: "b", text: nil, size: 1)).get()
        #expect(try log() == [.text("title")])
        try pages.upsert(Page(id: 1, title: "b", text: "c", size: 2)).get()
        #expect(try log() == [.text("size"), .text("text")])
        #expect(try pages.object(withId: 1).get() == Page(id: 1, title: "b", text: "c", size: 2))
    }

    @Test("An update that changes nothing fires the table's triggers, and moves nothing in an index")
    func nothingChanged() throws {
        try pages.update(Page(id: 1, title: "a", text: nil, size: 1)).get()
        #expect(try log() == [.text("size")])
    }

    @Test("NaN equals itself, so an update does not write it again")
    func notANumber() throws {
        try pages.update(Page(id: 1, title: "a", text: nil, size: .nan)).get()
        _ = try log()
        try pages.update(Page(id: 1, title: "b", text: nil, size: .nan)).get()
        #expect(try log() == [.text("title")])
    }

    @Test("An update of an object that is not stored fails, and an upsert inserts it")
    func missing() throws {
        let page = Page(id: 2, title: "x", text: "y", size: 0)
        #expect(throws: StoreError.missing(id: "2")) { try pages.update(page).get() }
        try pages.upsert([page, Page(id: 1, title: "z", text: nil, size: 1)]).get()
        #expect(try pages.all().result().get().map(\.title) == ["z", "x"])
    }

    @Test("A row that cannot be read is replaced whole")
    func unreadable() throws {
        try database.execute("UPDATE pages SET title = x'00', size = 'large'")
        let page = Page(id: 1, title: "new", text: nil, size: 3)
        try pages.upsert(page).get()
        #expect(try pages.all().result().get() == [page])
    }

    @Test("To insert an object whose id belongs to a row that cannot be read is a duplicate, also if a value is taken")
    func unreadableDuplicate() throws {
        struct Seat: Identifiable {
            let id: String
            let code: Int
            let size: Double
        }
        let schema = Schema<Seat>(
            "seats", Seat.init, Column("id", \.id), Column("code", \.code, isUnique: true), Column("size", \.size))
        let seats = try SQLiteStore(schema, in: database)
        try seats.insert(Seat(id: "a", code: 1, size: 1)).get()
        try database.execute("UPDATE seats SET size = 'large'")
        let duplicate = StoreError.duplicate(id: "a")
        #expect(throws: duplicate) { try seats.insert(Seat(id: "a", code: 1, size: 2)).get() }
        #expect {
            try seats.insert(Seat(id: "b", code: 1, size: 2)).get()
        } throws: { error in
            if case StoreError.constraint = error { true } else { false }
        }
    }

    @Test("A row that cannot be read is updated and deleted by condition, also while the table is observed")
    func unreadableByCondition() throws {
        try pages.insert(Page(id: 2, title: "b", text: nil, size: 2)).get()
        let answers = MutableProperty<[[Double]]>([])
        let observing = pages.filter(where: \.id == 2).observe().startWithResult { result in
            if case let .success(pages) = result { answers.value.append(pages.map(\.size)) }
        }
        defer { observing.dispose() }
        try database.execute("UPDATE pages SET size = 'large' WHERE id = 1")
        #expect(try pages.update(where: .always, set: .value(\.title, "new")).get() == 2)
        #expect(try database.rows("SELECT title FROM pages") == [[.text("new")], [.text("new")]])
        #expect(try pages.delete(where: \.title == "new").get() == 2)
        #expect(try pages.all().count().get() == 0)
        #expect(answers.value.last == [])
    }

    @Test("A page moves up when a row before it is deleted, also one that cannot be read")
    func unreadableBeforePage() throws {
        try pages.insert([2, 3].map { Page(id: $0, title: "b", text: nil, size: 2) }).get()
        let observed = Observed(pages.sorted(by: \.id).page(limit: 5, offset: 1))
        try database.execute("UPDATE pages SET size = 'large' WHERE id = 1")
        #expect(try pages.delete(ids: [1]).get() == 1)
        #expect(observed.emissions.all.last?.map(\.id) == [3])
    }

    private struct Review: Identifiable, Equatable, Sendable {
        var id: Int
        var stars: Int { didSet { stars = min(stars, 5) } }

        static let schema = Schema("reviews", Review.init, Column("id", \.id), Column("stars", \.stars))
    }

    @Test("An update by condition sets a property as Swift does, whether or not the query is observed")
    func observedProperties() throws {
        func check(_ reviews: some ObservableStore<Review>) throws {
            try reviews.insert([Review(id: 1, stars: 1), Review(id: 2, stars: 7)]).get()
            #expect(try reviews.update(where: \.id == 1, set: .value(\.stars, 9)).get() == 1)
            let observed = Observed(reviews.all())
            #expect(try reviews.update(where: \.stars > 6, set: .value(\.stars, 8)).get() == 1)
            #expect(observed.emissions.all.map { $0.map(\.stars) } == [[5, 7], [5, 5]])
        }
        try check(MemoryStore(Review.schema))
        try check(SQLiteStore(Review.schema, in: database))
    }
}
