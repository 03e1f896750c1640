import Foundation
import JSONSamples

/// A random type: what a decoder is asked for, step by step.
indirect enum Recipe: Sendable {
    case bool, int, int8, uint16, int64, uint64, int128, double, float, string
    case decimal, date, data, url
    case strings, integers, doubles
    case optional(Recipe)
    case list(Recipe)
    case dictionary(Recipe)
    case object([Field])
    /// The members of an object that is read with `nestedContainer`.
    case nested(key: String, [Field])
    /// The elements of an array, each of another type, and whether there are more.
    case tuple([Recipe])
    /// The second one if the first one can't be read.
    case either(Recipe, Recipe)
    /// Part of the object is the superclass's.
    case inherited([Field], under: String?)
    /// The names of all keys.
    case keys

    struct Field: Sendable {
        var key: String
        var recipe: Recipe
        var isOptional: Bool
    }

    static let names = [
        "a", "b", "c", "firstName", "urlId", "_x_", "é", "K", "", "aLongerKeyThanFifteenBytes", "n1", "\u{1F600}",
    ]

    static func random(_ dice: inout Dice, depth: Int = 0) -> Recipe {
        let scalars: [Recipe] = [
            .bool, .int, .int8, .uint16, .int64, .uint64, .int128, .double, .float, .string, .decimal, .date, .data,
            .url,
            .strings, .integers, .doubles, .keys,
        ]
        guard depth < 4, !dice.hits(oneIn: 3) || depth == 0 else { return scalars[dice.next(below: scalars.count)] }
        switch dice.next(below: depth == 0 ? 7 : 10) {
        case 0, 1: return .list(random(&dice, depth: depth + 1))
        case 2: return .dictionary(random(&dice, depth: depth + 1))
        case 3, 4: return .object(fields(&dice, depth))
        case 5: return .tuple((0..<dice.next(below: 4)).map { _ in random(&dice, depth: depth + 1) })
        case 6: return .inherited(fields(&dice, depth), under: dice.hits(oneIn: 2) ? nil : names[dice.next(below: 4)])
        case 7: return .nested(key: names[dice.next(below: 4)], fields(&dice, depth))
        case 8: return .either(random(&dice, depth: depth + 1), random(&dice, depth: depth + 1))
        default: return .optional(random(&dice, depth: depth + 1))
        }
    }

    private static func fields(_ dice: inout Dice, _ depth: Int) -> [Field] {
        (0..<dice.next(below: 6)).map { _ in
            Field(
                key: names[dice.next(below: names.count)], recipe: random(&dice, depth: depth + 1),
                isOptional: dice.hits(oneIn: 3))
        }
    }
}

/// The outcome of reading a body.
indirect enum Outcome: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int128)
    case bits(UInt64)
    case string(String)
    case decimal(Decimal)
    case data(Data)
    case list([Outcome])
    case dictionary([String: Outcome])
    case failed

    static func double(_ value: Double) -> Outcome { .bits(value.isNaN ? 1 : value.bitPattern) }

    /// By its seconds: a date may be one that is not a number, which equals nothing and can't be printed.
    static func date(_ value: Date) -> Outcome { .double(value.timeIntervalSinceReferenceDate) }
}

/// A value that is decoded by the recipe which `userInfo` holds at that moment.
struct Probe: Decodable {
    let outcome: Outcome

    /// The number of the next recipe. Used by one decoding at a time.
    final class Kitchen: @unchecked Sendable {
        var recipe: Recipe

        init(_ recipe: Recipe) { self.recipe = recipe }
    }

    static let kitchen = CodingUserInfoKey(rawValue: "kitchen")!

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    private struct NoKitchen: Error {}

    init(from decoder: any Decoder) throws {
        guard let kitchen = decoder.userInfo[Self.kitchen] as? Kitchen else { throw NoKitchen() }
        let recipe = kitchen.recipe
        defer { kitchen.recipe = recipe }
        outcome = try Self.cook(recipe, decoder, kitchen)
    }

