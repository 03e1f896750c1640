import Feedback
import FeedbackTesting
import Persistence
import Testing

@Suite("Work that the normalized cache saves", .onOwnThread)
struct CacheWorkTests {
    private let cache = NormalizedCache()
    private let work = Work()

    private func player(_ id: Int, rank: Int = 0, team: String? = "") -> Player {
        Player(id: id, rank: rank, team: team.map { Team(id: "\(id)", name: $0) }, work: work)
    }

    @Test("An entity that was just stored is read as it is")
    func readAfterStoring() {
        cache.store(player(1))
        let visits = work.visits
        #expect(cache[Reference<Player>(1)] == player(1))
        #expect(work.visits == visits)
        // The change has put the current entities in already.
        cache.update(Reference<Player>(1)) { $0.rank = 7 }
        let visitsOfChange = work.visits
        #expect(cache[Reference<Player>(1)] == player(1, rank: 7))
        #expect(work.visits == visitsOfChange)
    }

    @Test("An entity whose inner entity was known is read as it was stored")
    func readWithKnown() {
        cache.store(Team(id: "1", name: ""))
        cache.store(player(1))
        let visits = work.visits
        #expect(cache[Reference<Player>(1)] == player(1))
        #expect(work.visits == visits)
    }

    @Test("Entities of one answer that hold the same entity are read as they were stored")
    func readWithShared() {
        let players = (1...2).map { Player(id: $0, rank: 0, team: Team(id: "both", name: ""), work: work) }
        cache.store(players)
        let visits = work.visits
        #expect(players.map { cache[Reference<Player>($0.id)] } == players)
        #expect(work.visits == visits)
    }

    @Test("An entity without others inside it, which is stored again, is compared once and not kept again")
    func storedAgain() {
        cache.store(player(1, team: nil))
        let (visits, comparisons) = (work.visits, work.comparisons)
        cache.store(player(1, team: nil))
        #expect(work.visits == visits)
        #expect(work.comparisons == comparisons + 1)
    }

    @Test("Current entities are put into an entity once, however often it is read")
    func readAgain() {
        cache.store(player(1, team: "old"))
        cache.store(Team(id: "1", name: "new"))
        let visits = work.visits
        for _ in 1...5 { #expect(cache[Reference<Player>(1)]?.team?.name == "new") }
        #expect(work.visits == visits + 1)
    }

    @Test("A change further down than is shown does not put the entities in again")
    func changeBelowShown() {
        let last = LinkVisitor.maximumDepth + 1
        var chain = Chained(id: last, work: work)
        for id in (0..<last).reversed() { chain = Chained(id: id, next: chain, work: work) }
        cache.store(chain)
        let shown = cache[Reference<Chained>(0)]
        cache.update(Reference<Chained>(last)) { $0.name = "changed" }
        let visits = work.visits
        #expect(cache[Reference<Chained>(0)] == shown)
        #expect(work.visits == visits)
    }

    @Test("A sorted watch reads its page again only if an entity of the page has changed")
    func changeBehindPage() {
        cache.store((1...4).map { player($0, rank: 10 * $0) })
        let disposable = cache.watch(Player.self, sortedBy: \.rank, limit: 2).startWithValues { _ in }
        defer { disposable.dispose() }
        func comparisons(_ id: Int) -> Int {
            let before = work.comparisons
            cache.update(Reference<Player>(id)) { $0.rank += 1 }
            return work.comparisons - before
        }
        // The first entity behind the page, and one further down.
        let behind = comparisons(3)
        #expect(comparisons(4) == behind)
        #expect(comparisons(2) > behind)
    }

    @Test("A watch that reads while something that it has read changes reads once more")
    func overtaken() {
        let cache = cache
        let names = Locked<[String?]>([])
        let disposable = cache.watch { reader -> Team? in
            let team = reader[Reference<Team>("a")]
            names.withLock { $0.append(team?.name) }
            if team?.name == nil { cache.store(Team(id: "a", name: "1")) }
            return team
        }.startWithValues { _ in }
        #expect(names.withLock { $0 } == [nil, "1"])
        disposable.dispose()
    }

    @Test("A watch reads once after a change of several entities that it shows, or of one several times")
    func severalChanges() {
        let runs = Locked(0)
        let disposable = cache.watch { cache in
            runs.withLock { $0 += 1 }
            return cache.entities(["a", "b"].map { Reference<Team>($0) })
        }.startWithValues { _ in }
        defer { disposable.dispose() }
        cache.store(["a", "b"].map { Team(id: $0, name: "1") })
        #expect(runs.withLock { $0 } == 2)
        cache.change { batch in
            for name in ["2", "3"] { batch.store(Team(id: "a", name: name)) }
        }
        #expect(runs.withLock { $0 } == 3)
    }

    @Test("A watch that now reads other entities than before is no longer woken by those")
    func otherEntities() {
        let isSecond = Locked(false)
        let runs = Locked(0)
        let disposable = cache.watch { cache -> Team? in
            runs.withLock { $0 += 1 }
            return cache[Reference<Team>(isSecond.withLock { $0 } ? "b" : "a")]
        }.startWithValues { _ in }
        defer { disposable.dispose() }
        isSecond.withLock { $0 = true }
        cache.store(Team(id: "a", name: "1"))
        #expect(runs.withLock { $0 } == 2)
        cache.store(Team(id: "a", name: "2"))
        #expect(runs.withLock { $0 } == 2)
        cache.store(Team(id: "b", name: "3"))
        #expect(runs.withLock { $0 } == 3)
    }
}

/// Counts what the cache does with players.
private final class Work: Sendable {
    private let counts = Locked((comparisons: 0, visits: 0))

    var comparisons: Int { counts.withLock { $0.comparisons } }
    var visits: Int { counts.withLock { $0.visits } }

    func noteComparison() { counts.withLock { $0.comparisons += 1 } }
    func noteVisit() { counts.withLock { $0.visits += 1 } }
}

private struct Chained: Entity {
    let id: Int
    var name = ""
    @Indirect var next: Chained? = nil
    let work: Work

    mutating func visitLinks(_ visitor: inout LinkVisitor) {
        work.noteVisit()
        visitor.visit(&_next)
    }

    static func == (lhs: Self, rhs: Self) -> Bool { (lhs.id, lhs.name, lhs.next) == (rhs.id, rhs.name, rhs.next) }
}

private struct Team: Entity {
    let id: String
    var name: String
}

private struct Player: Entity {
    let id: Int
    var rank: Int
    var team: Team?
    let work: Work

    mutating func visitLinks(_ visitor: inout LinkVisitor) {
        work.noteVisit()
        visitor.visit(&team)
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.work.noteComparison()
        return (lhs.id, lhs.rank, lhs.team) == (rhs.id, rhs.rank, rhs.team)
    }
}
