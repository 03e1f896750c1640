import Foundation

/// A value as a store keeps it. Conditions compare with it, and a store outside this module translates it.
public enum PrimitiveValue: Sendable {
    /// No value: an optional property that is nil.
    case null
    /// True or false.
    case bool(Bool)
    /// An integer that fits in `Int64`.
    case integer(Int64)
    /// An integer above `Int64.max`; a smaller one is ``integer(_:)``.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Text.
    case text(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// A value whose type cannot encode it, such as one of ``StoredAsJSON`` whose `encode(to:)` throws. No store keeps it in a
    /// column: the write fails. In a condition, it is equal to nothing.
    case unencodable(reason: String)
}

extension PrimitiveValue: Hashable {
    /// Returns whether both are the same value. Unlike two `Double`s, two NaNs are equal here.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.integer(let lhs), .integer(let rhs)): lhs == rhs
        case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
        case (.real(let lhs), .real(let rhs)): lhs == rhs || (lhs.isNaN && rhs.isNaN)
        case (.text(let lhs), .text(let rhs)): lhs == rhs
        case (.data(let lhs), .data(let rhs)): lhs == rhs
        case (.date(let lhs), .date(let rhs)): lhs == rhs || (lhs.isNotADate && rhs.isNotADate)
        case (.uuid(let lhs), .uuid(let rhs)): lhs == rhs
        case (.unencodable(let lhs), .unencodable(let rhs)): lhs == rhs
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.isNaN ? .nan : value)
        case .text(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.isNotADate ? 1 : value.timeIntervalSinceReferenceDate)
        case .uuid(let value): hasher.combine(value)
        case .unencodable(let reason): hasher.combine(reason)
        }
    }
}

extension PrimitiveValue: Sortable {
    /// Null first, then each kind in its own order; values of different kinds are ordered by kind.
    public static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.bool(let lhs), .bool(let rhs)): Bool.isOrdered(lhs, before: rhs)
        case (.integer(let lhs), .integer(let rhs)): lhs < rhs
        case (.unsigned(let lhs), .unsigned(let rhs)): lhs < rhs
        case (.real(let lhs), .real(let rhs)): Double.isOrdered(lhs, before: rhs)
        case (.text(let lhs), .text(let rhs)): String.isOrdered(lhs, before: rhs)
        case (.data(let lhs), .data(let rhs)): Data.isOrdered(lhs, before: rhs)
        case (.date(let lhs), .date(let rhs)): Date.isOrdered(lhs, before: rhs)
        case (.uuid(let lhs), .uuid(let rhs)): UUID.isOrdered(lhs, before: rhs)
        default: lhs.rank < rhs.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .integer: 2
        case .unsigned: 3
        case .real: 4
        case .date: 5
        case .text: 6
        case .uuid: 7
        case .data: 8
        case .unencodable: 9
        }
    }
}

extension PrimitiveValue {
    /// True if this is NaN, a date made from NaN, or a value that cannot be encoded: in a condition it is equal to nothing, and
    /// has no order.
    public var isNaN: Bool {
        switch self {
        case .real(let value): value.isNaN
        case .date(let value): value.isNotADate
        case .unencodable: true
        default: false
        }
    }
}

extension PrimitiveValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): "\"\(value)\""
        case .data(let value): "\(value.count) bytes"
        // Foundation traps on a date that is not finite, or very far away.
        case .date(let value):
            abs(value.timeIntervalSinceReferenceDate) < 1e11
                ? "\(value)" : "\(value.timeIntervalSinceReferenceDate) s since 2001"
        case .uuid(let value): value.uuidString
        case .unencodable(let reason): "a value that cannot be encoded (\(reason))"
        }
    }
}

extension Primitive {
    /// The value as errors name it, a text without quotation marks. Foundation would trap on some dates.
    package var printed: String {
        let value = primitiveValue
        return if case .text(let text) = value { text } else { value.description }
    }
}

extension Date {
    @usableFromInline var isNotADate: Bool { timeIntervalSinceReferenceDate.isNaN }
}
