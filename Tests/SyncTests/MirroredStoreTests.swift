import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Sync

struct MirroredStoreTests {
    private let then = Date(timeIntervalSinceReferenceDate: 1_000)
    private let films: [Film] = [
        .fixture(), .fixture(id: .fixture(2), title: "Alien", rating: .PG_13),
        .fixture(id: .fixture(3), title: "Zelig", rating: .PG_13, budget: 1),
    ]

    private func stores(
        remote: [Film] = [], local: [Film] = []
    ) async throws -> (FailingStore, FailingStore, MirroredStore<FailingStore, FailingStore>) {
        let (remote, local) = try await (FailingStore(remote), FailingStore(local))
        return (remote, local, MirroredStore(Film.schema, remote: remote, local: local, now: { [then] in then }))
    }

    // MARK: - Reading

    @Test("Reads come from the remote store")
    func readingRemote() async throws {
        let (_, local, repository) = try await stores(remote: films, local: [.fixture(title: "Old")])
        let answer = try await repository.fetch(where: \.rating == .PG_13, sortedBy: [SortCriterion(\.budget)])
        #expect(answer == Sourced([films[2], films[1]]))
        #expect(try await repository.object(withId: .fixture(1)) == Sourced(films[0]))
        #expect(try await repository.object(withId: .fixture(9)) == Sourced(nil))
        #expect(try await local.films == films)
    }

    @Test("If the remote store fails, the local one answers, with the date of its copy and the error")
    func readingLocal() async throws {
        let (remote, _, repository) = try await stores(remote: films)
        _ = try await repository.fetch(where: \.rating == .PG_13)
        remote.vanish()
        let answer = try await repository.fetch(where: \.rating == .PG_13)
        #expect(answer.value == [films[1], films[2]])
        #expect(answer.source == .local(staleSince: then, because: .gone))
    }

    @Test("If the clock was set back since the remote store has answered, the copy is not from the future")
    func clockSetBack() async throws {
        let (remote, local) = try await (FailingStore(films), FailingStore([]))
        let now = Locked(then)
        let repository = MirroredStore(
            Film.schema, remote: remote, local: local, now: { now.withLock(\.self) })
        _ = try await repository.fetch()
        remote.vanish()
        now.withLock { $0 = then - 60 }
        #expect(try await repository.fetch().source == .local(staleSince: then - 60, because: .gone))
        now.withLock { $0 = then + 60 }
        #expect(try await repository.fetch().source == .local(staleSince: then, because: .gone))
    }

    @Test("A question that was never asked before is answered with the objects that are known, without a date")
    func readingUnasked() async throws {
        let (remote, _, repository) = try await stores(remote: films)
        _ = try await repository.fetch(where: \.rating == .PG_13)
        remote.vanish()
        let answer = try await repository.fetch(where: \.budget > 1)
        #expect(answer == Sourced([films[1]], source: .local(staleSince: nil, because: .gone)))
    }

