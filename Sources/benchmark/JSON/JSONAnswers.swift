import Foundation
import JSON
import JSONSamples

/// The check that the engine gives the right answers here. An optimized build reads texts with vectors, and a debug build, in which the
/// tests usually run, with words.
enum JSONAnswers {
    struct Difference: Error, CustomStringConvertible {
        let body: [UInt8]

        var description: String {
            "The JSON engine reads this body in a wrong way: \(String(decoding: body, as: UTF8.self))"
        }
    }

    /// Reads random lists of texts, half of them damaged, and compares with `JSONDecoder` and with a plain check of the grammar.
    static func check(cases: Int = 10_000) throws(Difference) {
        var dice = Dice(seed: 20_261_128)
        for number in 0..<cases {
            let texts = (0..<dice.next(below: 6)).map { _ in dice.jsonText() }
            // Spaces move the texts to all places in a block.
            var body = Array("[\(String(repeating: " ", count: number % 20))\(texts.joined(separator: ", "))]".utf8)
            if number % 2 == 1 { Damage.apply(to: &body, &dice) }
            let ours = try? StrictJSONDecoder().decode([String].self, from: Data(body))
            let reference =
                StrictGrammar.accepts(body) ? try? JSONDecoder().decode([String].self, from: Data(body)) : nil
            if ours != reference { throw Difference(body: body) }
        }
    }
}

extension Dice {
    /// Returns a text in several scripts, of 0 to about 100 bytes.
    fileprivate mutating func jsonText() -> String {
        let pieces = [
            "a", "some words ", "é", "Ελλάδα", "語", "東京", "🏙", "\\n", "\\\"", "\\u00e9", "\u{7FF}", "\u{FFFF}",
            "\u{10FFFF}",
        ]
        let count = next(below: next(below: 20) + 1)
        return "\"\((0..<count).map { _ in pieces[next(below: pieces.count)] }.joined())\""
    }
}
