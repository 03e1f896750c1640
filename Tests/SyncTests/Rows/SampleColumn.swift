import Foundation
import JSONSamples
import Persistence

@testable import Sync

/// The key of a column, for `JSONDecoder`.
struct SampleKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { return nil }
}

typealias SampleMembers = KeyedDecodingContainer<SampleKey>

/// A type of column, with a plain way to read it through `JSONDecoder`, and random JSON of it.
protocol SampleColumn: Primitive {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Self

    /// JSON that mostly stands for a value of the type.
    static func json(_ dice: inout Dice) -> String
}

/// The error of a value that is JSON of the right type, but is not a value of the column.
struct NotInColumn: Error {}

extension Optional where Wrapped: Any {
    /// The value; throws if there is none.
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw NotInColumn() }
        return self
    }
}

extension Dice {
    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }
}

// MARK: - Numbers

extension SampleColumn where Self: FixedWidthInteger & Decodable {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Self {
        try row.decode(Self.self, forKey: key)
    }

    static func json(_ dice: inout Dice) -> String {
        switch dice.next(below: 80) {
        case 0: dice.jsonNumber()
        case 1: "\(max)"
        case 2: "\(min)"
        case 3: "\(max)0"
        case 4..<8: "\(dice.next(below: 128)).0"
        case 8..<12: "\(dice.next(below: 12))e1"
        case 12..<40: "\(Self(truncatingIfNeeded: dice.next()))"
        default: "\(dice.next(below: 100))"
        }
    }
}

extension Int: SampleColumn {}
extension Int8: SampleColumn {}
extension Int16: SampleColumn {}
extension Int32: SampleColumn {}
extension Int64: SampleColumn {}
extension UInt: SampleColumn {}
extension UInt8: SampleColumn {}
extension UInt16: SampleColumn {}
extension UInt32: SampleColumn {}
extension UInt64: SampleColumn {}

extension Double: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Double {
        if let number = try? row.decode(Double.self, forKey: key) { return number }
        return try Double(postgresText: row.decode(String.self, forKey: key)).orThrow()
    }

    static func json(_ dice: inout Dice) -> String {
        switch dice.next(below: 20) {
        case 0: dice.jsonString(dice.pick(["NaN", "Infinity", "-Infinity", "nan", "1.5", "-inf"]))
        case 1 where dice.hits(oneIn: 6): dice.jsonNumber()
        case 1..<10: "\(Double(dice.next(below: 2_000_000) - 1_000_000) / 1_000)"
        case 10: "\(Double(bitPattern: dice.next() & ~(1 << 62) | 0x3000_0000_0000_0000))"
        default: "\(dice.next(below: 1_000))"
        }
    }
}

extension Float: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Float {
        let number = try Double.decode(key, of: row)
        let value = Float(number)
        // A number that would become infinity or zero is an error, as it is for JSONDecoder.
        guard value.isFinite || !number.isFinite, value != 0 || number == 0 else { throw NotInColumn() }
        return value
    }

    static func json(_ dice: inout Dice) -> String { Double.json(&dice) }
}

extension Bool: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Bool {
        try row.decode(Bool.self, forKey: key)
    }
    static func json(_ dice: inout Dice) -> String { dice.hits(oneIn: 2) ? "true" : "false" }
}

// MARK: - Text

extension String: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> String {
        try row.decode(String.self, forKey: key)
    }

    static func json(_ dice: inout Dice) -> String {
        dice.hits(oneIn: 4)
            ? dice.jsonString() : dice.jsonString(dice.pick(["", "a", "Brazil", "e\u{301}", "16 bytes of text"]))
    }
}

extension Date: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Date {
        try Timestamp(row.decode(String.self, forKey: key)).orThrow().date
    }

    static func json(_ dice: inout Dice) -> String {
        let day = "\(1_900 + dice.next(below: 300))-0\(1 + dice.next(below: 9))-\(10 + dice.next(below: 18))"
        let end = dice.pick(["", "Z", "+00:00", "-07:30", "+02", " ", dice.hits(oneIn: 30) ? "x" : "Z"])
        switch dice.next(below: 8) {
        case 0:
            return dice.jsonString(dice.pick(["infinity", "-infinity", "9999-12-31T23:59:59.9999999Z", "0001-01-01"]))
        case 1: return dice.jsonString(day)
        case 2: return dice.jsonString("\(day) 23:0\(dice.next(below: 10))\(end == " " ? "" : end)")
        default:
            return dice.jsonString(
                "\(day)T0\(dice.next(below: 10)):59:48.\(dice.next(below: 10_000_000))\(end == " " ? "" : end)")
        }
    }
}

