import Fixtures
import Foundation
import Testing

@testable import Quakes

struct QuakeCatalogTests {
    @Test("Quakes are kept in the order of their times, whatever order they came in, each once")
    func order() {
        let quakes = Quake.samples
        #expect(QuakeCatalog(quakes.shuffled()).all == quakes)
        var moved = Quake.xxsmall
        moved.time += 86_400 * 40
        let catalog = QuakeCatalog(quakes + [moved])
        #expect(catalog.all == quakes.dropFirst() + [moved])
        #expect(catalog.count == quakes.count)
    }

    @Test("A quake is found by its id")
    func byId() {
        let catalog = QuakeCatalog(Quake.samples)
        for quake in Quake.samples { #expect(catalog[quake.id] == quake) }
        #expect(catalog["unknown"] == nil)
        #expect(QuakeCatalog()["unknown"] == nil)
    }

    @Test("A span begins with its first moment and ends before its last one")
    func span() {
        let quakes = (0..<200).map { Quake.fixture(quakeId: "\($0)", time: .quakeFixture + Double($0) * 3_600) }
        let catalog = QuakeCatalog(quakes.shuffled())
        #expect(catalog.quakes(during: quakes[3].time..<quakes[60].time) == Array(quakes[3..<60]))
        #expect(catalog.quakes(during: .distantPast ..< .distantFuture) == quakes)
        #expect(catalog.quakes(during: quakes[3].time..<quakes[3].time).isEmpty)
    }

    @Test("A time beyond all calendars, as a damaged database has it, is kept in its place")
    func beyondCalendars() {
        let times = [-Double.infinity, -1e300, 0, 1e300, .infinity]
        let quakes = times.map { Quake.fixture(quakeId: "\($0)", time: Date(timeIntervalSinceReferenceDate: $0)) }
        var catalog = QuakeCatalog(quakes.shuffled())
        #expect(catalog.all == quakes)
        #expect(catalog.quakes(during: .distantPast ..< .distantFuture) == [quakes[2]])
        for quake in quakes { catalog.remove(quake.id) }
        #expect(catalog.isEmpty)
    }

    @Test("Any sequence of changes gives what a plain dictionary gives", arguments: 0..<20)
    func random(seed: Int) {
        var numbers = SeededGenerator(seed: UInt64(seed))
        var model: [Quake.ID: Quake] = [:]
        var catalog = QuakeCatalog()
        for _ in 0..<60 {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                let id = "\(Int.random(in: 0..<50, using: &numbers))"
                model[id] = nil
                catalog.remove(id)
            case 1 where Int.random(in: 0..<8, using: &numbers) == 0:
                model = [:]
                catalog.removeAll()
            default:
                let changes = QuakeChanges.random(using: &numbers, stored: model)
                for quake in changes.deleted { model[quake.id] = nil }
                for quake in changes.inserted + changes.updated { model[quake.id] = quake }
                catalog.apply(changes)
            }
            let expected = model.values.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
            #expect(catalog.all == expected)
            #expect(catalog == QuakeCatalog(expected))
            #expect(catalog.count == expected.count)
        }
    }

    @Test("Changes that name a quake which the catalog does not have, or has already, are taken as they are")
    func unexpected() {
        var catalog = QuakeCatalog([.fixture(quakeId: "1", magnitude: 1)])
        let moved = Quake.fixture(quakeId: "1", magnitude: 2, time: .quakeFixture + 100_000)
        catalog.apply(
            QuakeChanges(
                inserted: [moved], updated: [.fixture(quakeId: "2")], deleted: [.fixture(quakeId: "3")]))
        #expect(catalog.all == [.fixture(quakeId: "2"), moved])
    }
}

extension QuakeChanges {
    /// The difference between stored quakes and a feed at random.
    static func random(using numbers: inout SeededGenerator, stored: [Quake.ID: Quake]) -> QuakeChanges {
        let feed = QuakeFeed(quakes: Quake.random(Int.random(in: 0..<30, using: &numbers), using: &numbers))
        return QuakeChanges(from: feed.quakes, stored: { stored[$0] })
    }
}

extension Quake {
    /// Quakes of few ids and few times, so that much of it is the same.
    static func random(_ count: Int, using numbers: inout SeededGenerator) -> [Quake] {
        (0..<count).map { _ in
            .fixture(
                quakeId: "\(Int.random(in: 0..<50, using: &numbers))",
                magnitude: Double(Int.random(in: -2..<8, using: &numbers)),
                time: .quakeFixture + Double(Int.random(in: 0..<40, using: &numbers)) * 7_200,
                updated: .quakeFixture + Double(Int.random(in: 0..<20, using: &numbers)),
                name: ["San José", "Hollister", ""][Int.random(in: 0..<3, using: &numbers)])
        }
    }
}

/// Numbers that are the same for a seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
