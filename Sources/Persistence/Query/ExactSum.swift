/// A sum that does not depend on the order of its terms. Whole numbers are added in 128 bits; other numbers are rounded
/// only at the end.
///
/// Other numbers are added in fixed point. A `Double` is a whole number of 53 bits, times a power of two that is 2⁻¹⁰⁷⁴
/// or more, so the sum is a multiple of 2⁻¹⁰⁷⁴, and 66 digits of 32 bits hold it. Each digit has 64 bits of memory, so
/// the carries are only propagated from time to time.
package struct ExactSum: ~Copyable {
    private static var digitCount: Int { 68 }

    private var whole: Int128 = 0
    private var count = 0
    private let digits: UnsafeMutablePointer<Int64>
    /// The sum of the infinities and NaN among the terms.
    private var limitless = 0.0

    package init() {
        digits = .allocate(capacity: Self.digitCount)
        digits.initialize(repeating: 0, count: Self.digitCount)
    }

    /// Makes a sum of `count` whole numbers whose total is `whole`.
    package init(of whole: Int128, count: Int) {
        self.init()
        self.whole = whole
        self.count = count
    }

    deinit { digits.deallocate() }

    // MARK: - Adding

    package mutating func add(_ value: PrimitiveValue) {
        switch value {
        case .integer(let value): add(value)
        case .unsigned(let value): add(value)
        case .real(let value): add(value)
        default: return
        }
    }

    mutating func add(_ value: some FixedWidthInteger) {
        whole += Int128(value)
        count += 1
    }

    mutating func add(_ value: Double) {
        count += 1
        guard value.isFinite else {
            limitless += value
            return
        }
        // A digit could overflow after a thousand times as many.
        if count.isMultiple(of: 1_000_000) { Self.normalize(digits) }
        let bits = value.bitPattern
        let exponent = Int(truncatingIfNeeded: bits >> 52) & 0x7FF
        // A number of the smallest exponent has no hidden bit.
        let mantissa = bits & 0xF_FFFF_FFFF_FFFF | (exponent > 0 ? 1 << 52 : 0)
        let place = max(0, exponent - 1)
        let first = digits + place >> 5
        let shift = UInt64(truncatingIfNeeded: place & 31)
        let low = Int64(truncatingIfNeeded: mantissa << shift & 0xFFFF_FFFF)
        let middle = Int64(truncatingIfNeeded: mantissa >> (32 - shift) & 0xFFFF_FFFF)
        let high = Int64(truncatingIfNeeded: mantissa >> (64 - shift))
        if bits >> 63 == 0 {
            first[0] &+= low
            first[1] &+= middle
            first[2] &+= high
        } else {
            first[0] &-= low
            first[1] &-= middle
            first[2] &-= high
        }
    }

    /// Propagates the carries, so that each digit but the last has 32 bits and is not negative.
    private static func normalize(_ digits: UnsafeMutablePointer<Int64>) {
        for place in 0..<digitCount - 1 {
            digits[place + 1] += digits[place] >> 32
            digits[place] &= 0xFFFF_FFFF
        }
    }

    // MARK: - The total

    /// The sum, rounded once to the nearest number, and half way to the even one.
    private var real: Double {
        if limitless != 0 { return limitless }
        let copy = UnsafeMutablePointer<Int64>.allocate(capacity: Self.digitCount)
        defer { copy.deallocate() }
        copy.initialize(from: digits, count: Self.digitCount)
        Self.normalize(copy)
        guard copy[Self.digitCount - 1] < 0 else { return Self.rounded(copy) }
        for place in 0..<Self.digitCount { copy[place].negate() }
        Self.normalize(copy)
        return -Self.rounded(copy)
    }

    /// Returns the number nearest to that of normalized digits.
    private static func rounded(_ digits: UnsafeMutablePointer<Int64>) -> Double {
        guard let top = (0..<digitCount).last(where: { digits[$0] != 0 }) else { return 0 }
        // The three highest digits, and whether anything is below them.
        let base = max(0, top - 2)
        let window = (base...base + 2).reversed().reduce(0 as UInt128) { $0 << 32 | UInt128(digits[$1]) }
        let hasRest = (0..<base).contains { digits[$0] != 0 }
        let excess = max(0, UInt128.bitWidth - window.leadingZeroBitCount - 53)
        var significand = UInt64(truncatingIfNeeded: window >> UInt128(excess))
        if excess > 0 {
            let half = UInt128(1) << UInt128(excess - 1)
            let cut = window & (half << 1 - 1)
            if cut > half || (cut == half && (hasRest || significand & 1 == 1)) { significand += 1 }
        }
        return Double(sign: .plus, exponent: 32 * base + excess - 1_074, significand: Double(significand))
    }

    /// The sum as a value of a property's kind, or nil if it is too large for one.
    func total(of kind: PrimitiveKind) -> PrimitiveValue? {
        if kind == .real { return .real(real) }
        if let small = Int64(exactly: whole) { return .integer(small) }
        return kind == .unsigned ? UInt64(exactly: whole).map { .unsigned($0) } : nil
    }

    /// The average of the terms, or nil if there are none.
    package var average: PrimitiveValue? {
        guard count > 0 else { return nil }
        return .real((real + Double(whole)) / Double(count))
    }
}
