import Foundation
import Persistence

/// A type of ids, with some of its values.
protocol RandomID: Primitive {
    static var ids: [Self] { get }
}

enum RandomIDs {
    static let types: [any RandomID.Type] = [
        Int.self, String.self, UUID.self, UInt64.self, Double.self, Date.self, Data.self, Bool.self, Rating.self,
    ]
}

extension Int: RandomID {
    static var ids: [Int] { [Int.min, -1, 0, 1, 2, 3, 7, 100, Int.max] }
}

extension String: RandomID {
    static var ids: [String] { RandomFilms.texts }
}

extension UUID: RandomID {
    static var ids: [UUID] { RandomFilms.studios }
}

extension UInt64: RandomID {
    static var ids: [UInt64] { RandomFilms.votes }
}

extension Double: RandomID {
    static var ids: [Double] { RandomFilms.numbers.filter { !$0.isNaN } }
}

extension Date: RandomID {
    static var ids: [Date] { RandomFilms.dates.compactMap { $0 }.filter { !$0.timeIntervalSinceReferenceDate.isNaN } }
}

extension Data: RandomID {
    static var ids: [Data] { RandomFilms.posters.compactMap { $0 } }
}

extension Bool: RandomID {
    static var ids: [Bool] { [false, true] }
}

extension Rating: RandomID {
    static var ids: [Rating] { allCases }
}

/// A model with the types of properties that ``Film`` does not have, and with an id of any type.
struct Sample<ID: RandomID>: Identifiable, Hashable, Sendable {
    var id: ID
    var flag: Bool?
    var owner: UUID?
    var size: UInt64?
    var small: Int8
    var byte: UInt8?
    var ratio: Float
    var share: Float?
    var made: Date
    var bytes: Data
    var level: Rating?
    var mood: Grade
    var depth: Depth?
    var caption: Caption
    var notes: [String]?

    static var schema: Schema<Sample> { schema(hasUniques: false) }

    /// - Parameter hasUniques: True if no two samples may have the same byte, or the same small number and flag.
    static func schema(hasUniques: Bool) -> Schema<Sample> {
        Schema<Sample>(
            "samples", Sample.init, Column("id", \.id), Column("flag", \.flag, isIndexed: true),
            Column("owner", \.owner, isIndexed: true), Column("size", \.size, isIndexed: true),
            Column("small", \.small, isIndexed: true), Column("byte", \.byte, isUnique: hasUniques),
            Column("ratio", \.ratio, isIndexed: true), Column("share", \.share, isIndexed: true),
            Column("made", \.made, isIndexed: true), Column("bytes", \.bytes, isIndexed: true),
            Column("level", \.level, isIndexed: true), Column("mood", \.mood),
            Column("depth", \.depth, isIndexed: true), Column("caption", \.caption),
            Column("notes", \.notes, isIndexed: true),
            indexes: [ColumnIndex("small", "flag", isUnique: hasUniques)])
    }
}

struct Depth: RawRepresentable, OrderedPrimitive, Comparable {
    var rawValue: Double

    static func < (lhs: Depth, rhs: Depth) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct Caption: RawRepresentable, Primitive {
    var rawValue: String
}

/// Makes samples and queries for them. Conditions compare any property with any of its values, also by operators for
/// which the compiler knows no order.
struct RandomSamples<ID: RandomID>: RandomObjects {
    var numbers: SeededNumbers

    /// The ids and texts that samples have. Queries ask for all others too.
    let ids: [ID]
    private let storedTexts: [String]

    /// - Parameter hasZeroBytes: True if samples may have texts with zero bytes, which not every store can keep.
    init(seed: UInt64, hasZeroBytes: Bool = true) {
        func isStored(_ text: String) -> Bool { hasZeroBytes || !text.utf8.contains(0) }
        numbers = SeededNumbers(seed: seed)
        ids = ID.ids.filter { id in if case .text(let text) = id.primitiveValue { isStored(text) } else { true } }
        storedTexts = RandomFilms.texts.filter(isStored)
    }

