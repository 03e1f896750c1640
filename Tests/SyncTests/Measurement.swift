import Foundation
import Persistence

/// A model with an integer as its key, and with every kind of column that a film does not have.
struct Measurement: Equatable, Identifiable, Sendable {
    var id: Int
    var takenAt: Date
    var checkedAt: Date?
    var isValid: Bool
    var isFinal: Bool?
    var count: UInt64
    var ratio: Double
    var small: Int16?
    var order: String
    var sensor: UUID?
    var payload: Data?
    var tags: [String] = []
    var marks: [String: Double]? = nil

    static let schema = Schema<Measurement>(
        "measurements",
        {
            Measurement(
                id: $0, takenAt: $1, checkedAt: $2, isValid: $3, isFinal: $4, count: $5, ratio: $6, small: $7,
                order: $8,
                sensor: $9, payload: $10, tags: $11, marks: $12)
        },
        Column("number", \.id), Column("taken_at", \.takenAt, isIndexed: true), Column("checked at", \.checkedAt),
        Column("is_valid", \.isValid), Column("is_final", \.isFinal), Column("count", \.count),
        Column("ratio", \.ratio),
        Column("small", \.small), Column("order", \.order), Column("sensor", \.sensor), Column("payload", \.payload),
        Column("tags", \.tags), Column("marks", \.marks))

    static let extremes: [Measurement] = [
        Measurement(
            id: .min, takenAt: Date(timeIntervalSinceReferenceDate: 814_474_800.25), checkedAt: nil, isValid: true,
            isFinal: nil, count: .max, ratio: .nan, small: nil, order: "", sensor: nil, payload: nil),
        Measurement(
            id: .max, takenAt: Date(timeIntervalSinceReferenceDate: .infinity),
            checkedAt: Date(timeIntervalSinceReferenceDate: -1), isValid: false, isFinal: false, count: 0,
            ratio: -.infinity, small: .min, order: "\"\\\u{0}\n\u{10FFFF}", sensor: .fixture(.max), payload: Data(),
            tags: ["\n\u{303}", "\u{0}"], marks: ["e\u{301}a": -0.0, "z": .nan]),
        Measurement(
            id: 0, takenAt: Date(timeIntervalSinceReferenceDate: 0), checkedAt: nil, isValid: false, isFinal: true,
            count: UInt64(Int64.max) + 1, ratio: .leastNonzeroMagnitude, small: 1, order: "a", sensor: .fixture(1),
            payload: Data((0...255).map { UInt8($0) })),
    ]
}

extension Measurement {
    /// NaN equals itself here, as in a store.
    static func == (lhs: Measurement, rhs: Measurement) -> Bool { schema.values(of: lhs) == schema.values(of: rhs) }
}

extension Measurement {
    /// Measurements of few enough values that queries find some, among them all that are hard to send.
    static func random(_ count: Int, seed: UInt64) -> [Measurement] {
        var numbers = SeededNumbers(seed: seed)
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &numbers)] }
        let dates = [0, 0.25, -1, 814_474_800.123_456, -3_000_000_000.5, .infinity, -.infinity, 1e10].map {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        let ratios = [0, -0.0, 1.5, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 9_007_199_254_740_992]
        let counts: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
        let payloads: [Data?] = [nil, Data(), Data([0]), Data([0, 0]), Data([0x7F]), Data([0x80, 1]), Data([0xFF])]
        let tags = [
            [], [""], ["a,b", "(c)"], ["Ame\u{301}lie"], ["Am\u{E9}lie"], ["\"\\", "\n\u{303}"], ["\u{1F3AC}"],
            ["null"],
        ]
        let marks: [[String: Double]?] = [
            nil, [:], ["a": -0.0], ["a": 0], ["e\u{301}a": 1, "z": .nan], ["\u{E9}a": 1, "z": .nan],
        ]
        return (0..<count).map { number in
            Measurement(
                id: number * 7 - 100, takenAt: pick(dates), checkedAt: pick(dates + [nil, nil]),
                isValid: pick([true, false]),
                isFinal: pick([true, false, nil]), count: pick(counts), ratio: pick(ratios),
                small: pick([nil, .min, -1, 0, .max]),
                order: pick(["", "asc", "a,b", "Ame\u{301}lie", "\"", "\\", "🎬"]),
                sensor: pick([nil, .fixture(0), .fixture(0x8000_0000), .fixture(.max)]), payload: pick(payloads),
                tags: pick(tags), marks: pick(marks))
        }
    }
}
