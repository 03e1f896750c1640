import Foundation
import Testing

@testable import Persistence

@Suite("The search for a part of a text")
struct TextSearchTests {
    private func places(
        of part: [UInt8], in text: [UInt8], ignoringCase: Bool = false, atMost limit: Int = .max
    ) -> [Int] {
        var places: [Int] = []
        let isFound = text.withUnsafeBufferPointer { text in
            TextSearch(part).find(in: text, ignoringCase: ignoringCase) { place in
                places.append(place)
                return places.count == limit
            }
        }
        #expect(isFound == (places.count == limit))
        return places
    }

    @Test("It finds each occurrence, also those that overlap", arguments: 1...20)
    func overlapping(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<50 {
            // Of two letters, so that many beginnings repeat.
            let text = (0..<60).map { _ in UInt8.random(in: 97...98, using: &numbers) }
            let length = Int.random(in: 1...7, using: &numbers)
            let part = (0..<length).map { _ in UInt8.random(in: 97...98, using: &numbers) }
            let expected = text.indices.filter { text[$0...].starts(with: part) }
            #expect(places(of: part, in: text) == expected)
            #expect(places(of: part, in: text, atMost: 1) == Array(expected.prefix(1)))
            let capitals = text.map { Bool.random(using: &numbers) ? $0 - 32 : $0 }
            #expect(places(of: part, in: capitals, ignoringCase: true) == expected)
        }
    }

    @Test("An empty part is found at each place; a part that is longer than the text is found nowhere")
    func lengths() {
        #expect(places(of: [], in: Array("ab".utf8)) == [0, 1, 2])
        #expect(places(of: Array("aba".utf8), in: Array("ab".utf8)) == [])
    }

    @Test("Only the letters from A to Z have lowercase letters")
    func lowercased() {
        let changed = (UInt8.min...UInt8.max).filter { $0.lowercased != $0 }
        #expect(changed == Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8))
        #expect(changed.map(\.lowercased) == Array("abcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test("A character begins at the same places, however often it was asked for")
    func boundaries() {
        let text = "e\u{301}a\r\n\u{1F1EB}\u{1F1F7}七"
        var expected: [Int] = text.indices.map { text.utf8.distance(from: text.startIndex, to: $0) }
        expected.append(text.utf8.count)
        var boundaries = CharacterBoundaries(text)
        for _ in 0..<2 {
            let found = (0...text.utf8.count).filter { boundaries.contains($0) }
            #expect(found == expected)
        }
        // Each place on its own is asked for the first time.
        let alone = (0...text.utf8.count).filter { place in
            var boundaries = CharacterBoundaries(text)
            return boundaries.contains(place)
        }
        #expect(alone == expected)
    }
}
