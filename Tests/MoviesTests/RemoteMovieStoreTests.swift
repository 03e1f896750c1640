import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Movies
import Persistence
import Testing

struct RemoteMovieStoreTests {
    private let movies: [Movie] = (1...5).map { .fixture(id: .fixture($0), title: "Movie \($0)", budget: Int($0)) }

    // MARK: - Writing

    @Test("What is inserted is on the server, with all that is awkward in it")
    func inserting() async throws {
        try await withMovies { (server) async throws in
            let movie = Movie.fixture(
                title: "Ame\u{301}lie, \"100%\" \\ (🎬)\r\n", year: nil, score: -0.1, tagline: "'; DROP TABLE movies; --"
            )
            #expect(try await server.remote.insert(movie).get() == movie)
            #expect(try await server.table.object(withId: movie.id).get() == movie)
            #expect(try await server.remote.insert([]).get() == [])
            #expect(server.backend.requests.first?.headers["Authorization"] == "Bearer test")
        }
    }

    @Test("An id that is taken is told, and of several movies none is added then")
    func duplicates() async throws {
        try await withMovies([movies[0]]) { (server) async throws in
            let error = StoreError.duplicate(id: movies[0].id.uuidString)
            await #expect(throws: error) { try await server.remote.insert(movies[0]).get() }
            await #expect(throws: error) { try await server.remote.insert(movies).get() }
            #expect(try await server.table.all().count().get() == 1)
        }
    }

    @Test("A movie is updated as a whole, also to nil, and one that is missing is told")
    func updating() async throws {
        try await withMovies([movies[0]]) { (server) async throws in
            let changed = Movie.fixture(title: "Changed", year: nil, score: nil, tagline: nil)
            #expect(try await server.remote.update(changed).get() == changed)
            #expect(try await server.table.all().result().get() == [changed])
            let error = StoreError.missing(id: movies[1].id.uuidString)
            await #expect(throws: error) { try await server.remote.update(movies[1]).get() }
            await #expect(throws: error) { try await server.remote.update([movies[0], movies[1]]).get() }
            #expect(try await server.table.all().result().get() == [changed])
            #expect(try await server.remote.update([movies[0]]).get() == [movies[0]])
        }
    }

    @Test("To upsert twice is to upsert once, and of equal ids the last one counts")
    func upserting() async throws {
        try await withMovies([movies[0]]) { (server) async throws in
            let last = Movie.fixture(title: "Last")
            for _ in 1...2 {
                try await server.remote.upsert([movies[0], movies[1], last]).get()
                #expect(try await server.table.all().result().get() == [last, movies[1]])
            }
            #expect(try await server.remote.upsert(movies[2]).get() == movies[2])
        }
    }

    @Test("Any number of movies is deleted, and those that are not there do no harm")
    func deleting() async throws {
        let many: [Movie] = (0..<300).map { .fixture(id: .fixture($0)) }
        try await withMovies(many) { (server) async throws in
            try await server.remote.delete(Array(many.dropFirst()) + movies).wait()
            #expect(try await server.table.all().result().get() == [many[0]])
            #expect(server.backend.requests.allSatisfy { $0.target.utf8.count < 8_000 })
        }
    }

