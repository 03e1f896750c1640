import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Sync

/// Objects that a mirror cannot take over as they come.
struct MirroredObjectsTests {
    private let week = Day.week

    private func mirror(
        _ server: TableServer<Day>
    ) throws -> (MirroredStore<PostgRESTStore<OldDay>, SQLiteStore<OldDay>>, SQLiteStore<OldDay>) {
        let local = try SQLiteStore(OldDay.schema, in: SQLiteDatabase(.memory))
        let remote = PostgRESTStore(OldDay.schema, accessible: server.session)
        return (MirroredStore(OldDay.schema, remote: remote, local: local), local)
    }

    // MARK: - Objects that cannot be read

    @Test("A read brings the objects that can be read, and reports the others, whose local copies stay")
    func leftOut() async throws {
        try await withServer(of: Day.schema, week) { server in
            let (days, local) = try mirror(server)
            let answer = try await days.fetch(sortedBy: [SortCriterion(\.id)])
            #expect(answer.source == .remote)
            #expect(answer.value.map(\.id) == [1, 2, 4, 5, 7])
            #expect(days.unreadable.value == [.elated(3), .elated(6)])
            try await server.table.update(week[0].elated)
            try await server.table.delete(week[1])
            try await server.table.update(week[2].calmed)
            #expect(try await days.fetch(sortedBy: [SortCriterion(\.id)]).value.map(\.id) == [3, 4, 5, 7])
            #expect(days.unreadable.value == [.elated(1), .elated(6)])
            #expect(try await local.all().sorted(by: \.id).result().map(\.id) == [1, 3, 4, 5, 7])
        }
    }

    @Test("If no object of a first page can be read, the local store answers, and says so")
    func nothing() async throws {
        try await withServer(of: Day.schema, Array(week.prefix(2))) { server in
            let (days, local) = try mirror(server)
            let known = try await days.fetch().value
            try await server.table.update(week.prefix(2).map(\.elated))
            let answer = try await days.fetch()
            #expect(answer.value == known)
            guard case let .local(_, error) = answer.source else { return #expect(answer.source != .remote) }
            #expect(error == UnreadableObject.elated(1).error)
            #expect(try await local.all().result() == known)
            #expect(try await days.object(withId: 1).value == known[0])
        }
    }

    @Test("A write to an object that was left out fails at once")
    func written() async throws {
        try await withServer(of: Day.schema, week) { server in
            let (days, _) = try mirror(server)
            _ = try await days.fetch()
            let mine = OldDay(id: 3, name: "mine", mood: .calm, version: 3)
            await #expect(throws: UnreadableObject.elated(3).error) { try await days.save(mine) }
            await #expect(throws: UnreadableObject.elated(3).error) { try await days.delete(mine) }
            #expect(try await server.table.object(withId: 3) == week[2])
            _ = try await days.save(OldDay(id: 1, name: "mine", mood: .calm, version: 1))
            try await server.table.update(week[2].calmed)
            _ = try await days.object(withId: 3)
            _ = try await days.save(mine)
            #expect(try await server.table.object(withId: 3)?.name == "mine")
        }
    }

    @Test("A film with a number that is NaN is saved and mirrored", .timeLimit(.minutes(1)))
    func notANumber() async throws {
        let (remote, local) = try await (FailingStore(), FailingStore())
        let films = MirroredStore(Film.schema, remote: remote, local: local)
        #expect(try await films.save(.fixture(score: .nan)).mirror == .complete)
        #expect(try await local.films.first?.score?.isNaN == true)
    }

    // MARK: - Unique values

    private let unique = Schema<Film>(
        "films", { Film(id: $0, title: $1, rating: .R, budget: $2, year: nil, score: nil, tagline: nil) },
        Column("id", \.id), Column("title", \.title, isUnique: true), Column("budget", \.budget))

    @Test("Objects that have exchanged a unique value are mirrored")
    func exchanged() async throws {
        let (alien, brazil) = (Film.fixture(title: "Alien"), Film.fixture(id: .fixture(2), title: "Brazil"))
        let remote = try await FailingStore([alien, brazil])
        let local = try SQLiteStore(unique, in: SQLiteDatabase(.memory))
        let films = MirroredStore(unique, remote: remote, local: local)
        _ = try await films.fetch()
        for (id, title) in [(alien.id, "Brazil"), (brazil.id, "Alien")] {
            _ = try await remote.memory.upsert(.fixture(id: id, title: title))
        }
        #expect(try await films.fetch().mirror == .complete)
        #expect(try await local.object(withId: alien.id)?.title == "Brazil")
        #expect(try await local.object(withId: brazil.id)?.title == "Alien")
    }

    @Test("A saved object takes over the unique value of a local object that is outdated")
    func outdated() async throws {
        let (alien, brazil) = (Film.fixture(title: "Alien"), Film.fixture(id: .fixture(2), title: "Brazil"))
        let remote = try await FailingStore([alien, brazil])
        let local = try SQLiteStore(unique, in: SQLiteDatabase(.memory))
        let films = MirroredStore(unique, remote: remote, local: local)
        _ = try await films.fetch()
        // Somebody else has given the title up.
        _ = try await remote.memory.upsert(.fixture(id: brazil.id, title: "Heat"))
        #expect(try await films.save(.fixture(id: alien.id, title: "Brazil")).mirror == .complete)
        #expect(try await local.all().result().map(\.title) == ["Brazil"])
        #expect(Set(try await films.fetch().value.map(\.title)) == ["Brazil", "Heat"])
        #expect(Set(try await local.all().result().map(\.title)) == ["Brazil", "Heat"])
    }
}
