import FeedbackTesting
import Feedback
import Foundation
import LocalBackend
import Persistence
import Sync
import Testing

struct PostgRESTStoreTests {
    private let films: [Film] = (1...5).map { .fixture(id: .fixture($0), title: "Film \($0)", budget: Int($0)) }

    // MARK: - Writing

    @Test("Inserted objects are on the server, also those with characters that are hard to send")
    func inserting() async throws {
        try await withFilms { (server) async throws in
            let film = Film.fixture(
                title: "Ame\u{301}lie, \"100%\" \\ (🎬)\r\n", year: nil, score: -0.1, tagline: "'; DROP TABLE films; --"
            )
            #expect(try await server.store.insert(film) == film)
            #expect(try await server.table.object(withId: film.id) == film)
            #expect(try await server.store.insert([]) == [])
            #expect(server.backend.requests.first?.headers["Authorization"] == "Bearer test")
        }
    }

    @Test("An insert of an id that exists fails with duplicate, and adds none of several films")
    func duplicates() async throws {
        try await withFilms([films[0]]) { (server) async throws in
            let error = StoreError.duplicate(id: films[0].id.uuidString)
            await #expect(throws: error) { try await server.store.insert(films[0]) }
            await #expect(throws: error) { try await server.store.insert(films) }
            #expect(try await server.table.all().count() == 1)
        }
    }

    @Test("An update replaces all of a film, also by nil, and fails with missing if there is none")
    func updating() async throws {
        try await withFilms([films[0]]) { (server) async throws in
            let changed = Film.fixture(title: "Changed", year: nil, score: nil, tagline: nil)
            #expect(try await server.store.update(changed) == changed)
            #expect(try await server.table.all().result() == [changed])
            let error = StoreError.missing(id: films[1].id.uuidString)
            await #expect(throws: error) { try await server.store.update(films[1]) }
            await #expect(throws: error) { try await server.store.update([films[0], films[1]]) }
            #expect(try await server.table.all().result() == [changed])
            #expect(try await server.store.update([films[0]]) == [films[0]])
        }
    }

    @Test("Upserted objects are returned as the server has stored them")
    func upsertedVersions() async throws {
        try await withNotes(1...2) { server in
            let stored = try await server.remote.upsert([note(2, title: 20), note(7)])
            #expect(stored.map(\.id) == [2, 7])
            #expect(stored.map(\.version) == [3, 4])
        }
    }

    @Test("An upsert can be repeated, and of equal ids the last one counts")
    func upserting() async throws {
        try await withFilms([films[0]]) { (server) async throws in
            let last = Film.fixture(title: "Last")
            for _ in 1...2 {
                try await server.store.upsert([films[0], films[1], last])
                #expect(try await server.table.all().result() == [last, films[1]])
            }
            #expect(try await server.store.upsert(films[2]) == films[2])
        }
    }

    @Test("Any number of films is deleted, and ids that do not exist are ignored")
    func deleting() async throws {
        let many: [Film] = (0..<300).map { .fixture(id: .fixture($0)) }
        try await withFilms(many) { (server) async throws in
            try await server.store.delete(Array(many.dropFirst()) + films).wait()
            #expect(try await server.table.all().result() == [many[0]])
            #expect(server.backend.requests.allSatisfy { $0.target.utf8.count < 8_000 })
        }
    }

    @Test("An update of many objects asks for these objects only, and a deletion of long ids fits into URLs")
    func manyIDs() async throws {
        let many = (1...300).map { Film.fixture(id: .fixture($0)) }
        try await withFilms(many) { (server) async throws in
            try await server.store.update(Array(many.prefix(200)))
            let questions = server.backend.requests.filter { $0.method == .get }
            #expect(!questions.isEmpty && questions.allSatisfy { $0.query.items.contains { $0.name == "id" } })
        }
        let names = (1...125).map { Name(id: String(repeating: "n", count: 200) + "\($0)") }
        try await withServer(of: Name.schema, names) { server in
            try await server.store.delete(names)
            #expect(try await server.table.all().count() == 0)
            #expect(server.backend.requests.allSatisfy { $0.target.utf8.count < 8_000 })
        }
    }

    @Test("A Korean syllable in a condition is composed as in the rows, since the server compares bytes")
    func korean() async throws {
        try await withServer(of: Name.schema) { server in
            // A syllable and a final consonant, which Foundation leaves apart.
            let name = Name(id: "\u{AC00}\u{11A8}")
            try await server.store.insert(name)
            #expect(try await server.store.object(withId: name.id) == name)
            #expect(try await server.store.filter(where: .startsWith(\.id, name.id)).count() == 1)
            try await server.store.delete(name)
            let requests = server.backend.requests.filter { $0.method != .post }
            let conditions = requests.flatMap(\.query.items).filter { $0.name == "id" }
            #expect(conditions.count >= 3 && conditions.allSatisfy { $0.value.unicodeScalars.contains("\u{AC01}") })
        }
    }

