import Foundation
import JSONSamples

/// A random value that encodes itself in every way there is.
indirect enum RandomValue: Encodable, Sendable {
    case null, bool(Bool), integer(Int), unsigned(UInt64), wide(Int128), small(Int8), double(Double), float(Float),
        string(String)
    case date(Date), data(Data), url(URL), decimal(Decimal)
    case strings([String]), integers([Int]), doubles([Double])
    case optional(RandomValue?)
    case list([RandomValue])
    case dictionary([String: RandomValue])
    case object([Member])
    /// An object written to through several containers in turns.
    case interleaved([Member])
    case inherited([Member], RandomValue)
    case nestedLists([[RandomValue]])
    /// Encodes nothing, though it might.
    case nothing
    /// Encodes something and then fails.
    case failing

    struct Member: Sendable {
        var key: String
        var value: RandomValue
    }

    struct Failure: Error {}

    static func random(_ dice: inout Dice, depth: Int = 0) -> RandomValue {
        if depth > 3 || depth > 0 && dice.hits(oneIn: 3) { return scalar(&dice) }
        switch dice.next(below: 9) {
        case 0, 1: return .list((0..<dice.next(below: 4)).map { _ in random(&dice, depth: depth + 1) })
        case 2: return .dictionary(Dictionary(members(&dice, depth).map { ($0.key, $0.value) }) { $1 })
        case 3, 4: return .object(members(&dice, depth))
        case 5: return .interleaved(members(&dice, depth))
        case 6: return .inherited(members(&dice, depth), random(&dice, depth: depth + 1))
        case 7:
            return .nestedLists(
                (0..<dice.next(below: 3)).map { _ in
                    (0..<dice.next(below: 3)).map { _ in random(&dice, depth: depth + 1) }
                })
        default: return .optional(dice.hits(oneIn: 2) ? nil : random(&dice, depth: depth + 1))
        }
    }

    private static func members(_ dice: inout Dice, _ depth: Int) -> [Member] {
        (0..<dice.next(below: dice.hits(oneIn: 10) ? 24 : 5)).map { _ in
            Member(key: keys[dice.next(below: keys.count)], value: random(&dice, depth: depth + 1))
        }
    }

    private static let keys = [
        "a", "b", "firstName", "aURLPath", "HTTPServer", "x", "x1Y2", "é", "e\u{301}", "ÄrgerNis", "_private",
        "trailing_",
        "with/slash", "quote\"", "", "K", "\u{212A}", "aB", "a_b", "someLONGKeyWithManyWords", "ABC", "abcD",
    ]

    private static func scalar(_ dice: inout Dice) -> RandomValue {
        switch dice.next(below: 22) {
        case 0: .null
        case 1: .bool(dice.hits(oneIn: 2))
        case 2: .integer(Int(truncatingIfNeeded: dice.next()) >> Int(dice.next(below: 64)))
        case 3: .unsigned(dice.next())
        case 4: .wide(Int128(Int64(truncatingIfNeeded: dice.next())) << Int128(dice.next(below: 60)))
        case 5: .small(Int8(truncatingIfNeeded: dice.next()))
        case 6: .double(Double(bitPattern: dice.next()))
        case 7: .double(Double(dice.next(below: 1_000_000)) / 1_000)
        case 8: .float(Float(bitPattern: UInt32(truncatingIfNeeded: dice.next())))
        case 9: .double([.nan, .infinity, -.infinity, -0.0, 0, 1e20][dice.next(below: 6)])
        case 10:
            .date(
                Date(timeIntervalSince1970: Double(dice.next(below: 4_000_000_000)) / Double(1 + dice.next(below: 3))))
        case 11: .data(Data((0..<dice.next(below: 9)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }))
        case 12: .url(URL(string: "https://example.com/a/b?q=\(dice.next(below: 99))")!)
        case 13: .decimal(Decimal(Int64(truncatingIfNeeded: dice.next())) / 1_000)
        case 14: .strings((0..<dice.next(below: 4)).map { _ in string(&dice) })
        case 15: .integers((0..<dice.next(below: 4)).map { _ in dice.next(below: 1_000) - 500 })
        case 16: .doubles((0..<dice.next(below: 4)).map { _ in Double(dice.next(below: 1_000)) / 8 })
        case 17: dice.hits(oneIn: 4) ? .failing : .nothing
        default: .string(string(&dice))
        }
    }

    private static func string(_ dice: inout Dice) -> String {
        let pieces = [
            "a", "text", "é", "🏙", "\n", "\"", "\\", "/", "\u{1}", "\u{1F}", "\u{7F}", " and more than fifteen bytes",
        ]
        return (0..<dice.next(below: 5)).map { _ in pieces[dice.next(below: pieces.count)] }.joined()
    }

    // MARK: - Encoding

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Probe.Key.self)
            for member in members { try Self.encode(member, &container) }
        case .interleaved(let members): try Self.interleave(members, encoder)
        case .inherited(let members, let parent):
            var container = encoder.container(keyedBy: Probe.Key.self)
            for member in members { try Self.encode(member, &container) }
            try parent.encode(to: container.superEncoder())
        case .nestedLists(let lists):
            var container = encoder.unkeyedContainer()
            for list in lists {
                var nested = container.nestedUnkeyedContainer()
                for value in list { try nested.encode(value) }
            }
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values {
                switch value {
                case .null: try container.encodeNil()
                case .string(let string): try container.encode(string)
                case .integer(let integer): try container.encode(integer)
                case .failing: try? container.encode(value)
                default: try container.encode(value)
                }
            }
        case .nothing: break
        case .failing: throw Failure()
        default:
            var container = encoder.singleValueContainer()
            try encode(to: &container)
        }
    }

    private func encode(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .wide(let value): try container.encode(value)
        case .small(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .url(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .strings(let value): try container.encode(value)
        case .integers(let value): try container.encode(value)
        case .doubles(let value): try container.encode(value)
        case .optional(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        default: try container.encodeNil()
        }
    }

    private static func encode(_ member: Member, _ container: inout KeyedEncodingContainer<Probe.Key>) throws {
        let key = Probe.Key(member.key)
        switch member.value {
        case .null: try container.encodeNil(forKey: key)
        case .string(let value): try container.encode(value, forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .bool(let value): try container.encode(value, forKey: key)
        case .optional(let value): try container.encodeIfPresent(value, forKey: key)
        case .failing: try? container.encode(member.value, forKey: key)
        default: try container.encode(member.value, forKey: key)
        }
    }

    /// Odd members go into a nested container that is open all the while, and the last into one that is asked for again.
    private static func interleave(_ members: [Member], _ encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Probe.Key.self)
        var nested = container.nestedContainer(keyedBy: Probe.Key.self, forKey: Probe.Key("nested"))
        var list = container.nestedUnkeyedContainer(forKey: Probe.Key("list"))
        for (number, member) in members.enumerated() {
            if number.isMultiple(of: 2) { try encode(member, &container) } else { try encode(member, &nested) }
            try list.encode(number)
        }
        var again = encoder.container(keyedBy: Probe.Key.self)
        try again.encode(members.count, forKey: Probe.Key("count"))
        var nestedAgain = again.nestedContainer(keyedBy: Probe.Key.self, forKey: Probe.Key("nested"))
        try nestedAgain.encode(true, forKey: Probe.Key("again"))
    }
}