    @Test("What the server can be told exactly is deleted by a predicate, anything else refused")
    func deletingByPredicate() async throws {
        try await withMovies(movies) { (server) async throws in
            #expect(try await server.remote.delete(where: \.budget > 3 && \.year != 1950).get() == 2)
            #expect(try await server.remote.delete(where: .never).get() == 0)
            await #expect(throws: StoreError.self) {
                try await server.remote.delete(where: .startsWith(\.title, "Movie")).get()
            }
            #expect(try await server.table.all().count().get() == 3)
            #expect(try await server.remote.delete(where: .always).get() == 3)
        }
    }

    // MARK: - Reading

    @Test("A page of what the server understands takes one request")
    func onePage() async throws {
        try await withMovies(movies) { (server) async throws in
            let query = server.remote.filter(where: \.budget > 1).sorted(by: \.title, inOrder: .descending)
                .page(limit: 2, offset: 1)
            #expect(try await query.result().get() == [movies[3], movies[2]])
            #expect(
                server.backend.requests.map(\.target) == [
                    "/movies?budget=gt.1&order=title.desc%2Cid.asc&limit=2&offset=1"
                ])
        }
    }

    @Test("A server that gives less than it is asked for is asked for the rest, from the last movie on")
    func truncatedPages() async throws {
        try await withMovies(movies, maximumRows: 2) { (server) async throws in
            #expect(try await server.remote.sorted(by: \.title).result().get() == movies)
            #expect(try await server.remote.sorted(by: \.title).page(limit: 3).result().get() == Array(movies[..<3]))
            #expect(server.backend.requests.filter { $0.target.contains("offset") }.isEmpty)
        }
    }

    @Test("A movie that is added between two pages neither shifts nor repeats another")
    func shiftingPages() async throws {
        try await withMovies(movies) { (server) async throws in
            let remote = RemoteMovieStore(accessible: server.session) { $0.rowsPerRequest = 2 }
            // The second page waits until a movie is there that comes before all others.
            server.backend.misbehave(.delay(.milliseconds(300)))
            async let answer = remote.sorted(by: \.title).result().get()
            await eventually { server.backend.requests.count >= 2 }
            try await server.table.insert(.fixture(id: .fixture(99), title: "A", budget: 0)).get()
            server.backend.behave()
            #expect(try await answer == movies)
        }
    }

    @Test("A count has no body, and a count of what the server does not understand is right too")
    func counting() async throws {
        try await withMovies(movies) { (server) async throws in
            #expect(try await server.remote.filter(where: \.budget > 2).count().get() == 3)
            #expect(server.backend.requests.map(\.method) == [.head])
            #expect(try await server.remote.filter(where: .matches(\.title, "[45]$")).count().get() == 2)
        }
    }

    @Test("To look at more movies than allowed is refused, and no part of the answer given")
    func bounded() async throws {
        try await withMovies(movies) { (server) async throws in
            let remote = RemoteMovieStore(accessible: server.session) {
                $0.rowsPerRequest = 2
                $0.maximumLookedAt = 4
            }
            let query = remote.filter(where: .matches(\.title, "[5]"))
            let error = await #expect(throws: StoreError.self) { try await query.result().get() }
            guard case .refused = error else {
                Issue.record("Expected a refusal, not \(String(describing: error))")
                return
            }
            // What is found before is answered.
            #expect(
                try await remote.filter(where: .matches(\.title, "[1]")).page(limit: 1).result().get() == [movies[0]])
        }
    }

    @Test("A regular expression that is none fails, also where nothing would be looked at")
    func invalidPattern() async throws {
        try await withMovies { (server) async throws in
            let error = await #expect(throws: StoreError.self) {
                try await server.remote.filter(where: .matches(\.title, "(")).result().get()
            }
            guard case .invalidPattern("(", _) = error else {
                Issue.record("Expected an invalid pattern, not \(String(describing: error))")
                return
            }
        }
    }

    @Test("A server that is gone, or has a rest, cannot be reached")
    func unreachable() async throws {
        try await withMovies(movies) { (server) async throws in
            for misbehaviour in [Misbehaviour.drop, .fail(rate: 1)] {
                server.backend.behave()
                server.backend.misbehave(misbehaviour)
                let error = await #expect(throws: StoreError.self) { try await server.remote.all().result().get() }
                guard case .unreachable = error else {
                    Issue.record("Expected an unreachable store, not \(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test("A plan says what the server is asked, and what is done here")
    func plan() async throws {
        try await withMovies { (server) async throws in
            let query = server.remote.filter(where: .startsWith(\.title, "The") && \.year == nil).sorted(by: \.score)
                .page(limit: 2)
            let plan = try await query.plan().get()
            #expect(plan.steps.first == "GET /movies?title=like.The*&year=is.null&order=score.asc.nullslast,id.asc")
            #expect(plan.steps.count == 3)
            #expect(server.backend.requests.isEmpty)
        }
    }
}

private typealias Misbehaviour = LocalBackend.Misbehaviour
