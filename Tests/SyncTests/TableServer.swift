import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import TableBackend
import Testing

/// A server of one table over real sockets, and a remote store that asks it.
struct TableServer<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let backend: LocalBackend
    /// The store that the server reads and writes.
    let table: SQLiteStore<Object>
    let session: BackendSession
    let store: PostgRESTStore<Object>
}

extension TableServer where Object == Film {
    /// A synced store of the server's films, and its outbox.
    func synced(_ database: SQLiteDatabase? = nil) throws -> (SyncedStore<Film>, Outbox) {
        let outbox = try Outbox(in: try database ?? SQLiteDatabase(.memory))
        return (try SyncedStore(Film.schema, remote: store, outbox: outbox), outbox)
    }
}

/// Runs a server of some objects while `body` does its work.
func withServer<Object>(
    of schema: Schema<Object>, _ objects: [Object] = [], maximumRows: Int? = nil, remembersKeys: Bool = false,
    _ body: (TableServer<Object>) async throws -> Void
) async throws {
    let table = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
    try await table.insert(objects)
    let backend = LocalBackend()
    backend.serve(Table(table, schema, maximumRows: maximumRows, remembersKeys: remembersKeys), at: "/\(schema.name)")
    try await withSession(backend) { session in
        try await body(
            TableServer(
                backend: backend, table: table, session: session,
                store: PostgRESTStore(schema, accessible: session) { $0.remembersKeys = remembersKeys }))
    }
}

/// Runs a server while `body` does its work.
func withSession(_ backend: LocalBackend, _ body: (BackendSession) async throws -> Void) async throws {
    let session = BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: try await backend.start()]),
        credentials: FixedCredentials(.bearer("test")))
    do {
        try await body(session)
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}

func withFilms(
    _ films: [Film] = [], maximumRows: Int? = nil, _ body: (TableServer<Film>) async throws -> Void
) async throws {
    try await withServer(of: Film.schema, films, maximumRows: maximumRows, body)
}
