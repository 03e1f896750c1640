import Foundation

/// Random bodies: mostly what a recipe asks for, with mistakes of every kind.
struct RandomBody {
    var dice: Dice
    var snakeCase: Bool

    /// Damages every body, and not only one in four.
    static let damagesAll = ProcessInfo.processInfo.environment["JSON_DAMAGE"] != nil

    /// Returns a body for a recipe, sometimes with damaged bytes.
    mutating func body(for recipe: Recipe) -> [UInt8] {
        var bytes = Array(text(for: recipe).utf8)
        guard Self.damagesAll || dice.hits(oneIn: 4) else { return bytes }
        for _ in 0...dice.next(below: 2) {
            let position = dice.next(below: bytes.count + 1)
            switch dice.next(below: 7) {
            case 0: bytes = Array(bytes.prefix(position))
            case 1 where position < bytes.count: bytes[position] = UInt8(dice.next(below: 256))
            case 2 where position < bytes.count: bytes[position] ^= 1 << UInt8(dice.next(below: 8))
            case 3, 4: bytes.insert(contentsOf: Self.snippets[dice.next(below: Self.snippets.count)], at: position)
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
        return bytes
    }

    private static let snippets: [[UInt8]] =
        [
            "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u", "\\ud800", "\\u0061", "null", "true", "1e999", "-", "0",
            "00",
            ".", "e", "\u{0}", "\n", "\u{FEFF}", "[[[[[[[[", "]]]]]]]]", #""a":1,"#, "é", "🏙", "\t", " ", ",]", ",}",
            "e\u{301}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]]

    // MARK: - Values

    private mutating func text(for recipe: Recipe) -> String {
        if dice.hits(oneIn: 24) { return anything() }
        switch recipe {
        case .bool: return dice.hits(oneIn: 2) ? "true" : "false"
        case .int, .int8, .uint16, .int64, .uint64, .int128, .double, .float, .decimal: return number()
        case .string: return string()
        case .date: return dice.hits(oneIn: 2) ? number() : quoted(Self.dates[dice.next(below: Self.dates.count)])
        case .data: return quoted(["", "AA==", "aGVsbG8=", "aGVsbG8", "a GVsbG8=", "\\/\\/8="][dice.next(below: 6)])
        case .url: return quoted(["http:\\/\\/x.org\\/é", "", "a b", "/p?q=%zz", "http://[::1"][dice.next(below: 5)])
        case .strings: return array(of: .string)
        case .integers: return array(of: .int)
        case .doubles: return array(of: .double)
        case .optional(let wrapped): return dice.hits(oneIn: 3) ? "null" : text(for: wrapped)
        case .list(let element): return array(of: element)
        case .dictionary(let element):
            return object((0..<dice.next(below: 5)).map { _ in (key(), text(for: element)) })
        case .object(let fields): return object(fields)
        case .nested(let key, let fields): return object([(wire(key), object(fields))])
        case .inherited(let fields, let under):
            return object(
                fields.map { (wire($0.key), text(for: $0.recipe)) } + [
                    (under.map { wire($0) } ?? "super", object(fields))
                ])
        case .tuple(let elements): return list(elements.map { text(for: $0) } + (dice.hits(oneIn: 4) ? ["1"] : []))
        case .either(let first, let second): return text(for: dice.hits(oneIn: 2) ? first : second)
        case .keys: return object((0..<dice.next(below: 4)).map { _ in (key(), "0") })
        }
    }

    private mutating func array(of element: Recipe) -> String {
        list((0..<dice.next(below: dice.hits(oneIn: 5) ? 20 : 4)).map { _ in text(for: element) })
    }

    private mutating func list(_ elements: [String]) -> String {
        "[\(space())\(elements.joined(separator: ",\(space())"))\(dice.hits(oneIn: 150) ? "," : "")]"
    }

    private mutating func object(_ fields: [Recipe.Field]) -> String {
        var members: [(String, String)] = []
        for field in fields where !(field.isOptional && dice.hits(oneIn: 3)) && !dice.hits(oneIn: 30) {
            members.append((wire(field.key), text(for: field.recipe)))
        }
        if dice.hits(oneIn: 3) { members.insert((key(), anything()), at: dice.next(below: members.count + 1)) }
        if dice.hits(oneIn: 8) { members.shuffle(using: &dice) }
        return object(members)
    }

    /// Returns the text of an object, mostly without duplicate keys.
    private mutating func object(_ members: [(key: String, value: String)]) -> String {
        var names: Set<String> = []
        let keepsTwice = dice.hits(oneIn: 60)
        let written = members.filter { names.insert($0.key).inserted || keepsTwice }.map { member in
            "\(quotedKey(member.key))\(space()):\(space())\(member.value)"
        }
        return "{\(written.joined(separator: ","))\(dice.hits(oneIn: 150) ? "," : "")\(space())}"
    }

    private mutating func anything() -> String {
        switch dice.next(below: 7) {
        case 0: "null"
        case 1: "true"
        case 2: string()
        case 3: "[]"
        case 4: "{}"
        case 5: #"{"a":[1,{"b":"c"}]}"#
        default: number()
        }
    }

    private mutating func space() -> String {
        dice.hits(oneIn: 8) ? [" ", "\n", "\t", "\r\n  "][dice.next(below: 4)] : ""
    }

    private mutating func number() -> String {
        switch dice.next(below: 14) {
        case 0: "\(Int64(truncatingIfNeeded: dice.next()))"
        case 1: "\(Int64(truncatingIfNeeded: dice.next()) >> Int64(dice.next(below: 64)))"
        case 2: "\(Double(bitPattern: dice.next() & ~(1 << 62) | 0x3000_0000_0000_0000))"
        case 3: "\(Double(dice.next(below: 2_000_000) - 1_000_000) / 1_000)"
        case 4: Self.numbers[dice.next(below: Self.numbers.count)]
        case 5: "\(dice.next(below: 1_000)).\(dice.next())"
        case 6: "\(dice.next())\(dice.next())e-\(dice.next(below: 60))"
        default: "\(dice.next(below: 300) - 100)"
        }
    }

    private static let numbers = [
        "-0", "0", "-0.0", "1e2", "1E+2", "1.0", "1.5", "100e-2", "1e19", "1e400", "1e-400", "9007199254740993.0",
        "9007199254740993.5", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616",
        "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2e-324",
        "340282350000000000000000000000000000001",
        "1.00000000000000000000001", "-9223372036854775808", "01", "1.", "-", "+1", ".5", "0x1", "1e", "127.0", "1e38",
        "12345678901234567890123456789012345678901234567890", "1e127", "1e128", "1e-130", "0.1", "9007199254740993e0",
        "65536",
    ]

    private static let dates = [
        "2024-02-29T12:30:45Z", "2023-02-29T12:30:45Z", "1970-01-01T00:00:00Z", "2024-12-31T23:59:60Z",
        "1969-12-31T23:59:59Z",
        "2024-06-30T12:30:45+02:00", "2024-06-30T12:30:45.123Z", "2024-06-30", "x", "2999-12-31T23:59:59Z",
        "2024-13-01T00:00:00Z",
        "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2024-04-31T24:00:00Z", "20240630T123045Z",
        "2100-02-29T00:00:00Z",
    ]

    // MARK: - Strings

    private mutating func key() -> String { wire(Recipe.names[dice.next(below: Recipe.names.count)]) }

    /// A key as it is sent where keys are in snake case.
    private mutating func wire(_ key: String) -> String {
        guard snakeCase, !dice.hits(oneIn: 6) else { return key }
        switch key {
        case "firstName": return "first_name"
        case "urlId": return "url_id"
        case "aLongerKeyThanFifteenBytes": return "a_longer_key_than_fifteen_bytes"
        default: return key
        }
    }

    private mutating func quotedKey(_ key: String) -> String {
        if dice.hits(oneIn: 80) { return key == "é" ? #""e\u0301""# : key == "K" ? "\"\u{212A}\"" : #""\ud800""# }
        return quoted(key)
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "text", "é", "🏙", "\\n", "\\\"", "\\u00e9", "\\ud83d\\ude00", "Infinity", "NaN", "\\/",
            " and more than fifteen bytes",
        ]
        if dice.hits(oneIn: 30) { return "\"\\ud800\"" }
        return quoted((0..<dice.next(below: 4)).map { _ in pieces[dice.next(below: pieces.count)] }.joined())
    }

    /// Returns a string, now and then with an escape that it does not need.
    private mutating func quoted(_ text: String) -> String {
        guard dice.hits(oneIn: 20), let first = text.unicodeScalars.first, first.value < 0x80, first != "\\" else {
            return "\"\(text)\""
        }
        let digits = String(first.value, radix: 16)
        return
            "\"\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)\(String(text.unicodeScalars.dropFirst()))\""
    }
}
