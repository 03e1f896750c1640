/// Finds the `Double` nearest to a decimal number, by one or two multiplications with the first 128 bits of a power of
/// five.
///
/// Daniel Lemire, "Number parsing at a gigabyte per second", 2021. The table reaches from 10^-64 to 10^64, which covers
/// most numbers in bodies. The result is `nil` outside this range, and if 128 bits do not decide the rounding.
enum EiselLemire {
    static func double(_ significand: UInt64, _ exponent: Int) -> Double? {
        if significand == 0 { return 0 }
        guard exponent >= -reach, exponent <= reach else { return nil }
        let power = powers[exponent + reach]
        let leadingZeros = significand.leadingZeroBitCount
        let normalized = significand << UInt64(leadingZeros)

        var product = normalized.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power >> 64))
        // The 9 bits below the 55 that are needed: only if all are ones can a carry from below reach the needed ones.
        if product.high & 0x1FF == 0x1FF {
            let lower = normalized.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power))
            let (sum, overflows) = product.low.addingReportingOverflow(lower.high)
            product.low = sum
            if overflows { product.high += 1 }
            if product.low == .max { return nil }
        }

        let upperBit = Int(product.high >> 63)
        let shift = UInt64(upperBit + 64 - 52 - 3)
        var mantissa = product.high >> shift
        // The binary exponent of 10^q is floor(q × log2 10); 217,706 / 2^16 is that logarithm, exact enough for this range.
        let binaryExponent = (217_706 * exponent) >> 16 + 63 + upperBit - leadingZeros + 1_023
        guard binaryExponent > 0, binaryExponent < 2_046 else { return nil }
        // A number half way between two Doubles is rounded to the even one. That happens only if 5^q divides, or is, a
        // 64-bit number.
        if product.low <= 1, exponent >= -4, exponent <= 23, mantissa & 3 == 1, mantissa << shift == product.high {
            mantissa &= ~1
        }
        mantissa += mantissa & 1
        mantissa >>= 1
        // Rounding up may carry into a 54th bit; the sum below then carries into the exponent.
        let bits = UInt64(binaryExponent) << 52 + (mantissa - 1 << 52)
        return Double(bitPattern: bits)
    }

    private static let reach = 64

    /// The first 128 bits of 5^q for each q from -64 to 64, shifted so that the first bit is one; rounded up for
    /// negative q.
    private static let powers: [UInt128] = {
        var powers = [UInt128](repeating: 0, count: 2 * reach + 1)
        // 5^64 has 149 bits: two words of 128.
        var (high, low): (UInt128, UInt128) = (0, 1)
        for q in 0...reach {
            powers[reach + q] = firstBits(high, low)
            if q > 0 { powers[reach - q] = reciprocal(high, low) }
            let product = low.multipliedFullWidth(by: 5)
            (high, low) = (high * 5 + product.high, product.low)
        }
        return powers
    }()

    private static func firstBits(_ high: UInt128, _ low: UInt128) -> UInt128 {
        if high == 0 { return low << UInt128(low.leadingZeroBitCount) }
        let zeros = high.leadingZeroBitCount
        return high << UInt128(zeros) | low >> UInt128(128 - zeros)
    }

    /// Returns 2^k divided by the number, rounded up, with k chosen so that the result has 128 bits; by long division,
    /// bit by bit.
    private static func reciprocal(_ high: UInt128, _ low: UInt128) -> UInt128 {
        let width = high == 0 ? 128 - low.leadingZeroBitCount : 256 - high.leadingZeroBitCount
        // The remainder begins as the greatest power of two below the number.
        var rest: (high: UInt128, low: UInt128) =
            width > 128 ? (1 << UInt128(width - 129), 0) : (0, 1 << UInt128(width - 1))
        var quotient: UInt128 = 0
        for _ in 0..<128 {
            rest = (rest.high << 1 | rest.low >> 127, rest.low << 1)
            quotient <<= 1
            if rest.high > high || rest.high == high && rest.low >= low {
                let (difference, borrows) = rest.low.subtractingReportingOverflow(low)
                rest = (rest.high - high - (borrows ? 1 : 0), difference)
                quotient |= 1
            }
        }
        return quotient + 1
    }
}
