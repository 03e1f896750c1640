/// A decimal number of at most 19 digits: `significand × 10^exponent`.
struct ScannedDecimal {
    private(set) var significand: UInt64 = 0
    private(set) var exponent = 0
    private(set) var isNegative = false
    /// False if there are more digits than the significand holds, or an exponent of absurd length.
    private(set) var isExact = true

    /// The number of a token of kind `integer` or `number`.
    @inline(__always)
    init(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) {
        var p = token.offset
        let end = p &+ token.payload
        if bytes[p] == UInt8(ascii: "-") {
            isNegative = true
            p &+= 1
        }
        var digits = 0
        var fraction = 0
        var isInFraction = false
        while p < end {
            let byte = bytes[p]
            let digit = byte &- UInt8(ascii: "0")
            if digit < 10 {
                significand = significand &* 10 &+ UInt64(digit)
                // Leading zeros are no digits of the significand.
                if digits > 0 || digit > 0 { digits &+= 1 }
                if isInFraction { fraction &+= 1 }
            } else if byte == UInt8(ascii: ".") {
                isInFraction = true
            } else {
                exponent = readExponent(from: p &+ 1, to: end, bytes)
                break
            }
            p &+= 1
        }
        exponent &-= fraction
        if digits > 19 { isExact = false }
    }

    private mutating func readExponent(from start: Int, to end: Int, _ bytes: UnsafePointer<UInt8>) -> Int {
        var p = start
        let isBelowZero = bytes[p] == UInt8(ascii: "-")
        if isBelowZero || bytes[p] == UInt8(ascii: "+") { p += 1 }
        var value = 0
        while p < end {
            value = value * 10 + Int(bytes[p] - UInt8(ascii: "0"))
            if value > 100_000 {
                isExact = false
                return 0
            }
            p += 1
        }
        return isBelowZero ? -value : value
    }

    /// The nearest `Double`; `nil` if it can't be found from these digits.
    ///
    /// If a `Double` holds the significand and the power of ten exactly, one multiplication or division rounds once,
    /// and so correctly (Clinger, 1990). Other numbers are left to ``EiselLemire``.
    @inline(__always)
    var double: Double? {
        if significand <= 1 &<< 53, exponent >= -22, exponent <= 22 {
            let value = Double(significand)
            let result = exponent < 0 ? value / Self.powers[-exponent] : value * Self.powers[exponent]
            return isNegative ? -result : result
        }
        return EiselLemire.double(significand, exponent).map { isNegative ? -$0 : $0 }
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
