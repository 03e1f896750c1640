/// Numbers from the bytes of a body that was scanned, exact to the last bit.
enum JSONNumber {
    // MARK: - Integers

    /// Returns a number as an integer, if it is one and fits the type; `1.0` and `1e3` are integers, too, as for
    /// `JSONDecoder`.
    @inline(__always)
    static func integer<Value: FixedWidthInteger>(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> Value? {
        switch token.kind {
        case .smallInteger: Value(exactly: token.payload)
        case .negativeInteger: Value(exactly: -token.payload)
        case .integer: digits(token, bytes)
        case .number: integerOfFraction(token, bytes)
        default: nil
        }
    }

    private static func digits<Value: FixedWidthInteger>(
        _ token: JSONToken, _ bytes: UnsafePointer<UInt8>
    ) -> Value? {
        var p = token.offset
        let end = p + token.payload
        let isNegative = bytes[p] == UInt8(ascii: "-")
        if isNegative { p += 1 }
        if end - p < 19 {
            // At most 18 digits, which always fit an Int64.
            var value: Int64 = 0
            while p < end {
                value = value &* 10 &+ Int64(bytes[p] &- UInt8(ascii: "0"))
                p += 1
            }
            return Value(exactly: isNegative ? -value : value)
        }
        return wideDigits(p, end, bytes, isNegative: isNegative)
    }

    @inline(never)
    private static func wideDigits<Value: FixedWidthInteger>(
        _ start: Int, _ end: Int, _ bytes: UnsafePointer<UInt8>, isNegative: Bool
    ) -> Value? {
        var value: Value = 0
        for p in start..<end {
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let digit = Value(truncatingIfNeeded: bytes[p] &- UInt8(ascii: "0"))
            let (sum, sumOverflows) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if productOverflows || sumOverflows { return nil }
            value = sum
        }
        return value
    }

    @inline(never)
    private static func integerOfFraction<Value: FixedWidthInteger>(
        _ token: JSONToken, _ bytes: UnsafePointer<UInt8>
    ) -> Value? {
        let double = nearest(token, bytes)
        guard let value = Value(exactly: double) else { return nil }
        // From 2^53 on, one Double stands for several integers.
        if double.magnitude < 0x1p53 { return value }
        return ExactDecimal(token, bytes)?.integer()
    }

    // MARK: - Floating point

    @inline(__always)
    static func double(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> Double? {
        switch token.kind {
        case .smallInteger: return Double(token.payload)
        case .negativeInteger: return Double(-token.payload)
        case .integer, .number:
            let value = nearest(token, bytes)
            return value.isFinite && (value != 0 || isZero(token, bytes)) ? value : nil
        default: return nil
        }
    }

    static func float(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> Float? {
        switch token.kind {
        case .smallInteger: return Float(token.payload)
        case .negativeInteger: return Float(-token.payload)
        case .integer, .number:
            // Not by way of a Double, which would round twice.
            let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
            guard let value = Float(String(decoding: text, as: UTF8.self)) else { return nil }
            return value.isFinite && (value != 0 || isZero(token, bytes)) ? value : nil
        default: return nil
        }
    }

    /// Returns the nearest `Double`; infinity if the number is too great, zero if it is too small.
    private static func nearest(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> Double {
        let decimal = ScannedDecimal(token, bytes)
        if decimal.isExact, let value = decimal.double { return value }
        let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
        // The standard library rounds correctly, whatever the locale, and gives infinity and zero as is needed here.
        return Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    }

    private static func isZero(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> Bool {
        for byte in UnsafeBufferPointer(start: bytes + token.offset, count: token.payload) {
            if byte | 0x20 == UInt8(ascii: "e") { return true }
            if byte > UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { return false }
        }
        return true
    }
}
