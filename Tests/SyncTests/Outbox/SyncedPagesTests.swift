import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Persistence
import Testing

@testable import Sync

/// Pages that are under way while other things happen.
struct SyncedPagesTests {
    /// Holds the first request for notes while `body` runs, and returns the page that was asked for.
    private func page(
        of store: SyncedStore<Note>, _ server: NoteServer, limit: Int, while body: () async throws -> Void
    ) async throws -> [Int] {
        let begun = Locked(false)
        let isOpen = Locked(false)
        server.interrupt { request in
            let isFirst = begun.withLock { begun in
                defer { begun = begun || request.path == "/notes" }
                return !begun && request.path == "/notes"
            }
            if isFirst { await eventually("the page may be answered") { isOpen.withLock { $0 } } }
            return nil
        }
        let page = Task { try await store.fetch(sortedBy: [SortCriterion(\.title)], limit: limit).value.map(\.id) }
        await eventually("the page is asked for") { begun.withLock { $0 } }
        do {
            try await body()
        } catch {
            isOpen.withLock { $0 = true }
            throw error
        }
        isOpen.withLock { $0 = true }
        return try await page.value
    }

    @Test("A page that another page has overtaken is asked for again")
    func overtakenByPage() async throws {
        try await withNotes(1...20) { server in
            let store = try server.synced()
            let ids = try await page(of: store, server, limit: 5) { () async throws in
                _ = try await store.fetch(sortedBy: [SortCriterion(\.body, .descending)], limit: 2)
            }
            #expect(ids == Array(1...5))
        }
    }

    @Test("A page that is overtaken again and again is asked for three times")
    func overtakenAlways() async throws {
        try await withNotes(1...20) { server in
            let store = try server.synced()
            let others = [SortCriterion(\Note.body, .descending)]
            server.interrupt { request in
                if request.query.items.contains(where: { $0.value.hasPrefix("title") }) {
                    _ = try? await store.fetch(sortedBy: others, limit: 2)
                }
                return nil
            }
            let page = try await store.fetch(sortedBy: [SortCriterion(\.title)], limit: 5)
            #expect(page.value.count == 2)
            #expect(server.asked("/notes").count == 6)
        }
    }

    @Test("A page that an object has overtaken is complete, and is not asked for again", arguments: [3, 99])
    func overtakenByObject(id: Int) async throws {
        try await withNotes(1...20) { server in
            let store = try server.synced()
            let ids = try await page(of: store, server, limit: 5) { () async throws in
                #expect(try await store.object(withId: id).value?.id == (id == 3 ? 3 : nil))
                #expect(try await store.fetch(limit: 0).value.isEmpty)
            }
            #expect(ids == Array(1...5))
            #expect(server.asked("/notes").count == 2)
        }
    }

    @Test("An object that is known to be gone does not come back with a page that was read before")
    func goneMeanwhile() async throws {
        let backend = LocalBackend()
        let notes = try Note.schema.json(of: (1...3).map { note($0) }).get()
        let begun = Locked(false)
        let isOpen = Locked(false)
        backend.get("/notes") { request in
            // The object, and what comes after the last row.
            if request.query.items.contains(where: { $0.value.hasPrefix("eq.") || $0.value.contains("gt.") }) {
                return .data(Data("[]".utf8), contentType: "application/json")
            }
            begun.withLock { $0 = true }
            await eventually("the page may be answered") { isOpen.withLock { $0 } }
            return .data(notes, contentType: "application/json")
        }
        try await withSession(backend) { session in
            let store = try SyncedStore(
                Note.schema, remote: PostgRESTStore(Note.schema, accessible: session),
                outbox: Outbox(in: SQLiteDatabase(.memory)))
            let page = Task { try await store.fetch().value.map(\.id) }
            await eventually("the page is asked for") { begun.withLock { $0 } }
            let object = try await store.object(withId: 2).value
            isOpen.withLock { $0 = true }
            #expect(object == nil)
            #expect(try await page.value == [1, 3])
        }
    }

    @Test("A page is full, and has no gap, after a deletion that was made while it was under way")
    func deletedMeanwhile() async throws {
        try await withNotes(1...20) { server in
            let store = try server.synced()
            _ = try await store.object(withId: 3)
            // One that is known by chance, and comes after the page.
            _ = try await store.object(withId: 9)
            server.backend.misbehave(.drop, on: .delete)
            let ids = try await page(of: store, server, limit: 3) { () async throws in try await store.delete(note(3)) }
            #expect(ids == [1, 2, 4])
        }
    }

    @Test("A page is full if more of its objects are hidden than the server was asked for in addition")
    func manyHidden() async throws {
        try await withNotes(1...130) { server in
            let store = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop, on: .delete)
            for id in 1...120 { try await store.delete(note(id)) }
            #expect(
                try await store.fetch(sortedBy: [SortCriterion(\.title)], limit: 5).value.map(\.id) == Array(121...125))
        }
    }

    @Test("An object is read with one request, from both kinds of stores")
    func oneRequest() async throws {
        try await withFilms([.fixture()]) { server in
            let (store, _) = try server.synced()
            #expect(try await store.object(withId: .fixture(1)).value == .fixture())
            #expect(server.backend.requests.count == 1)
            let mirrored = MirroredStore(
                Film.schema, remote: server.store, local: try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
            #expect(try await mirrored.object(withId: .fixture(1)).value == .fixture())
            #expect(server.backend.requests.count == 2)
        }
    }

    // MARK: - Numbers

    @Test("Rows that are older than the numbering are pulled into an empty store")
    func olderThanNumbering() async throws {
        try await withNotes(1...5) { server in
            for id in 1...5 { try await server.table.update(Note(id: id, title: id, body: id, version: 0)) }
            try await server.extents.update(HistoryExtent(id: "notes", last: 0, forgotten: 0))
            let store = try server.synced()
            try await store.pull()
            try await server.expectSame(store)
            #expect(try await store.local.all().count() == 5)
        }
    }

    @Test("The least and the greatest number end no program")
    func extremeNumbers() async throws {
        try await withNotes(1...5) { server in
            try await server.table.update(Note(id: 2, title: 2, body: 2, version: .max))
            try await server.table.update(Note(id: 3, title: 3, body: 3, version: .min + 1))
            try await server.extents.update(HistoryExtent(id: "notes", last: .max, forgotten: 0))
            let store = try server.synced(pageSize: 1)
            try await store.pull()
            try await server.expectSame(store)
        }
    }
}
