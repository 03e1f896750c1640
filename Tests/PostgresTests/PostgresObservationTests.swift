import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Testing

@Suite("Observing across databases")
struct PostgresObservationTests {
    @Test("An observer sees the writes of others, each answer once, and the last one always")
    func others() async throws {
        let address = try TestServer.running().address()
        let films = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let others = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation) = films.filter(where: \.budget > 0).observe().map { $0.map(\.id) }.collecting()
        await eventually("the first answer is there") { answers.all == [[]] }
        try await others.insert(.fixture(id: 1))
        await eventually("it sees an insertion") { answers.all.last == [1] }
        try await others.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 2)])
            try films.insert([.fixture(id: 3)])
            try films.delete([.fixture(id: 1)])
        }
        await eventually("it sees a transaction") { answers.all.last == [2, 3] }
        // A change that is rolled back, or does not alter the answer, emits nothing.
        _ = try? await others.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 4)])
            throw .rolledBack(reason: "no")
        }
        try await others.insert(.fixture(id: 5, budget: 0))
        try others.database.execute("DELETE FROM films WHERE id = 2")
        await eventually("it sees a statement") { answers.all.last == [3] }
        try await films.insert(.fixture(id: 6))
        await eventually("it sees a write of its own database") { answers.all.last == [3, 6] }
        #expect(answers.all == [[], [1], [2, 3], [3], [3, 6]])
        observation.dispose()
    }

    @Test("Observers converge while many write")
    func stress() async throws {
        let address = try TestServer.running().address()
        let films = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation) = films.all().observe().map(\.count).collecting()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let films = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
                    for number in 0..<25 { try await films.insert(.fixture(id: writer * 1000 + number)) }
                }
            }
            try await group.waitForAll()
        }
        await eventually("the last answer is complete") { answers.all.last == 100 }
        #expect(answers.all == answers.all.sorted())
        observation.dispose()
    }

    @Test("An observer may use the store while it receives an answer")
    func reentrancy() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        let counts = Emissions<Int>()
        let observation = films.all().observe().flatMap(.concat) { _ in films.all().count() }.startWithResult {
            result in
            if case .success(let count) = result { counts.append(count) }
        }
        try await films.insert(.fixture(id: 1))
        await eventually("it has counted") { counts.all.last == 1 }
        observation.dispose()
    }

    @Test("An observer may wait for the answer to another observed query while it receives an answer")
    func nested() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        let seen = Emissions<[Int]>()
        let observation = films.all().observe().startWithResult { _ in
            if case .success(let films)? = films.filter(where: \.budget > 0).observe().first() {
                seen.append(films.map(\.id))
            }
        }
        try await films.insert(.fixture(id: 1))
        await eventually("it has seen both answers") { seen.all.last == [1] }
        observation.dispose()
    }

    @Test("An observation keeps its database, which nobody else holds, until it is disposed of")
    func ownership() async throws {
        let address = try TestServer.running().address()
        let others = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation, database) = try await Self.observeAndLetGo(address)
        await eventually("the first answer is there") { answers.all == [[]] }
        try await others.insert(.fixture(id: 1))
        await eventually("it sees the write of another one") { answers.all == [[], [1]] }
        observation.dispose()
        await eventually("the database is closed") { database.isGone }
    }

    private static func observeAndLetGo(
        _ address: String
    ) async throws -> (Emissions<[Int]>, any Disposable, WeakDatabase) {
        let films = try await PostgresStore(Film.schema, in: PostgresDatabase(address))
        let (answers, observation) = films.all().observe().map { $0.map(\.id) }.collecting()
        return (answers, observation, WeakDatabase(films.database))
    }

    // Unchecked, since it is never changed; a weak reference can be read by all threads.
    private final class WeakDatabase: @unchecked Sendable {
        private weak var database: PostgresDatabase?

        init(_ database: PostgresDatabase) { self.database = database }

        var isGone: Bool { database == nil }
    }

    @Test(
        "An observer sees the rows that a foreign key or a trigger changes",
        arguments: [
            "ALTER TABLE tags ADD FOREIGN KEY (film) REFERENCES films ON DELETE CASCADE",
            "ALTER TABLE tags ADD FOREIGN KEY (film) REFERENCES films ON DELETE SET NULL",
            """
            CREATE FUNCTION clearing() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM tags WHERE film = old.id; RETURN NULL; END';
            CREATE TRIGGER clearing AFTER DELETE ON films FOR EACH ROW EXECUTE FUNCTION clearing()
            """,
        ])
    func otherTables(_ statements: String) async throws {
        let address = try TestServer.running().addressOfOwnDatabase()
        var database = try await PostgresDatabase(address)
        _ = try await PostgresStore(Film.schema, in: database)
        _ = try await PostgresStore(Tag.schema, in: database)
        database = try await PostgresDatabase(address, migrations: [Migration(to: 2, statements)])
        let films = try await PostgresStore(Film.schema, in: database)
        let tags = try await PostgresStore(Tag.schema, in: database)
        let others = try await PostgresStore(Tag.schema, in: PostgresDatabase(address, migrations: [Migration(to: 2)]))
        try await films.insert([.fixture(id: 1), .fixture(id: 2)])
        try await tags.insert([Tag(id: 1, film: 1), Tag(id: 2, film: 2)])
        let (answers, observation) = tags.filter(where: \.film > 0).observe().collecting()
        let (seenByOthers, other) = others.filter(where: \.film > 0).observe().collecting()
        await eventually("the first answers are there") { answers.all.count == 1 && seenByOthers.all.count == 1 }
        try await films.delete(ids: [1])
        await eventually("they see it") { answers.all.count == 2 && seenByOthers.all.count == 2 }
        try await films.transaction { films throws(StoreError) in _ = try films.delete(where: .always) }
        await eventually("they see it in a transaction") {
            answers.all.map { $0.map(\.id) } == [[1, 2], [2], []] && seenByOthers.all.last == []
        }
        observation.dispose()
        other.dispose()
    }

    @Test("An observer sees the rows that a trigger changes which is newer than the stores")
    func laterTrigger() async throws {
        let address = try TestServer.running().addressOfOwnDatabase()
        let database = try await PostgresDatabase(address)
        let films = try await PostgresStore(Film.schema, in: database)
        let tags = try await PostgresStore(Tag.schema, in: database)
        let others = try await PostgresStore(Tag.schema, in: PostgresDatabase(address))
        try await films.insert([.fixture(id: 1), .fixture(id: 2)])
        try await tags.insert([Tag(id: 1, film: 1), Tag(id: 2, film: 2)])
        try database.execute(
            """
            CREATE FUNCTION clearing() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN DELETE FROM tags WHERE film = old.id; RETURN NULL; END'
            """)
        try database.execute(
            "CREATE TRIGGER clearing AFTER DELETE ON films FOR EACH ROW EXECUTE FUNCTION clearing()")
        let (answers, observation) = tags.all().observe().map { $0.map(\.id) }.collecting()
        let (seenByOthers, other) = others.all().observe().map { $0.map(\.id) }.collecting()
        await eventually("the first answers are there") { answers.all == [[1, 2]] && seenByOthers.all == [[1, 2]] }
        try await films.delete(ids: [1])
        // The own database knows at once, also for those who begin to observe now.
        #expect(try await tags.all().observe().first() == [Tag(id: 2, film: 2)])
        await eventually("they see it") { answers.all.last == [2] && seenByOthers.all.last == [2] }
        try await films.transaction { films throws(StoreError) in _ = try films.delete(where: .always) }
        await eventually("they see it in a transaction") { answers.all.last == [] && seenByOthers.all.last == [] }
        observation.dispose()
        other.dispose()
    }

    @Test(
        "An observer of a table sees what is written to its parts, and an observer of a part what is written to the table",
        arguments: [
            [
                "CREATE TABLE tags (id int8 PRIMARY KEY, film int8) PARTITION BY RANGE (id)",
                "CREATE TABLE old_tags PARTITION OF tags FOR VALUES FROM (0) TO (1000) PARTITION BY RANGE (id)",
                "CREATE TABLE oldest_tags PARTITION OF old_tags FOR VALUES FROM (0) TO (100)",
            ],
            [
                "CREATE TABLE oldest_tags (id int8 PRIMARY KEY, film int8)",
                "CREATE TABLE tags (id int8 PRIMARY KEY, film int8)",
                "ALTER TABLE oldest_tags INHERIT tags",
            ],
        ])
    func parts(_ statements: [String]) async throws {
        let address = try TestServer.running().addressOfOwnDatabase()
        let database = try await PostgresDatabase(address)
        for statement in statements { try database.execute(SQL(stringLiteral: statement)) }
        let tags = try await PostgresStore(Tag.schema, in: database)
        let part = try await PostgresStore(Tag.schema(named: "oldest_tags"), in: database)
        let other = try await PostgresStore(Tag.schema, in: PostgresDatabase(address))
        let otherPart = try await PostgresStore(Tag.schema(named: "oldest_tags"), in: PostgresDatabase(address))
        var observations: [any Disposable] = []
        defer { for observation in observations { observation.dispose() } }
        let all = [tags, part, other, otherPart].map { store in
            let (answers, observation) = store.all().observe().map { $0.map(\.id) }.collecting()
            observations.append(observation)
            return answers
        }
        await eventually("the first answers are there") { all.allSatisfy { $0.all == [[]] } }
        try await part.insert(Tag(id: 1, film: 1))
        await eventually("all see what is written to the part") { all.allSatisfy { $0.all.last == [1] } }
        _ = try await tags.delete(where: \.film == 1)
        await eventually("all see what is written to the table") { all.allSatisfy { $0.all.last == [] } }
    }

    @Test("An observation cannot begin in the body of a transaction, which its first answer would not see")
    func inTransaction() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        let errors = Emissions<StoreError>()
        let answers = Emissions<[Film]>()
        try await films.transaction { transaction throws(StoreError) in
            try transaction.insert([.fixture(id: 1)])
            films.all().observe().startWithResult { result in
                switch result {
                case .success(let films): answers.append(films)
                case .failure(let error): errors.append(error)
                }
            }
        }
        #expect(errors.all == [.insideTransaction])
        #expect(answers.all == [])
    }

    @Test("A page whose texts are matched in memory is observed as others are")
    func page() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        try await films.insert((0..<6).map { .fixture(id: $0, title: $0 == 2 ? "b" : "a") })
        let page = films.filter(where: .contains(\.title, "A", [.caseInsensitive])).page(limit: 2, offset: 1)
        let (answers, observation) = page.observe().map { $0.map(\.id) }.collecting()
        await eventually("the first answer is there") { answers.all == [[1, 3]] }
        try await films.delete(ids: [1])
        await eventually("it sees a deletion") { answers.all.last == [3, 4] }
        observation.dispose()
    }

    @Test("An observer of a server that is not there is told so")
    func refused() async throws {
        let database = try TestServer.running().database()
        let films = try await PostgresStore(Film.schema, in: database)
        try database.execute("DROP TABLE films")
        let errors = Emissions<StoreError>()
        let observation = films.all().observe().startWithFailed { errors.append($0) }
        await eventually("it was told") { errors.all.count == 1 }
        observation.dispose()
    }
}

private struct Tag: Identifiable, Hashable, Sendable {
    var id: Int
    var film: Int?

    static let schema = schema(named: "tags")

    static func schema(named table: String) -> Schema<Tag> {
        Schema(table, Tag.init, Column("id", \.id), Column("film", \.film))
    }
}

/// The values that a producer has emitted.
final class Emissions<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}

extension SignalProducer {
    /// Starts, and collects what is emitted.
    func collecting() -> (emissions: Emissions<Value>, disposable: any Disposable) {
        let emissions = Emissions<Value>()
        return (emissions, startWithResult { if case .success(let value) = $0 { emissions.append(value) } })
    }
}
