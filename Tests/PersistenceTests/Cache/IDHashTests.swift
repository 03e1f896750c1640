import FeedbackTesting
import Testing

@testable import Persistence

@Suite("Hashes of ids")
struct IDHashTests {
    @Test("Text that is canonically equivalent has one hash, also if only one of the two is ASCII", .onOwnThread)
    func canonicallyEquivalent() {
        // Beyond these, no scalar is equivalent to others.
        for scalar in (UInt32(0x80)...0x2FFFF).lazy.compactMap(Unicode.Scalar.init) {
            let text = String(scalar)
            let composed = text.precomposed
            guard !composed.unicodeScalars.elementsEqual(text.unicodeScalars) else { continue }
            #expect(IDHash.hash("a" + text) == IDHash.hash("a" + composed), "\(scalar.value)")
        }
        #expect(IDHash.hash("\u{212A}") == IDHash.hash("K"))
        #expect(IDHash.hash("e\u{301}") == IDHash.hash("é"))
    }

    @Test("An entity with an ASCII id is found by an equal id that is not ASCII")
    func found() {
        let cache = NormalizedCache()
        cache.store(Author(id: "273K", name: "Kelvin"))
        #expect(cache[Reference<Author>("273\u{212A}")]?.name == "Kelvin")
    }

    @Test("Texts that differ in one place or in length have different hashes")
    func different() {
        let texts =
            (0..<20_000).map(String.init) + (0..<40).map { String(repeating: "\0", count: $0) }
            + (0..<40).map { String(repeating: "a", count: $0) }
            + (0..<40).map { String(repeating: "a", count: $0) + "b" }
        #expect(Set(texts.map(IDHash.hash)).count == Set(texts).count)
        // The index takes the lower bits: 20,000 texts fill most of 16,384 places as random numbers would, 70 %.
        #expect(Set(texts.map { IDHash.hash($0) & 0x3FFF }).count > 10_000)
    }

    @Test("A text of any length takes the standard library's long way only if it is not ASCII")
    func longWay() {
        for length in 0..<40 {
            let text = String(repeating: "a", count: length)
            #expect(IDHash.hash(text) != text.hashValue, "\(length)")
            let other = (text + "ä").precomposed
            #expect(IDHash.hash(other) == other.hashValue, "\(length)")
        }
    }

    @Test("Ids of other types have the hash of the standard library")
    func others() {
        #expect(IDHash.hash(7) == 7.hashValue)
    }
}
