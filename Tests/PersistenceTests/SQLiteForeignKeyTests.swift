import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Foreign keys of a SQLite file", .onOwnThread)
struct SQLiteForeignKeyTests {
    private struct Role: Identifiable, Hashable, Sendable {
        var id: Int
        var film: Int?

        static let schema = Schema("roles", Role.init, Column("id", \.id), Column("film", \.film))
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("films.sqlite")
    }

    private func stores(onDelete action: String) throws -> (films: SQLiteStore<Film>, roles: SQLiteStore<Role>) {
        let database = try SQLiteDatabase(.file(path))
        try database.execute(
            SQL(
                stringLiteral:
                    "CREATE TABLE roles (id INTEGER NOT NULL PRIMARY KEY, film INTEGER REFERENCES films ON DELETE \(action))"
            ))
        let films = try SQLiteStore(Film.schema, in: database)
        let roles = try SQLiteStore(Role.schema, in: database)
        try films.insert((1...3).map { .fixture(id: $0) }).get()
        try roles.insert((1...4).map { Role(id: $0, film: $0 % 2 + 1) }).get()
        return (films, roles)
    }

    @Test("A write that breaks a foreign key fails, and the transaction can go on")
    func enforced() throws {
        let (films, roles) = try stores(onDelete: "RESTRICT")
        func expectConstraint(_ write: () throws -> Void) {
            let error = #expect(throws: StoreError.self, performing: write)
            guard case .constraint(let reason)? = error, reason.contains("does not exist") else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
        }
        expectConstraint { _ = try roles.insert(Role(id: 9, film: 9)).get() }
        expectConstraint { _ = try films.delete(ids: [1]).get() }
        try roles.transaction { roles throws(StoreError) in
            _ = try? roles.insert([Role(id: 9, film: 9)])
            try roles.insert([Role(id: 10, film: nil)])
        }.get()
        #expect(try roles.all().result().get().map(\.id) == [1, 2, 3, 4, 10])
    }

    @Test("Observers see the rows that a foreign key changes", arguments: ["CASCADE", "SET NULL", "SET DEFAULT"])
    func observed(_ action: String) throws {
        let (films, roles) = try stores(onDelete: action)
        let told = Observed(roles.all())
        let toldOfFilms = Observed(films.all())
        _ = try films.delete(ids: [1]).get()
        #expect(try told.emissions.all.last == roles.all().result().get())
        #expect(told.emissions.all.count == 2)
        #expect(try films.delete(where: .always).get() == 2)
        #expect(try told.emissions.all.last == roles.all().result().get())
        #expect(toldOfFilms.emissions.all.last == [])
    }

    @Test("A merge updates the rows that others refer to in their places")
    func merging() throws {
        let (films, roles) = try stores(onDelete: "CASCADE")
        try films.merge((1...3).map { .fixture(id: $0, title: "new") }, where: .always).get()
        try films.upsert(.fixture(id: 1, title: "newer")).get()
        #expect(try roles.all().count().get() == 4)
    }

    @Test("A migration may break foreign keys for a while, and fails if they are broken at its end")
    func migrating() throws {
        _ = try stores(onDelete: "CASCADE")
        let copying = Migration(
            to: 2, "CREATE TEMP TABLE old AS SELECT * FROM films; DELETE FROM films",
            "INSERT INTO films SELECT * FROM old")
        _ = try SQLiteDatabase(.file(path), migrations: [copying])
        let database = try SQLiteDatabase(.file(path), migrations: [copying])
        #expect(try database.rows("SELECT count(*) FROM roles") == [[.integer(4)]])
    }

    @Test("A migration after which a row refers to a missing one fails, and names the row's table")
    func brokenByMigration() throws {
        _ = try stores(onDelete: "CASCADE")
        let error = #expect(throws: StoreError.self) {
            _ = try SQLiteDatabase(.file(path), migrations: [Migration(to: 2, "DELETE FROM films WHERE id = 1")])
        }
        let place = "the row with the rowid 2 of roles refers to a row of films"
        guard case .migrationFailed(path, version: 2, let reason)? = error, reason.contains(place) else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try SQLiteDatabase(.file(path)).rows("SELECT count(*) FROM films") == [[.integer(3)]])
    }
}