    @Test("If no object is known, the remote store's error is thrown, whatever the local store's error is")
    func readingUnknown() async throws {
        let (remote, local, repository) = try await stores(remote: films)
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.fetch() }
        local.fail(reading: .full)
        await #expect(throws: StoreError.gone) { try await repository.fetch() }
    }

    @Test("An empty answer is known too, once the remote store has given it")
    func readingNothing() async throws {
        let (remote, _, repository) = try await stores()
        _ = try await repository.fetch()
        remote.vanish()
        #expect(try await repository.fetch() == Sourced([], source: .local(staleSince: then, because: .gone)))
    }

    @Test("A later page comes from the local store only if it was read before, so that lists have no gaps")
    func readingPages() async throws {
        let (remote, _, repository) = try await stores(remote: films)
        let read = { (after: Film?) async throws in
            try await repository.fetch(sortedBy: [SortCriterion(\.title)], after: after, limit: 2)
        }
        #expect(try await read(nil).value == [films[1], films[0]])
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await read(films[0]) }
        remote.returnToWork()
        #expect(try await read(films[0]).value == [films[2]])
        remote.vanish()
        #expect(try await read(films[0]).value == [films[2]])
    }

    @Test("Objects that are gone from the remote store leave the local one when a page that held them is read again")
    func reconciling() async throws {
        let (remote, local, repository) = try await stores(remote: films)
        _ = try await repository.fetch(sortedBy: [SortCriterion(\.title)])
        try await remote.memory.delete(films[0]).wait()
        try await remote.memory.update(.fixture(id: .fixture(2), title: "Alien", rating: .R))
        // The mirror learns nothing of the films beyond the page.
        _ = try await repository.fetch(where: \.rating == .PG_13, sortedBy: [SortCriterion(\.title)], limit: 1)
        #expect(try await local.films == [films[0], films[2]])
        _ = try await repository.fetch(sortedBy: [SortCriterion(\.title)], limit: 1)
        #expect(try await local.films.map(\.rating) == [.R, .R, .PG_13])
        _ = try await repository.fetch(sortedBy: [SortCriterion(\.title)], limit: 2)
        #expect(try await local.films.map(\.id) == [.fixture(2), .fixture(3)])
    }

    @Test("A page of no objects changes nothing in the mirror", arguments: [0, -1])
    func emptyPage(limit: Int) async throws {
        let (_, local, repository) = try await stores(remote: films, local: films)
        #expect(try await repository.fetch(limit: limit).value.isEmpty)
        #expect(try await local.films == films)
    }

    // MARK: - Writing

    @Test("Writes go to the remote store and are mirrored")
    func writing() async throws {
        let (remote, local, repository) = try await stores()
        #expect(try await repository.insert(films[0]) == Sourced(films[0]))
        _ = try await repository.save(films[1])
        _ = try await repository.update(.fixture(title: "New"))
        _ = try await repository.delete(films[1])
        #expect(try await remote.films == [.fixture(title: "New")])
        #expect(try await local.films == [.fixture(title: "New")])
    }

    @Test("A write that the remote store refuses is not mirrored")
    func writingFails() async throws {
        let (remote, local, repository) = try await stores(remote: [films[0]])
        await #expect(throws: StoreError.duplicate(id: UUID.fixture(1).uuidString)) {
            try await repository.insert(.fixture(title: "Other"))
        }
        await #expect(throws: StoreError.missing(id: UUID.fixture(2).uuidString)) {
            try await repository.update(films[1])
        }
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.save(films[1]) }
        #expect(try await local.films.isEmpty)
    }

    @Test("A change that could not be mirrored is reported, and mirrored before the next answer")
    func repairing() async throws {
        let (remote, local, repository) = try await stores()
        local.fail(writing: .full)
        #expect(try await repository.save(films[0]).mirror == .behind(changes: 1, because: .full))
        #expect(try await repository.save(films[1]).mirror == .behind(changes: 2, because: .full))
        // Several changes of one film count once: only its last state is mirrored.
        #expect(try await repository.save(.fixture(title: "New")).mirror == .behind(changes: 2, because: .full))
        #expect(await repository.repair() == .behind(changes: 2, because: .full))
        local.returnToWork()
        remote.vanish()
        let answer = try await repository.fetch()
        #expect(answer.value == [.fixture(title: "New"), films[1]])
        #expect(answer.mirror == .complete)
    }

    @Test("A deletion that could not be mirrored is mirrored later")
    func repairingDeletion() async throws {
        let (_, local, repository) = try await stores(remote: films, local: films)
        local.fail(writing: .full)
        #expect(try await repository.delete(films[0]).mirror == .behind(changes: 1, because: .full))
        local.returnToWork()
        #expect(await repository.repair() == .complete)
        #expect(try await local.films == [films[1], films[2]])
    }

    @Test("An answer that could not be mirrored is reported, and does not count as known")
    func mirroringAnswerFails() async throws {
        let (remote, local, repository) = try await stores(remote: films)
        local.fail(writing: .full)
        let answer = try await repository.fetch()
        #expect(answer == Sourced(films, mirror: .behind(changes: 0, because: .full)))
        local.returnToWork()
        remote.vanish()
        await #expect(throws: StoreError.gone) { try await repository.fetch() }
    }

    @Test("An answer waits for the changes that another caller is mirroring, so that it has all of them")
    func waitingForOthers() async throws {
        let (remote, local, repository) = try await stores()
        local.hold()
        let film = films[0]
        let first = Task { try await repository.save(film) }
        await eventually("the first change is being mirrored") { local.held == 1 }
        let second = Task { [films] in
            let answer = try await repository.save(films[1])
            return (answer.mirror, try await local.films)
        }
        let third = Task { (await repository.repair(), try await local.films) }
        try await eventually("both changes are made") { try await remote.films.count == 2 }
        local.release()
        #expect(try await first.value.mirror == .complete)
        #expect(try await second.value == (.complete, [films[0], films[1]]))
        #expect(try await third.value.0 == .complete)
        #expect(try await third.value.1.first == films[0])
    }

    @Test("A list that arrives after a later answer about one of its films is mirrored, but for that film")
    func overtakenList() async throws {
        let (remote, local, repository) = try await stores(remote: films, local: films)
        remote.holdReads()
        let slow = Task { try await repository.fetch() }
        await eventually("the list is read") { remote.held == 1 }
        remote.holdReads(false)
        // The list still has the first film's old title, and the second film, which is gone.
        _ = try await remote.memory.update(.fixture(title: "New"))
        try await remote.memory.delete(films[1]).wait()
        #expect(try await repository.object(withId: films[0].id).value?.title == "New")
        #expect(try await repository.object(withId: films[1].id).value == nil)
        remote.release()
        #expect(try await slow.value.value == films)
        #expect(try await local.films == [.fixture(title: "New"), films[2]])
        remote.vanish()
        #expect(try await repository.fetch().source == .local(staleSince: then, because: .gone))
    }

    @Test("If the caller that is mirroring is cancelled, another one mirrors all changes")
    func cancelledMirroring() async throws {
        let (remote, local, repository) = try await stores()
        local.hold()
        let film = films[0]
        let first = Task { try await repository.save(film) }
        await eventually("the first change is being mirrored") { local.held == 1 }
        let second = Task { [films] in try await repository.save(films[1]).mirror }
        try await eventually("both changes are made") { try await remote.films.count == 2 }
        first.cancel()
        #expect(try await first.value.mirror != .complete)
        local.release()
        #expect(try await second.value == .complete)
        #expect(try await local.films == [films[0], films[1]])
    }

    @Test("Each change that the remote store has taken is signalled")
    func changes() async throws {
        let (remote, _, repository) = try await stores()
        let count = MutableProperty(0)
        repository.changes.observeValues { count.modify { $0 += 1 } }
        _ = try await repository.save(films[0])
        _ = try await repository.delete(films[0])
        remote.vanish()
        _ = try? await repository.save(films[0])
        #expect(count.value == 2)
    }

    // MARK: - Other stores

    @Test("A server and a database can take the place of the stores")
    func swapping() async throws {
        try await withFilms(films) { (server) async throws in
            let database = try SQLiteDatabase(.memory)
            let local = try SQLiteStore(Film.schema, in: database)
            let repository = MirroredStore(
                Film.schema,
                remote: server.store, local: local, answers: try AnswerLog(in: database), now: { [then] in then })
            _ = try await repository.fetch(where: \.rating == .PG_13)
            _ = try await repository.save(.fixture(title: "New"))
            server.backend.misbehave(.drop)
            let answer = try await repository.fetch(where: \.rating == .PG_13)
            #expect(answer.value == [films[1], films[2]])
            guard case .local(then, .unreachable) = answer.source else {
                Issue.record("Expected a local answer, not \(answer.source)")
                return
            }
            #expect(try await repository.object(withId: .fixture(1)).value?.title == "New")
        }
    }

    @Test("The dates of the local store's answers outlive the program")
    func rememberingAnswers() async throws {
        let database = try SQLiteDatabase(.memory)
        let local = try SQLiteStore(Film.schema, in: database)
        let remote = try await FailingStore(films)
        let first = MirroredStore(
            Film.schema,
            remote: remote, local: local, answers: try AnswerLog(in: database), now: { [then] in then })
        _ = try await first.fetch()
        remote.vanish()
        let second = MirroredStore(Film.schema, remote: remote, local: local, answers: try AnswerLog(in: database))
        #expect(try await second.fetch().source == .local(staleSince: then, because: .gone))
    }

    @Test("After many simultaneous writes and reads the mirror equals the remote store")
    func concurrency() async throws {
        let (remote, local, repository) = try await stores()
        await withTaskGroup(of: Void.self) { group in
            for number in UInt32(0)..<200 {
                group.addTask {
                    let film = Film.fixture(id: .fixture(number % 10), title: "\(number)")
                    if number % 7 == 0 {
                        _ = try? await repository.fetch()
                    } else if number % 5 == 0 {
                        _ = try? await repository.delete(film)
                    } else {
                        _ = try? await repository.save(film)
                    }
                }
            }
        }
        #expect(await repository.repair() == .complete)
        // An object whose state is uncertain is forgotten, so no mirrored object is wrong.
        let truth = try await remote.films
        let mirrored = try await local.films
        #expect(mirrored.allSatisfy(truth.contains))
        _ = try await repository.fetch()
        #expect(try await local.films == truth)
    }
}
