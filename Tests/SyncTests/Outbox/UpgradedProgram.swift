import FeedbackTesting
import Foundation
import LocalBackend
import Persistence
import Sync

/// The next version of a program, and the server that it finds.
struct Upgraded<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let server: TableServer<Object>
    let schema: Schema<Object>
    let database: SQLiteDatabase

    func store(_ changes: ColumnChange...) throws -> SyncedStore<Object> {
        try SyncedStore(schema, remote: server.store, outbox: Outbox(in: database), columnChanges: changes)
    }
}

extension TableServer where Object.ID == String {
    func rows() async throws -> [Object] {
        try await table.all().result().sorted { $0.id < $1.id }
    }
}

/// Lets one version of a program pull and write, while the server misbehaves, and then the next version.
func withUpgrade<Old, New>(
    from old: Schema<Old>, _ before: [Old], to new: Schema<New>, _ after: [New], _ migration: String,
    _ misbehaviour: LocalBackend.Misbehaviour = .drop, first: (SyncedStore<Old>) async throws -> Void,
    next: (Upgraded<New>) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "upgrade-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "memos.sqlite").path()
    try await withServer(of: old, before) { server in
        let store = try SyncedStore(old, remote: server.store, outbox: Outbox(in: SQLiteDatabase(.file(path))))
        try await store.pull()
        server.backend.misbehave(misbehaviour)
        try await first(store)
        await eventually { store.outbox.status.value.problem != nil || store.outbox.status.value.parked > 0 }
    }
    try await withServer(of: new, after) { server in
        server.backend.misbehave(misbehaviour)
        let database = try SQLiteDatabase(.file(path), migrations: [Migration(to: 2, migration)])
        try await next(Upgraded(server: server, schema: new, database: database))
    }
}