    @Test("A condition that has no exact form in the server's dialect is refused for deletion")
    func deletingByPredicate() async throws {
        try await withFilms(films) { (server) async throws in
            #expect(try await server.store.delete(where: \.budget > 3 && \.year != 1950) == 2)
            #expect(try await server.store.delete(where: .never) == 0)
            await #expect(throws: StoreError.self) {
                try await server.store.delete(where: .startsWith(\.title, "Film"))
            }
            #expect(try await server.table.all().count() == 3)
            #expect(try await server.store.delete(where: .always) == 3)
        }
    }

    // MARK: - Reading

    @Test("A page takes one request if the server understands the condition")
    func onePage() async throws {
        try await withFilms(films) { (server) async throws in
            let query = server.store.filter(where: \.budget > 1).sorted(by: \.title, inOrder: .descending)
                .page(limit: 2, offset: 1)
            #expect(try await query.result() == [films[3], films[2]])
            #expect(
                server.backend.requests.map(\.target) == [
                    "/films?budget=gt.1&order=title.desc%2Cid.asc&limit=2&offset=1"
                ])
        }
    }

    @Test("A server that gives fewer rows than asked for is asked for the rest, after the last film")
    func truncatedPages() async throws {
        try await withFilms(films, maximumRows: 2) { (server) async throws in
            #expect(try await server.store.sorted(by: \.title).result() == films)
            #expect(try await server.store.sorted(by: \.title).page(limit: 3).result() == Array(films[..<3]))
            #expect(server.backend.requests.filter { $0.target.contains("offset") }.isEmpty)
        }
    }

    @Test("A film that is added between two pages neither shifts nor repeats another")
    func shiftingPages() async throws {
        try await withFilms(films) { (server) async throws in
            let remote = PostgRESTStore(Film.schema, accessible: server.session) { $0.rowsPerRequest = 2 }
            // The second page waits until a film is there that comes before all others.
            server.backend.misbehave(.delay(.milliseconds(300)))
            async let answer = remote.sorted(by: \.title).result()
            await eventually { server.backend.requests.count >= 2 }
            try await server.table.insert(.fixture(id: .fixture(99), title: "A", budget: 0))
            server.backend.behave()
            #expect(try await answer == films)
        }
    }

    @Test("A count has no body, and is right also if the server does not understand the condition")
    func counting() async throws {
        try await withFilms(films) { (server) async throws in
            #expect(try await server.store.filter(where: \.budget > 2).count() == 3)
            #expect(server.backend.requests.map(\.method) == [.head])
            #expect(try await server.store.filter(where: .matches(\.title, "[45]$")).count() == 2)
        }
    }

    @Test("A query that needs more rows than allowed fails, and gives no part of the answer")
    func bounded() async throws {
        try await withFilms(films) { (server) async throws in
            let remote = PostgRESTStore(Film.schema, accessible: server.session) {
                $0.rowsPerRequest = 2
                $0.maximumLookedAt = 4
            }
            let query = remote.filter(where: .matches(\.title, "[5]"))
            let error = await #expect(throws: StoreError.self) { try await query.result() }
            guard case .refused = error else {
                Issue.record("Expected a refusal, not \(String(describing: error))")
                return
            }
            // Exactly as many rows as allowed are not too many.
            let isAmongFour = Condition<Film>.matches(\.title, "[5]") && \.budget <= 4
            #expect(try await remote.filter(where: isAmongFour).result().isEmpty)
            // An object that is found before the limit is answered.
            #expect(
                try await remote.filter(where: .matches(\.title, "[1]")).page(limit: 1).result() == [films[0]])
        }
    }

    @Test("An invalid regular expression fails, also if there are no rows")
    func invalidPattern() async throws {
        try await withFilms { (server) async throws in
            let error = await #expect(throws: StoreError.self) {
                try await server.store.filter(where: .matches(\.title, "(")).result()
            }
            guard case .invalidPattern("(", _) = error else {
                Issue.record("Expected an invalid pattern, not \(String(describing: error))")
                return
            }
        }
    }

    @Test("A server that drops connections, or answers 503, is unreachable")
    func unreachable() async throws {
        try await withFilms(films) { (server) async throws in
            for misbehaviour in [Misbehaviour.drop, .fail(rate: 1)] {
                server.backend.behave()
                server.backend.misbehave(misbehaviour)
                let error = await #expect(throws: StoreError.self) { try await server.store.all().result() }
                guard case .unreachable = error else {
                    Issue.record("Expected an unreachable store, not \(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test("A plan has the request to the server, and the work that is done here")
    func plan() async throws {
        try await withFilms { (server) async throws in
            let query = server.store.filter(where: .startsWith(\.title, "The") && \.year == nil).sorted(by: \.score)
                .page(limit: 2)
            let plan = try await query.plan().value()
            #expect(plan.steps.first == "GET films?title=like.The*&year=is.null&order=score.asc.nullslast,id.asc")
            #expect(plan.steps.count == 3 && plan.steps.last == "PAGE in the store")
            let all = server.store.filter(where: .startsWith(\.title, "The")).sorted(by: \.score)
            #expect(try await all.plan().value().steps.count == 2)
            #expect(server.backend.requests.isEmpty)
        }
    }
}

private typealias Misbehaviour = LocalBackend.Misbehaviour

private struct Name: Identifiable, Equatable, Sendable {
    var id: String

    static let schema = Schema<Name>("names", { Name(id: $0) }, Column("id", \.id))
}
