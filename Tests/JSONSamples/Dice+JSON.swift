// Random values, as they stand in JSON.

extension Dice {
    /// Returns a number, also beyond the limits of types, and now and then one that JSON does not allow.
    package mutating func jsonNumber() -> String {
        switch next(below: 14) {
        case 0: "\(Int64(truncatingIfNeeded: next()))"
        case 1: "\(Int64(truncatingIfNeeded: next()) >> Int64(next(below: 64)))"
        case 2: "\(Double(bitPattern: next() & ~(1 << 62) | 0x3000_0000_0000_0000))"
        case 3: "\(Double(next(below: 2_000_000) - 1_000_000) / 1_000)"
        case 4: jsonNumbers[next(below: jsonNumbers.count)]
        case 5: "\(next(below: 1_000)).\(next())"
        case 6: "\(next())\(next())e-\(next(below: 60))"
        default: "\(next(below: 300) - 100)"
        }
    }

    /// Returns a string, now and then half of a surrogate pair.
    package mutating func jsonString() -> String {
        let pieces = [
            "a", "text", "é", "🏙", "語", "\\n", "\\u003c", "\\\"", "\\u00e9", "\\ud83d\\ude00", "Infinity", "NaN", "\\/",
            " and more than fifteen bytes",
        ]
        if hits(oneIn: 30) { return "\"\\ud800\"" }
        let count = next(below: hits(oneIn: 10) ? 16 : 4)
        return jsonString((0..<count).map { _ in pieces[next(below: pieces.count)] }.joined())
    }

    /// Returns a string, now and then with an escape that it does not need.
    package mutating func jsonString(_ text: String) -> String {
        guard hits(oneIn: 20), let first = text.unicodeScalars.first, first.value < 0x80, first != "\\" else {
            return "\"\(text)\""
        }
        let digits = String(first.value, radix: 16)
        return
            "\"\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)\(String(text.unicodeScalars.dropFirst()))\""
    }
}

private let jsonNumbers = [
    "-0", "0", "-0.0", "1e2", "1E+2", "1.0", "1.5", "100e-2", "1e19", "1e400", "1e-400", "9007199254740993.0",
    "9007199254740993.5", "9223372036854775807", "9223372036854775808", "18446744073709551615",
    "18446744073709551616",
    "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "2e-324",
    "340282350000000000000000000000000000001",
    "1.00000000000000000000001", "-9223372036854775808", "01", "1.", "-", "+1", ".5", "0x1", "1e", "127.0", "1e38",
    "12345678901234567890123456789012345678901234567890", "1e127", "1e128", "1e-130", "0.1", "9007199254740993e0",
    "65536",
]