    static var texts: [String] { RandomFilms.texts }
    private static var ratios: [Float] {
        [
            0, -0.0, 0.1, 1, -1.5, 3, .infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            .ulpOfOne, 16_777_216,
        ]
    }

    mutating func object() -> Sample<ID> { object(id: pick(ids)) }

    mutating func object(id: ID) -> Sample<ID> {
        Sample(
            id: id, flag: pick([nil, false, true]), owner: chance(30) ? nil : pick(RandomFilms.studios),
            size: chance(30) ? nil : pick(RandomFilms.votes), small: pick([Int8.min, -1, 0, 1, 7, .max]),
            byte: pick([nil, 0, 1, 127, 128, .max]), ratio: pick(Self.ratios),
            share: chance(30) ? nil : pick(Self.ratios), made: pick(RandomFilms.dates.compactMap { $0 }),
            bytes: pick(RandomFilms.posters.compactMap { $0 }), level: chance(30) ? nil : pick(Rating.allCases),
            mood: pick(Grade.allCases), depth: chance(30) ? nil : Depth(rawValue: pick(RandomFilms.numbers)),
            caption: Caption(rawValue: pick(storedTexts)), notes: chance(30) ? nil : pick(RandomFilms.tags))
    }

    /// An object for each id.
    mutating func objects() -> [Sample<ID>] { ids.map { object(id: $0) } }

    private mutating func attribute() -> Attribute<Sample<ID>> { pick(Sample<ID>.schema.columns).attribute }

    mutating func test() -> Condition<Sample<ID>> {
        let attribute = attribute()
        if attribute.kind == .text, chance(40) {
            let kind = pick([TextMatch.Kind.equals, .startsWith, .endsWith, .contains])
            let text = pick(Self.texts)
            let options = pick([TextOptions(), .caseInsensitive, .diacriticInsensitive])
            return Condition(attribute, kind, chance(50) ? text : String(text.prefix(1)), options) ?? .never
        }
        func value() -> PrimitiveValue { attribute.value(in: object()) }
        if chance(25) {
            let values = (0..<pick([0, 1, 2, 3, 5, 1_100])).map { _ in value() }
            return Condition(attribute, in: values) ?? .never
        }
        let comparison = pick([Comparison.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
        return Condition(attribute, comparison, value()) ?? .never
    }

    mutating func criterion() -> SortCriterion<Sample<ID>> {
        SortCriterion(attribute(), chance(50) ? .ascending : .descending, nil: chance(50) ? .first : .last)
    }

    /// Values for some properties, perhaps for one property twice.
    mutating func assignments() -> [Assignment<Sample<ID>>] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in
            let object = object()
            return pick([
                .value(\.flag, object.flag), .value(\.owner, object.owner), .value(\.size, object.size),
                .value(\.small, object.small), .value(\.byte, object.byte), .value(\.ratio, object.ratio),
                .value(\.share, object.share), .value(\.made, object.made), .value(\.bytes, object.bytes),
                .value(\.level, object.level), .value(\.mood, object.mood), .value(\.depth, object.depth),
                .value(\.caption, object.caption), .value(\.notes, object.notes), .value(\.notes, nil),
            ])
        }
    }
}

extension Aggregate {
    /// The aggregates of each kind of a property.
    static func all(of attribute: Attribute<Object>) -> [Aggregate] {
        [Kind.minimum, .maximum, .distinct, .counts, .sum, .average].map { Aggregate($0, of: attribute) }
    }
}

extension Query {
    /// The rows of an aggregate, or the reason why there are none.
    func rows(of aggregate: Aggregate<S.Object>) -> Result<[[PrimitiveValue]], StoreError> {
        Result { () throws(StoreError) in try store.aggregate(aggregate, of: self).values()[0] }
    }
}
