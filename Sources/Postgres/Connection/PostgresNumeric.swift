import Persistence

/// A whole number of PostgreSQL's type `numeric`, whose binary form has digits to base 10,000.
struct PostgresNumeric {
    let number: Int128

    init(_ number: UInt64) { self.number = Int128(number) }

    /// Returns nil if the number is not a whole one, or is too large.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let words = Self.words(bytes) else { return nil }
        let digits = words[4...]
        let (weight, sign) = (Int(Int16(bitPattern: words[1])), words[2])
        guard Int(words[0]) == digits.count, sign == 0 || sign == 0x4000, weight < 10 else { return nil }
        // Digits after the point would be lost.
        guard digits.dropFirst(max(0, weight + 1)).allSatisfy({ $0 == 0 }) else { return nil }
        var number: Int128 = 0
        for place in 0..<max(0, weight + 1) {
            let digit = place < digits.count ? digits[digits.startIndex + place] : 0
            let (product, isProductTooLarge) = number.multipliedReportingOverflow(by: 10_000)
            let (sum, isSumTooLarge) = product.addingReportingOverflow(Int128(digit))
            guard !isProductTooLarge, !isSumTooLarge else { return nil }
            number = sum
        }
        self.number = sign == 0 ? number : -number
    }

    /// Returns the nearest real of a number that is not a whole one, or is too large; nil if the bytes are not a number.
    static func real(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard let words = words(bytes) else { return nil }
        let weight = Int(Int16(bitPattern: words[1]))
        switch words[2] {
        case 0xC000: return .nan
        case 0xD000: return .infinity
        case 0xF000: return -.infinity
        case let sign:
            // As text, since the sum of the digits' values would be rounded more than once.
            let digits = words[4...].map { String(Int($0) + 10_000).dropFirst() }.joined()
            return Double("\(sign == 0 ? "" : "-")0\(digits)e\((weight + 1) * 4 - digits.count)")
        }
    }

    private static func words(_ bytes: UnsafeRawBufferPointer) -> [UInt16]? {
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
        return (0..<bytes.count / 2).map {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self))
        }
    }

    /// Calls `body` with the words of the binary form, in big-endian order.
    func write(_ body: (UInt16) -> Void) {
        var digits: [UInt16] = []
        var rest = number.magnitude
        while rest > 0 {
            digits.append(UInt16(rest % 10_000))
            rest /= 10_000
        }
        for word in [UInt16(digits.count), UInt16(max(0, digits.count - 1)), number < 0 ? 0x4000 : 0, 0] { body(word) }
        for digit in digits.reversed() { body(digit) }
    }

    /// The number as a store has it, or nil if no kind holds it.
    var value: PrimitiveValue? {
        Int64(exactly: number).map { .integer($0) } ?? UInt64(exactly: number).map { .unsigned($0) }
    }
}
