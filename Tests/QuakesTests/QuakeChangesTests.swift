import Fixtures
import Foundation
import Testing

@testable import Quakes

struct QuakeChangesTests {
    @Test("New, changed and vanished quakes are told apart")
    func difference() {
        let same = Quake.fixture(quakeId: "same")
        let old = Quake.fixture(quakeId: "changed", magnitude: 1)
        let new = Quake.fixture(quakeId: "changed", magnitude: 2, updated: old.updated + 1)
        let added = Quake.fixture(quakeId: "added")
        let fallen = Quake.fixture(quakeId: "fallen", magnitude: 0.1)
        let none = Quake.fixture(quakeId: "fallen", magnitude: 0, updated: fallen.updated + 1)
        let changes = changes(from: [same, new, added, none], stored: [same, old, fallen, .fixture(quakeId: "other")])
        #expect(changes == QuakeChanges(inserted: [added], updated: [new], deleted: [fallen]))
    }

    @Test("A quake without a magnitude above zero is not kept", arguments: [0, -0.5, -.infinity, .nan])
    func nothing(magnitude: Double) {
        #expect(changes(from: [.fixture(magnitude: magnitude)], stored: []).isEmpty)
    }

    @Test("A feed that is older than the stored description changes nothing")
    func older() {
        let stored = Quake.fixture(magnitude: 2, updated: .quakeFixture + 60)
        #expect(changes(from: [.fixture(magnitude: 1)], stored: [stored]).isEmpty)
        #expect(changes(from: [.fixture(magnitude: 0)], stored: [stored]).isEmpty)
    }

    private func changes(from feed: [Quake], stored: [Quake]) -> QuakeChanges {
        QuakeChanges(from: feed, stored: { id in stored.first { $0.id == id } })
    }
}
