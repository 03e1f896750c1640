import Foundation

/// A number beyond 2^53 with a point or an exponent, which is to become an integer.
///
/// Read as `Decimal`, as `JSONDecoder` does: it cuts off what stands after the point, and refuses what needs more than 64 bits.
struct ExactDecimal {
    private let decimal: Decimal

    init?(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) {
        let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
        guard let decimal = Decimal(string: String(decoding: text, as: UTF8.self)), decimal.isFinite else { return nil }
        self.decimal = decimal
    }

    func integer<Value: FixedWidthInteger>() -> Value? {
        var whole = Decimal()
        var value = decimal
        NSDecimalRound(&whole, &value, 0, decimal < 0 ? .up : .down)
        guard let magnitude = UInt64(whole.magnitude.description) else { return nil }
        return decimal < 0
            ? Value(exactly: magnitude).flatMap { Value.isSigned ? 0 - $0 : nil } : Value(exactly: magnitude)
    }
}
