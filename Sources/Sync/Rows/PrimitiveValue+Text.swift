import Foundation
import Persistence

extension PrimitiveValue {
    /// The value in PostgreSQL's text form; nil if it has none.
    ///
    /// A date is rounded to microseconds, which is all that PostgreSQL keeps.
    public var postgresText: String? {
        switch self {
        case .null, .unencodable: nil
        case let .bool(value): value ? "true" : "false"
        case let .integer(value): "\(value)"
        case let .unsigned(value): "\(value)"
        case let .real(value): value.postgresText
        case let .text(value): value.precomposed
        case let .uuid(value): value.uuidString.lowercased()
        case let .data(value):
            "\\x" + value.map { byte in byte < 16 ? "0\(String(byte, radix: 16))" : String(byte, radix: 16) }.joined()
        case let .date(value): Timestamp(value)?.description
        }
    }

    /// Reads a value of a kind from PostgreSQL's text form; returns nil if the text is not one.
    public init?(postgresText text: String, kind: PrimitiveKind) {
        let value: PrimitiveValue? =
            switch kind {
            case .bool: Self.bools[text.lowercased()].map { .bool($0) }
            case .integer: Int64(text).map { .integer($0) }
            case .unsigned: Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
            case .real: Double(postgresText: text).map { .real($0) }
            case .text: .text(text)
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            case .data: Data(postgresText: text).map { .data($0) }
            case .date: Timestamp(text).map { .date($0.date) }
            }
        guard let value else { return nil }
        self = value
    }

    /// True if the value's text stands for this value and no other, so that the server compares it exactly as this
    /// program does.
    var isExactInText: Bool {
        if case let .date(value) = self { return Timestamp(value)?.isExact ?? false }
        return true
    }

    private static let bools = [
        "true": true, "t": true, "yes": true, "on": true, "1": true,
        "false": false, "f": false, "no": false, "off": false, "0": false,
    ]
}

extension Double {
    var postgresText: String { isNaN ? "NaN" : isInfinite ? (self < 0 ? "-Infinity" : "Infinity") : "\(self)" }

    init?(postgresText text: String) {
        switch text.lowercased() {
        case "nan": self = .nan
        case "infinity", "inf", "+infinity", "+inf": self = .infinity
        case "-infinity", "-inf": self = -.infinity
        // Swift also reads hexadecimal numbers, and numbers beyond all others as infinity.
        default:
            guard !text.contains(where: { $0 == "x" || $0 == "X" }), let value = Double(text), value.isFinite
            else { return nil }
            self = value
        }
    }
}

extension Data {
    /// Reads `\x` followed by two hexadecimal digits for each byte.
    fileprivate init?(postgresText text: String) {
        let digits = text.utf8.dropFirst(2)
        guard text.hasPrefix("\\x"), digits.count.isMultiple(of: 2) else { return nil }
        self.init(capacity: digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}
