import Foundation

/// A number beyond 2^53 with a point or an exponent that is read as an integer.
///
/// It is read as `Decimal` and converted as `JSONDecoder` does it: all digits must fit 64 bits, and the fraction is cut
/// off.
struct ExactDecimal {
    private let decimal: Decimal

    init?(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) {
        let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
        guard let decimal = Decimal(string: String(decoding: text, as: UTF8.self)), decimal.isFinite else { return nil }
        self.decimal = decimal
    }

    func integer<Value: FixedWidthInteger>() -> Value? {
        guard !decimal.isSignMinus || Value.isSigned, var digits = UInt64(decimal.significand.magnitude.description)
        else {
            return nil
        }
        for _ in 0..<abs(decimal.exponent) {
            if decimal.exponent < 0 {
                digits /= 10
            } else {
                let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
                if overflows { return nil }
                digits = product
            }
        }
        return Value(exactly: digits).map { decimal.isSignMinus ? 0 - $0 : $0 }
    }
}