    private static func cook(_ recipe: Recipe, _ decoder: any Decoder, _ kitchen: Kitchen) throws -> Outcome {
        switch recipe {
        case .list(let element):
            kitchen.recipe = element
            return .list(try [Probe](from: decoder).map(\.outcome))
        case .dictionary(let element):
            kitchen.recipe = element
            return .dictionary(try decoder.singleValueContainer().decode([String: Probe].self).mapValues(\.outcome))
        case .optional(let wrapped):
            kitchen.recipe = wrapped
            return try decoder.singleValueContainer().decode(Probe?.self)?.outcome ?? .null
        case .object(let fields):
            return .list(try members(fields, decoder.container(keyedBy: Key.self), kitchen))
        case .nested(let key, let fields):
            let outer = try decoder.container(keyedBy: Key.self)
            let nested = try outer.nestedContainer(keyedBy: Key.self, forKey: Key(key))
            return .list(try members(fields, nested, kitchen))
        case .inherited(let fields, let key):
            let container = try decoder.container(keyedBy: Key.self)
            let parent = try key.map { try container.superDecoder(forKey: Key($0)) } ?? container.superDecoder()
            let own = try members(fields, container, kitchen)
            kitchen.recipe = .object(fields)
            return .list(own + [(try? Probe(from: parent))?.outcome ?? .failed])
        case .tuple(let elements):
            var container = try decoder.unkeyedContainer()
            var outcomes: [Outcome] = []
            for element in elements {
                kitchen.recipe = element
                switch element {
                case .optional: outcomes.append(try container.decodeIfPresent(Probe.self)?.outcome ?? .null)
                case .list: outcomes.append(try container.decodeNil() ? .null : .integer(0))
                default: outcomes.append(try container.decode(Probe.self).outcome)
                }
            }
            return .list(outcomes + [.bool(container.isAtEnd), .integer(Int128(container.count ?? -1))])
        case .either(let first, let second):
            kitchen.recipe = first
            if let outcome = try? Probe(from: decoder).outcome { return outcome }
            kitchen.recipe = second
            return try Probe(from: decoder).outcome
        case .keys:
            return .list(
                try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue).sorted().map(Outcome.string))
        default: return try scalar(recipe, decoder.singleValueContainer())
        }
    }

    private static func members(
        _ fields: [Recipe.Field], _ container: KeyedDecodingContainer<Key>, _ kitchen: Kitchen
    ) throws -> [Outcome] {
        try fields.map { field in
            let key = Key(field.key)
            kitchen.recipe = field.recipe
            switch field.recipe {
            // Straight from the container, which has functions of its own for these.
            case .int where field.isOptional:
                return try container.decodeIfPresent(Int.self, forKey: key).map { .integer(Int128($0)) } ?? .null
            case .int: return .integer(Int128(try container.decode(Int.self, forKey: key)))
            case .string where field.isOptional:
                return try container.decodeIfPresent(String.self, forKey: key).map(Outcome.string) ?? .null
            case .string: return .string(try container.decode(String.self, forKey: key))
            case .double: return .double(try container.decode(Double.self, forKey: key))
            case .bool: return .bool(try container.decode(Bool.self, forKey: key))
            case .date: return .date(try container.decode(Date.self, forKey: key))
            case .strings: return .list(try container.decode([String].self, forKey: key).map(Outcome.string))
            default:
                guard field.isOptional else { return try container.decode(Probe.self, forKey: key).outcome }
                return try container.decodeIfPresent(Probe.self, forKey: key)?.outcome ?? .null
            }
        }
    }

    private static func scalar(_ recipe: Recipe, _ container: any SingleValueDecodingContainer) throws -> Outcome {
        switch recipe {
        case .bool: .bool(try container.decode(Bool.self))
        case .int: .integer(Int128(try container.decode(Int.self)))
        case .int8: .integer(Int128(try container.decode(Int8.self)))
        case .uint16: .integer(Int128(try container.decode(UInt16.self)))
        case .int64: .integer(Int128(try container.decode(Int64.self)))
        case .uint64: .integer(Int128(try container.decode(UInt64.self)))
        case .int128: .integer(try container.decode(Int128.self))
        case .double: .double(try container.decode(Double.self))
        case .float: .double(Double(try container.decode(Float.self)))
        case .string: .string(try container.decode(String.self))
        case .decimal: .decimal(try container.decode(Decimal.self))
        case .date: .date(try container.decode(Date.self))
        case .data: .data(try container.decode(Data.self))
        case .url: .string(try container.decode(URL.self).absoluteString)
        case .strings: .list(try container.decode([String].self).map(Outcome.string))
        case .integers: .list(try container.decode([Int].self).map { .integer(Int128($0)) })
        default: .list(try container.decode([Double].self).map(Outcome.double))
        }
    }
}
