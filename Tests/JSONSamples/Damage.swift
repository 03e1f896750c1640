import Foundation

/// Random damage of the bytes of a body.
package enum Damage {
    /// Damages every body, and not only some. `JSON_DAMAGE=1` sets it.
    package static let isEverywhere = ProcessInfo.processInfo.environment["JSON_DAMAGE"] != nil

    /// Changes, removes, inserts or repeats some bytes.
    package static func apply(to bytes: inout [UInt8], _ dice: inout Dice) {
        for _ in 0...dice.next(below: 2) {
            let position = dice.next(below: bytes.count + 1)
            switch dice.next(below: 7) {
            case 0: bytes = Array(bytes.prefix(position))
            case 1 where position < bytes.count: bytes[position] = UInt8(dice.next(below: 256))
            case 2 where position < bytes.count: bytes[position] ^= 1 << UInt8(dice.next(below: 8))
            case 3, 4: bytes.insert(contentsOf: snippets[dice.next(below: snippets.count)], at: position)
            case 5:
                let end = min(bytes.count, position + dice.next(below: 12))
                if position < end { bytes.removeSubrange(position..<end) }
            default:
                let end = min(bytes.count, position + dice.next(below: 40))
                if position < end {
                    bytes.insert(contentsOf: bytes[position..<end], at: dice.next(below: bytes.count + 1))
                }
            }
        }
    }

    private static let snippets: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "\\ud800", "\\u0061", "null", "true", "1e999", "-", "0",
            "00",
            ".", "e", "\u{0}", "\n", "\u{FEFF}", "[[[[[[[[", "]]]]]]]]", #""a":1,"#, "é", "🏙", "\t", " ", ",]", ",}",
            "e\u{301}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]]
}
