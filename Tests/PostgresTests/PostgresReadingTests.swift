import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Postgres

@Suite("Reading objects from PostgreSQL")
struct PostgresReadingTests {
    private func films(connections: Int = 8) throws -> PostgresStore<Film> {
        try PostgresStore(Film.schema, in: TestServer.running().database { $0.maximumConnections = connections })
    }

    /// A condition that PostgreSQL does not test.
    private let inMemory = Condition<Film>.contains(\.title, "A", [.caseInsensitive])

    @Test("A plan is the statement, followed by the steps of PostgreSQL and by what is tested in memory")
    func plan() throws {
        let films = try films()
        let steps = try films.filter(where: inMemory && \.budget == 7).plan().get().steps
        #expect(steps.first?.hasPrefix("SELECT ") == true && steps.first?.contains("\"budget\" = ") == true)
        #expect(steps.dropFirst().contains { $0.contains("Scan") && $0.contains(" on films") })
        #expect(steps.last?.hasPrefix("FILTER in memory") == true)
        let tested = try films.filter(where: \.budget == 7).plan().get().steps
        #expect(tested.first?.hasPrefix("SELECT ") == true)
        #expect(tested.filter { $0.hasPrefix("FILTER") } == [])
    }

    @Test("A task gets the objects that match, also if PostgreSQL does not test all of the condition")
    func testedInMemory() async throws {
        let films = try films()
        try await films.insert((0..<4).map { .fixture(id: $0, title: $0 % 2 == 0 ? "a" : "b") })
        let query = films.filter(where: inMemory && \.id > 0)
        #expect(try await query.result().map(\.id) == [2])
        #expect(try await query.count() == 1)
        #expect(try films.answerCount(query) == 1)
        // One statement is enough only without such a part, and then the task is suspended while the server works.
        #expect(try films.table.statement(for: query.question) == nil)
        #expect(try films.table.statement(for: films.filter(where: \.id > 0).question) != nil)
    }

    @Test("The sum of no numbers is zero, and they have no average")
    func sumOfNothing() throws {
        let films = try films()
        #expect(try films.all().sum(\.budget).get() == 0)
        #expect(try films.all().average(\.budget).get() == nil)
        #expect(try films.all().sum(\.score).get() == 0)
        #expect(try films.all().average(\.score).get() == nil)
    }

    @Test("Sums, averages, extremes and distinct values are of the numbers that there are")
    func aggregates() throws {
        let films = try films()
        try films.insert([
            .fixture(id: 1, budget: 2, score: 0.5, year: nil), .fixture(id: 2, budget: 3, score: 2.25, year: 1949),
            .fixture(id: 3, budget: 5, score: 1, year: 1960), .fixture(id: 4, budget: 2, score: 1, year: 1949),
        ]).get()
        #expect(try films.all().sum(\.budget).get() == 12)
        #expect(try films.all().average(\.budget).get() == 3)
        #expect(try films.all().sum(\.score).get() == 4.75)
        #expect(try films.all().average(\.score).get() == 1.1875)
        #expect(try films.all().min(\.year).get() == 1949)
        #expect(try films.all().max(\.year).get() == 1960)
        #expect(try films.filter(where: \.id == 1).max(\.year).get() == nil)
        #expect(try films.all().distinct(\.year).get() == [nil, 1949, 1960])
        #expect(try films.all().count(by: \.year).get() == [nil: 1, 1949: 2, 1960: 1])
    }

    @Test("After a read that has failed, its connection is used again")
    func failedReads() throws {
        let films = try films(connections: 1)
        try films.insert((0..<10).map { .fixture(id: $0, title: "a\($0)") }).get()
        let database = films.database
        try database.execute("UPDATE films SET rating = 'XXX' WHERE id = 5")
        let session = try database.rows("SELECT pg_backend_pid()")
        let page = films.filter(where: inMemory).page(limit: 5, offset: 4)
        let reads: [() throws -> Void] = [
            { _ = try database.rows("SELECT 1 / 0") }, { _ = try database.rows("SELECT nothing FROM films") },
            { _ = try films.select("SELECT id FROM films").get() }, { _ = try films.answer(page) },
            { _ = try films.all().result().get() },
        ]
        for read in reads {
            #expect(throws: StoreError.self) { try read() }
            #expect(try database.rows("SELECT pg_backend_pid()") == session)
        }
    }

    @Test("The server is not asked to stop a read that has ended")
    func ended() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder)))
        // Such a request is a connection of its own.
        proxy.hold(true)
        for _ in 0..<50 { #expect(try films.all().count().get() == 0) }
        #expect(proxy.held == 0)
    }

    @Test("A page that is filled in memory does not end the transaction that asks for it")
    func pagesInTransaction() throws {
        let films = try films()
        try films.insert([
            .fixture(id: 1, title: "a", year: 1950), .fixture(id: 2, title: "a", year: nil),
            .fixture(id: 3, title: "a", year: 1960),
        ]).get()
        let first = try #require(try films.find(1))
        for order in [SortCriterion<Film>.Order.ascending, .descending] {
            let sorted = films.filter(where: inMemory).sorted(by: \.year, inOrder: order)
            let all = try films.answer(sorted).map(\.id)
            // The second page may begin before an object without a value, so that it takes two statements.
            let pages = [sorted.page(limit: 2), sorted.page(after: first, limit: 10)]
            #expect(throws: StoreError.rolledBack(reason: "no")) {
                try films.perform { transaction throws(StoreError) in
                    try transaction.insert([.fixture(id: 4, title: "b")])
                    let found = [try transaction.execute(pages[0]), try transaction.execute(pages[1])]
                    #expect(found[0].map(\.id) == Array(all.prefix(2)))
                    #expect(found[1].map(\.id) == Array(all.drop { $0 != 1 }.dropFirst()))
                    throw .rolledBack(reason: "no")
                }
            }
            #expect(try films.all().count().get() == 3)
        }
    }

    @Test("The values of a row that cannot be read are freed, also those before the one that does not fit")
    func unreadableRow() async throws {
        let store = try await PostgresStore(Letter.schema, in: TestServer.running().database())
        try await store.insert((1...3).map { Letter(id: $0, text: Counted(rawValue: "\($0)"), rating: .G) })
        #expect(try await store.all().result().map(\.text.rawValue) == ["1", "2", "3"])
        await eventually("all are freed") { Counted.living == 0 }
        try store.database.execute("UPDATE letters SET rating = 'XXX' WHERE id = 2")
        let error = await #expect(throws: StoreError.self) { try await store.sorted(by: \.id).result() }
        guard case .unreadable(table: "letters", id: "2", column: "rating", found: _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        await eventually("all are freed") { Counted.living == 0 }
    }
}

private struct Letter: Identifiable, Sendable {
    var id: Int
    var text: Counted
    var rating: Rating

    static let schema = Schema<Letter>(
        "letters", Letter.init, Column("id", \.id), Column("text", \.text), Column("rating", \.rating))
}

/// A text that counts how many of its kind there are.
private struct Counted: RawRepresentable, Primitive {
    private final class Mark: Sendable {
        static let count = Atomic(0)

        init() { Self.count.add(1, ordering: .relaxed) }

        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    static var living: Int { Mark.count.load(ordering: .relaxed) }

    let rawValue: String
    private let mark = Mark()

    init(rawValue: String) { self.rawValue = rawValue }

    static func == (one: Counted, other: Counted) -> Bool { one.rawValue == other.rawValue }

    func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
