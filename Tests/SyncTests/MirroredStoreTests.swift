import Feedback
import Fixtures
import Foundation
import Persistence
import Testing

@testable import Movies

struct MovieRepositoryTests {
    private let then = Date(timeIntervalSinceReferenceDate: 1_000)
    private let movies: [Movie] = [
        .fixture(), .fixture(id: .fixture(2), title: "Alien", rating: .PG_13),
        .fixture(id: .fixture(3), title: "Zelig", rating: .PG_13, budget: 1),
    ]

    private func stores(
        remote: [Movie] = [], local: [Movie] = []
    ) async throws -> (FailingStore, FailingStore, MovieRepository<FailingStore, FailingStore>) {
        let (remote, local) = try await (FailingStore(remote), FailingStore(local))
        return (remote, local, MovieRepository(remote: remote, local: local, now: { [then] in then }))
    }

    // MARK: - Reading

    @Test("What is read comes from the remote store")
    func readingRemote() async throws {
        let (_, local, repository) = try await stores(remote: movies, local: [.fixture(title: "Old")])
        let answer = try await repository.movies(where: \.rating == .PG_13, sortedBy: [SortCriterion(\.budget)]).get()
        #expect(answer == Sourced([movies[2], movies[1]]))
        #expect(try await repository.movie(withId: .fixture(1)).get() == Sourced(movies[0]))
        #expect(try await repository.movie(withId: .fixture(9)).get() == Sourced(nil))
        #expect(try await local.movies == movies)
    }

    @Test("Without the remote store the local one answers, and says since when it is stale and why")
    func readingLocal() async throws {
        let (remote, _, repository) = try await stores(remote: movies)
        _ = try await repository.movies(where: \.rating == .PG_13).get()
        remote.vanish()
        let answer = try await repository.movies(where: \.rating == .PG_13).get()
        #expect(answer.value == [movies[1], movies[2]])
        #expect(answer.origin == .local(staleSince: then, because: .gone))
    }

    @Test("A question that was never asked is answered with what is known, which says so")
    func readingUnasked() async throws {
        let (remote, _, repository) = try await stores(remote: movies)
        _ = try await repository.movies(where: \.rating == .PG_13).get()
        remote.vanish()
        let answer = try await repository.movies(where: \.budget > 1).get()
        #expect(answer == Sourced([movies[1]], origin: .local(staleSince: nil, because: .gone)))
    }

