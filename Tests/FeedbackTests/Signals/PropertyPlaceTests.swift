import Testing

@testable import Feedback

/// The lanes that a change goes through on its way to a property that is made of others.
@Suite("Places of properties")
struct PropertyPlaceTests {
    private let a = Derivation()
    private let b = Derivation()
    private let c = Derivation()
    private let x = Derivation()

    private func place(_ awaited: [Derivation], depth: UInt16 = 0) -> PropertyPlace {
        PropertyPlace(derivation: awaited.last, depth: depth, awaited: awaited)
    }

    /// The names of the lanes of a place; `new` for one of its own.
    private func names(_ place: PropertyPlace) -> [String] {
        place.awaited.map { lane in
            [("a", a), ("b", b), ("c", c), ("x", x)].first { $0.1 === lane }?.0 ?? "new"
        }
    }

    @Test("The lanes of all are there in the order of each, and each once if that is possible")
    func order() {
        let cases: [(places: [[Derivation]], lanes: [String])] = [
            ([[a]], ["a"]), ([[a], [b]], ["a", "b"]), ([[a], [a]], ["a"]), ([[a, b], [a, c]], ["a", "b", "c"]),
            ([[a, b, c], [b, x]], ["a", "b", "c", "x"]), ([[a, b, c], [b, a]], ["a", "b", "c", "a"]),
            ([[a, c], [b, c]], ["a", "c", "b", "c"]), ([[], [b]], ["b"]), ([[a], []], ["a"]),
        ]
        for (places, lanes) in cases {
            let place = PropertyPlace(after: places.map { self.place($0) })
            #expect(names(place) == lanes + ["new"])
            #expect(place.awaited.last === place.derivation)
            #expect(place.depth == 1 && place.steps == nil && place.derivation?.inner == nil && !place.isBoundary)
        }
    }

    @Test("Deep in a row, the lane of the deepest is shared, after all others")
    func deep() {
        let place = PropertyPlace(after: [self.place([a, b], depth: 31), self.place([c], depth: 3)])
        #expect(names(place) == ["c", "a", "b"])
        #expect(place.derivation === b && place.steps === b && place.depth == 32)
        let last = PropertyPlace(after: [self.place([c], depth: 3), self.place([a, b], depth: 40)])
        #expect(names(last) == ["c", "a", "b"] && last.depth == 41)
        let shallow = PropertyPlace(after: [self.place([a, b], depth: 30), self.place([c], depth: 3)])
        #expect(names(shallow) == ["a", "b", "c", "new"] && shallow.depth == 31 && shallow.steps == nil)
    }

    @Test("A property with inner ones has a lane of its own for going over, deep in a row one for all")
    func flattened() {
        let shallow = PropertyPlace(after: [place([a])], isFlattened: true)
        #expect(shallow.derivation?.inner?.canBeHeld == true && names(shallow) == ["a", "new"])
        let first = PropertyPlace(after: [place([a], depth: 31)], isFlattened: true)
        #expect(first.derivation?.inner?.canBeHeld == false && first.derivation?.lane === a.lane)
        #expect(names(first) == ["a", "new"] && first.steps === first.derivation)
        let second = PropertyPlace(after: [first], isFlattened: true)
        #expect(second.derivation === first.derivation && second.depth == 33)
        #expect(PropertyPlace(after: [first]).derivation === first.derivation)
    }

    @Test("One by one, the lane of the source is shared, and each 32nd is a boundary")
    func oneByOne() {
        var place = self.place([a, b])
        var boundaries: [UInt16] = []
        for _ in 0..<70 {
            place = place.next
            if place.isBoundary { boundaries.append(place.depth) }
            #expect(place.derivation === b && names(place) == ["a", "b"] && place.steps == nil)
        }
        #expect(boundaries == [32, 64])
        let unknown = PropertyPlace(derivation: nil, depth: 0, awaited: []).next
        #expect(unknown.derivation == nil && unknown.depth == 0 && !unknown.isBoundary)
    }

    @Test("A recipe of several parts delivers in its own way, unless that is guarded and the chain is long")
    func stages() {
        for origin in [Stage.Origin.work, .immediate, .guarded, .scheduled] {
            for depth in [0, 30, 31, 40] as [UInt16] {
                let joined = Stage(.work, depth: depth).joined(origin)
                #expect(joined.depth == depth + 1)
                #expect(joined.origin == (origin == .guarded && depth >= 31 ? .work : origin))
                let next = Stage(origin, depth: depth).next
                #expect(next.depth == depth + 1 && next.origin == (origin == .guarded ? .work : origin))
                #expect(next.isBoundary == (depth == 31))
            }
        }
        #expect(!Stage(.work).isBoundary && Stage(.work, depth: 64).isBoundary)
        #expect(Stage(.work, depth: 1).deeper(Stage(.immediate, depth: 2)).origin == .immediate)
        #expect(Stage(.work, depth: 2).deeper(Stage(.immediate, depth: 2)).origin == .work)
    }
}
