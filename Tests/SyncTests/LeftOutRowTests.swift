import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Writes whose answers lack a row, since a rule of the server has left it out without an error.
struct LeftOutRowTests {
    private let mine = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
    private let other = OldDay(id: 2, name: "other", mood: .calm, version: 1)

    private let refusal = StoreError.refused(
        reason:
            "the server has answered without an error, and has left out days 1; it may not allow this user to write it")

    /// Runs a server that answers each write with the objects `written`, and has the objects `stored`.
    private func withServer(
        written: [OldDay] = [], stored: [OldDay] = [], _ work: (PostgRESTStore<OldDay>) async throws -> Void
    ) async throws {
        let backend = LocalBackend()
        let rows = try [written, stored].map { try OldDay.schema.json(of: $0).get() }
        backend.post("/days") { _ in .data(rows[0], contentType: "application/json", status: 201) }
        backend.get("/days") { request in
            // The second page is empty.
            .data(request.target.contains("gt.") ? Data("[]".utf8) : rows[1], contentType: "application/json")
        }
        try await withSession(backend) { session in
            try await work(PostgRESTStore(OldDay.schema, accessible: session))
        }
    }

    @Test("An insertion of which a row is left out is refused")
    func insertion() async throws {
        try await withServer { store in
            await #expect(throws: refusal) { try await store.insert(mine) }
        }
        try await withServer(written: [other]) { store in
            await #expect(throws: refusal) { try await store.insert([other, mine]) }
            let stored = try await store.insert([other])
            #expect(stored == [other])
        }
    }

    @Test("An upsert of which a row is left out is refused, if the server has none, or another one")
    func upsert() async throws {
        for stored in [[], [OldDay(id: 1, name: "theirs", mood: .calm, version: 1)]] {
            try await withServer(stored: stored) { store in
                await #expect(throws: refusal) { try await store.upsert(mine) }
            }
            try await withServer(written: [other], stored: stored) { store in
                await #expect(throws: refusal) { try await store.upsert([other, mine, other]) }
            }
        }
    }

    @Test("An upsert of which a row is left out since nothing changes is done")
    func unchanged() async throws {
        try await withServer(written: [other], stored: [mine]) { store in
            let stored = try await store.upsert([mine, other, mine])
            #expect(stored == [mine, other, mine])
        }
        try await withServer(stored: [mine]) { store in
            let stored = try await store.upsert(mine)
            #expect(stored == mine)
        }
    }

    @Test("A mirror does not list an object that the server has left out")
    func mirrored() async throws {
        try await withServer { remote in
            let local = try SQLiteStore(OldDay.schema, in: SQLiteDatabase(.memory))
            let days = MirroredStore(OldDay.schema, remote: remote, local: local)
            await #expect(throws: refusal) { _ = try await days.insert(mine) }
            await #expect(throws: refusal) { _ = try await days.save(mine) }
            #expect(try await local.all().result() == [])
        }
    }
}