    @Test("Where nothing is known, the failure of the remote store is told, whatever the local one says")
    func readingUnknown() async throws {
        let (remote, local, repository) = try await stores(remote: movies)
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.movies().get() }
        local.fail(reading: .full)
        await #expect(throws: StoreError.gone) { try await repository.movies().get() }
    }

    @Test("That there is nothing is an answer too, once the remote store has said so")
    func readingNothing() async throws {
        let (remote, _, repository) = try await stores()
        _ = try await repository.movies().get()
        remote.vanish()
        #expect(try await repository.movies().get() == Sourced([], origin: .local(staleSince: then, because: .gone)))
    }

    @Test("A later page comes from the local store only if it was read before, so that lists have no gaps")
    func readingPages() async throws {
        let (remote, _, repository) = try await stores(remote: movies)
        let read = { (after: Movie?) in repository.movies(sortedBy: [SortCriterion(\.title)], after: after, limit: 2) }
        #expect(try await read(nil).get().value == [movies[1], movies[0]])
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await read(movies[0]).get() }
        remote.returnToWork()
        #expect(try await read(movies[0]).get().value == [movies[2]])
        remote.vanish()
        #expect(try await read(movies[0]).get().value == [movies[2]])
    }

    @Test("What is gone from the remote store is gone from the local one when that has been read again")
    func reconciling() async throws {
        let (remote, local, repository) = try await stores(remote: movies)
        _ = try await repository.movies(sortedBy: [SortCriterion(\.title)]).get()
        try await remote.memory.delete(movies[0]).wait()
        try await remote.memory.update(.fixture(id: .fixture(2), title: "Alien", rating: .R)).get()
        // Nothing is heard of what lies beyond the page.
        _ = try await repository.movies(where: \.rating == .PG_13, sortedBy: [SortCriterion(\.title)], limit: 1).get()
        #expect(try await local.movies == [movies[0], movies[2]])
        _ = try await repository.movies(sortedBy: [SortCriterion(\.title)], limit: 1).get()
        #expect(try await local.movies.map(\.rating) == [.R, .R, .PG_13])
        _ = try await repository.movies(sortedBy: [SortCriterion(\.title)], limit: 2).get()
        #expect(try await local.movies.map(\.id) == [.fixture(2), .fixture(3)])
    }

    @Test("A page of no movies says nothing of any")
    func emptyPage() async throws {
        let (_, local, repository) = try await stores(remote: movies, local: movies)
        #expect(try await repository.movies(limit: 0).get().value.isEmpty)
        #expect(try await local.movies == movies)
    }

    // MARK: - Writing

    @Test("What is written goes to the remote store and is mirrored")
    func writing() async throws {
        let (remote, local, repository) = try await stores()
        #expect(try await repository.insert(movies[0]).get() == Sourced(movies[0]))
        _ = try await repository.save(movies[1]).get()
        _ = try await repository.update(.fixture(title: "New")).get()
        _ = try await repository.delete(movies[1]).get()
        #expect(try await remote.movies == [.fixture(title: "New")])
        #expect(try await local.movies == [.fixture(title: "New")])
    }

    @Test("What the remote store does not take is not mirrored")
    func writingFails() async throws {
        let (remote, local, repository) = try await stores(remote: [movies[0]])
        await #expect(throws: StoreError.duplicate(id: UUID.fixture(1).uuidString)) {
            try await repository.insert(.fixture(title: "Other")).get()
        }
        await #expect(throws: StoreError.missing(id: UUID.fixture(2).uuidString)) {
            try await repository.update(movies[1]).get()
        }
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.save(movies[1]).get() }
        #expect(try await local.movies.isEmpty)
    }

    @Test("A mirror that fails is told, and mended before the next answer")
    func repairing() async throws {
        let (remote, local, repository) = try await stores()
        local.fail(writing: .full)
        #expect(try await repository.save(movies[0]).get().mirror == .behind(changes: 1, because: .full))
        #expect(try await repository.save(movies[1]).get().mirror == .behind(changes: 2, because: .full))
        // A movie is mirrored as it is at last.
        #expect(try await repository.save(.fixture(title: "New")).get().mirror == .behind(changes: 2, because: .full))
        #expect(await repository.repair().first() == .behind(changes: 2, because: .full))
        local.returnToWork()
        remote.vanish()
        let answer = try await repository.movies().get()
        #expect(answer.value == [.fixture(title: "New"), movies[1]])
        #expect(answer.mirror == .complete)
    }

    @Test("A deletion that could not be mirrored is mended too")
    func repairingDeletion() async throws {
        let (_, local, repository) = try await stores(remote: movies, local: movies)
        local.fail(writing: .full)
        #expect(try await repository.delete(movies[0]).get().mirror == .behind(changes: 1, because: .full))
        local.returnToWork()
        #expect(await repository.repair().first() == .complete)
        #expect(try await local.movies == [movies[1], movies[2]])
    }

    @Test("An answer that could not be mirrored is told, and does not count as known")
    func mirroringAnswerFails() async throws {
        let (remote, local, repository) = try await stores(remote: movies)
        local.fail(writing: .full)
        let answer = try await repository.movies().get()
        #expect(answer == Sourced(movies, mirror: .behind(changes: 0, because: .full)))
        local.returnToWork()
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.movies().get() }
    }

    @Test("Who watches hears of each change that the remote store has taken")
    func changes() async throws {
        let (remote, _, repository) = try await stores()
        let count = MutableProperty(0)
        repository.changes.observeValues { count.modify { $0 += 1 } }
        _ = try await repository.save(movies[0]).get()
        _ = try await repository.delete(movies[0]).get()
        remote.vanish()
        _ = try? await repository.save(movies[0]).get()
        #expect(count.value == 2)
    }

    // MARK: - Other stores

    @Test("The stores can be others, without a change to the repository")
    func swapping() async throws {
        try await withMovies(movies) { (server) async throws in
            let database = try SQLiteDatabase(.memory)
            let local = try SQLiteStore(Movie.schema, in: database)
            let repository = MovieRepository(
                remote: server.remote, local: local, answers: try AnswerLog(in: database), now: { [then] in then })
            _ = try await repository.movies(where: \.rating == .PG_13).get()
            _ = try await repository.save(.fixture(title: "New")).get()
            server.backend.misbehave(.drop)
            let answer = try await repository.movies(where: \.rating == .PG_13).get()
            #expect(answer.value == [movies[1], movies[2]])
            guard case .local(then, .unreachable) = answer.origin else {
                Issue.record("Expected a local answer, not \(answer.origin)")
                return
            }
            #expect(try await repository.movie(withId: .fixture(1)).get().value?.title == "New")
        }
    }

    @Test("How old the local store's answers are is known also to the next run of the program")
    func rememberingAnswers() async throws {
        let database = try SQLiteDatabase(.memory)
        let local = try SQLiteStore(Movie.schema, in: database)
        let remote = try await FailingStore(movies)
        let first = MovieRepository(
            remote: remote, local: local, answers: try AnswerLog(in: database), now: { [then] in then })
        _ = try await first.movies().get()
        remote.vanish()
        let second = MovieRepository(remote: remote, local: local, answers: try AnswerLog(in: database))
        #expect(try await second.movies().get().origin == .local(staleSince: then, because: .gone))
    }

    @Test("Many who write and read at once leave the mirror as the remote store is")
    func concurrency() async throws {
        let (remote, local, repository) = try await stores()
        await withTaskGroup(of: Void.self) { group in
            for number in UInt32(0)..<200 {
                group.addTask {
                    let movie = Movie.fixture(id: .fixture(number % 10), title: "\(number)")
                    if number % 7 == 0 {
                        _ = try? await repository.movies().get()
                    } else if number % 5 == 0 {
                        _ = try? await repository.delete(movie).get()
                    } else {
                        _ = try? await repository.save(movie).get()
                    }
                }
            }
        }
        #expect(await repository.repair().first() == .complete)
        // What is not known for sure is forgotten, and never wrong.
        let truth = try await remote.movies
        let mirrored = try await local.movies
        #expect(mirrored.allSatisfy(truth.contains))
        _ = try await repository.movies().get()
        #expect(try await local.movies == truth)
    }
}