extension UUID: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> UUID {
        try UUID(uuidString: row.decode(String.self, forKey: key)).orThrow()
    }

    static func json(_ dice: inout Dice) -> String {
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in dice.pick(Array("0123456789abcdefABCDEF")) })
        }
        let text = [8, 4, 4, 4, 12].map(digits).joined(separator: "-")
        return dice.jsonString(dice.hits(oneIn: 60) ? String(text.dropLast()) : text)
    }
}

extension Data: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Data {
        let text = try row.decode(String.self, forKey: key)
        let digits = Array(text.unicodeScalars.dropFirst(2))
        guard text.utf8.starts(with: "\\x".utf8), digits.count % 2 == 0, digits.allSatisfy(\.properties.isASCIIHexDigit)
        else { throw NotInColumn() }
        return Data(
            try stride(from: 0, to: digits.count, by: 2).map {
                try UInt8("\(digits[$0])\(digits[$0 + 1])", radix: 16).orThrow()
            })
    }

    static func json(_ dice: inout Dice) -> String {
        let digits = (0..<dice.next(below: 6)).map { _ in dice.pick(["00", "ff", "7F", "a0"]) }.joined()
        return dice.hits(oneIn: 60) ? dice.jsonString(digits) : "\"\\\\x\(digits)\""
    }
}

// MARK: - Raw values

enum SampleMood: String, SampleColumn {
    case calm, glad, sad = "very sad"
    case other = "aTextOfMoreThanSixteenBytes"

    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> SampleMood {
        try SampleMood(rawValue: row.decode(String.self, forKey: key)).orThrow()
    }

    static func json(_ dice: inout Dice) -> String {
        dice.jsonString(
            dice.hits(oneIn: 60) ? "unknown" : dice.pick(["calm", "glad", "very sad", "aTextOfMoreThanSixteenBytes"]))
    }
}

enum SampleLevel: Int, SampleColumn {
    case low = 1
    case high = 1_000_000

    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> SampleLevel {
        try SampleLevel(rawValue: row.decode(Int.self, forKey: key)).orThrow()
    }

    static func json(_ dice: inout Dice) -> String {
        dice.hits(oneIn: 60) ? "2" : dice.pick(["1", "1000000", "1e6", "1.0"])
    }
}

/// Any text, of which there may be more than a reader remembers.
struct SampleLabel: RawRepresentable, SampleColumn {
    let rawValue: String

    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> SampleLabel {
        SampleLabel(rawValue: try row.decode(String.self, forKey: key))
    }

    static func json(_ dice: inout Dice) -> String {
        dice.hits(oneIn: 10) ? dice.jsonString() : dice.jsonString("a label \(dice.next(below: 24))")
    }
}

// MARK: - Columns with JSON

extension SampleColumn where Self: StoredAsJSON {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Self {
        let text = try Array(row.decode(String.self, forKey: key).utf8)
        // JSONDecoder is not strict, and would take a comma before the end, or a byte order mark.
        guard StrictGrammar.accepts(text) else { throw NotInColumn() }
        return try JSONDecoder().decode(Self.self, from: Data(text))
    }
}

extension Dice {
    /// Returns a string that holds JSON.
    fileprivate mutating func jsonString(holding json: String) -> String {
        jsonString(json.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\""))
    }
}

struct SampleAddress: StoredAsJSON, SampleColumn {
    var street: String
    var number: Int?

    static func json(_ dice: inout Dice) -> String {
        let street = dice.pick(["\"A\"", "\"é\"", "\"\\\"\"", dice.hits(oneIn: 20) ? "1" : "\"\""])
        return dice.jsonString(
            holding: dice.pick(["{\"street\":\(street)}", "{ \"number\":\(dice.next(below: 9)),\"street\":\(street)}"]))
    }
}

extension Array: SampleColumn where Element == Int {
    static func json(_ dice: inout Dice) -> String {
        dice.jsonString(
            holding: "[\((0..<dice.next(below: 4)).map { _ in "\(dice.next(below: 9))" }.joined(separator: ","))]")
    }
}

extension Dictionary: SampleColumn where Key == String, Value == Bool {
    static func json(_ dice: inout Dice) -> String {
        dice.jsonString(holding: dice.pick(["{}", "{\"a\":true}", "{\"b\":false,\"é\":true}"]))
    }
}

// MARK: - Optionals

extension Optional: SampleColumn where Wrapped: SampleColumn {
    static func decode(_ key: SampleKey, of row: SampleMembers) throws -> Wrapped? {
        guard row.contains(key), try !row.decodeNil(forKey: key) else { return nil }
        return try Wrapped.decode(key, of: row)
    }

    static func json(_ dice: inout Dice) -> String { dice.hits(oneIn: 3) ? "null" : Wrapped.json(&dice) }
}
