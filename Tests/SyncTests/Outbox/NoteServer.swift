import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync
@testable import TableBackend

/// The events before the server answers.
final class Interruptions: Sendable {
    /// Called before the server answers a question for notes or deletions. A status that it returns is the answer.
    typealias Interruption = @Sendable (LocalBackend.Request) async -> Int?

    let current = Locked<Interruption?>(nil)
}

/// A server of notes that numbers its changes.
struct NoteServer {
    let backend: LocalBackend
    let table: SQLiteStore<Note>
    let deletions: SQLiteStore<Deletion<Int>>
    let extents: SQLiteStore<HistoryExtent>
    let session: BackendSession
    let interruptions: Interruptions

    var remote: PostgRESTStore<Note> {
        PostgRESTStore(Note.schema, accessible: session) { ($0.rowsPerRequest, $0.remembersKeys) = (7, true) }
    }

    func synced(_ database: SQLiteDatabase? = nil, pageSize: Int = 1_000) throws -> SyncedStore<Note> {
        var history = remote.history(numberedBy: \.version)
        history.pageSize = pageSize
        return try SyncedStore(
            Note.schema, remote: remote, outbox: Outbox(in: try database ?? SQLiteDatabase(.memory)), history: history)
    }

    /// Changes a note on the server, with the next number, without a request.
    func change(_ note: Note) async throws {
        let extent = try #require(try await extents.object(withId: "notes"))
        try await table.update(Note(id: note.id, title: note.title, body: note.body, version: extent.last + 1))
        try await extents.update(HistoryExtent(id: "notes", last: extent.last + 1, forgotten: extent.forgotten))
    }

    func interrupt(_ interruption: Interruptions.Interruption?) {
        interruptions.current.withLock { $0 = interruption }
    }

    /// The queries of the requests to a path.
    func asked(_ path: String) -> [String] {
        backend.requests.filter { $0.path == path && $0.method == .get }
            .map { $0.query.items.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
    }

    func expectSame(_ store: SyncedStore<Note>, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let (mine, theirs) = (try await store.local.all().result(), try await table.all().result())
        #expect(mine.sorted { $0.id < $1.id } == theirs.sorted { $0.id < $1.id }, sourceLocation: sourceLocation)
    }
}

/// Runs a server of notes while `body` does its work.
func withNotes(
    _ ids: ClosedRange<Int>, keeping kept: Int = 1_000, _ body: (NoteServer) async throws -> Void
) async throws {
    let database = try SQLiteDatabase(.memory)
    let table = try SQLiteStore(Note.schema, in: database)
    let deletions = try SQLiteStore(Deletion.schema(of: Note.schema), in: database)
    let extents = try SQLiteStore(HistoryExtent.schema(of: Note.schema), in: database)
    try await table.insert(ids.map { note($0) })
    try await extents.insert(HistoryExtent(id: "notes", last: ids.upperBound, forgotten: 0))
    let backend = LocalBackend()
    let served = Table(table, Note.schema, remembersKeys: true)
        .numberingChanges(by: \.version, deletions: deletions, extents: extents, keeping: kept)
    backend.serve(served, at: "/notes")
    let interruptions = Interruptions()
    func interrupting<Object>(_ table: Table<SQLiteStore<Object>>, at path: String) {
        backend.get(path) { request in
            if let status = await interruptions.current.withLock({ $0 })?(request) { return .init(status: status) }
            return await table.respond(to: request, table.read)
        }
    }
    interrupting(served, at: "/notes")
    interrupting(Table(deletions, Deletion.schema(of: Note.schema)), at: "/notes_deleted")
    try await withSession(backend) { session in
        try await body(
            NoteServer(
                backend: backend, table: table, deletions: deletions, extents: extents, session: session,
                interruptions: interruptions))
    }
}

/// A note as the server has it at first.
func note(_ id: Int, title: Int? = nil) -> Note { Note(id: id, title: title ?? id, body: id, version: id) }
