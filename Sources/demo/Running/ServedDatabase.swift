import Foundation
import Persistence
import Postgres

/// A database in which a backend keeps its data: in memory, in a file, or on a PostgreSQL server.
struct ServedDatabase: Sendable {
    enum Place: Equatable, Sendable {
        case memory
        case file(URL)
        /// The address may have a password.
        case server(String)

        static func named(in arguments: Arguments) -> Place {
            arguments.databaseServer.map(Place.server) ?? arguments.database.map(Place.file) ?? .memory
        }
    }

    private enum Database {
        case sqlite(SQLiteDatabase)
        case postgres(PostgresDatabase)
    }

    private let database: Database

    /// Opens the database, and blocks the calling thread until that is done.
    init(_ place: Place) throws {
        switch place {
        case .memory: database = .sqlite(try SQLiteDatabase(.memory))
        case let .file(url): database = .sqlite(try SQLiteDatabase(.file(url.path(percentEncoded: false))))
        case let .server(address): database = .postgres(try PostgresDatabase(address))
        }
    }

    /// Returns a store in the database. Its table is made if it does not exist.
    func store<Object>(of schema: Schema<Object>) throws(StoreError) -> any TransactionalStore<Object> {
        switch database {
        case let .sqlite(database): return try SQLiteStore(schema, in: database)
        case let .postgres(database): return try PostgresStore(schema, in: database)
        }
    }
}
