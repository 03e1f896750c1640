import Foundation

// MARK: - Integers

extension Primitive where Self: FixedWidthInteger & SignedInteger {
    @inlinable
    public static var kind: PrimitiveKind { .integer }

    @inlinable
    public var primitiveValue: PrimitiveValue { .integer(Int64(self)) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        guard case .integer(let integer) = primitiveValue else { return nil }
        self.init(exactly: integer)
    }

    @inlinable
    public static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool { lhs < rhs }
}

extension Primitive where Self: FixedWidthInteger & UnsignedInteger {
    @inlinable
    public static var kind: PrimitiveKind { Self.bitWidth < 64 ? .integer : .unsigned }

    @inlinable
    public var primitiveValue: PrimitiveValue { Int64(exactly: self).map { .integer($0) } ?? .unsigned(UInt64(self)) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        switch primitiveValue {
        case .integer(let integer): self.init(exactly: integer)
        case .unsigned(let integer): self.init(exactly: integer)
        // SQLite has no integer beyond Int64.max. It is stored as its eight bytes instead, which sort after every
        // integer.
        case .data(let bytes) where bytes.count == 8:
            self.init(exactly: UInt64(bigEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }))
        default: return nil
        }
    }

    @inlinable
    public static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool { lhs < rhs }
}

extension Int: OrderedPrimitive {}
extension Int8: OrderedPrimitive {}
extension Int16: OrderedPrimitive {}
extension Int32: OrderedPrimitive {}
extension Int64: OrderedPrimitive {}
extension UInt: OrderedPrimitive {}
extension UInt8: OrderedPrimitive {}
extension UInt16: OrderedPrimitive {}
extension UInt32: OrderedPrimitive {}
extension UInt64: OrderedPrimitive {}

extension Bool: Primitive {
    @inlinable
    public static var kind: PrimitiveKind { .bool }

    @inlinable
    public var primitiveValue: PrimitiveValue { .bool(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        switch primitiveValue {
        case .bool(let value): self = value
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    @inlinable
    public static func isOrdered(_ lhs: Bool, before rhs: Bool) -> Bool { !lhs && rhs }
}

// MARK: - Numbers

extension Double: OrderedPrimitive {
    /// SQLite stores a NaN as NULL. It is stored as this text instead, so that it differs from nil and sorts after
    /// every number.
    @usableFromInline static let nanText = "NaN"

    @inlinable
    public static var kind: PrimitiveKind { .real }

    @inlinable
    public var primitiveValue: PrimitiveValue { .real(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        switch primitiveValue {
        case .real(let value): self = value
        case .integer(let value): self = Double(value)
        case .text(Double.nanText): self = .nan
        default: return nil
        }
    }

    @inlinable
    public static func isOrdered(_ lhs: Double, before rhs: Double) -> Bool {
        lhs < rhs || (rhs.isNaN && !lhs.isNaN)
    }
}

extension Float: OrderedPrimitive {
    @inlinable
    public static var kind: PrimitiveKind { .real }

    @inlinable
    public var primitiveValue: PrimitiveValue { .real(Double(self)) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        guard let value = Double(primitiveValue: primitiveValue) else { return nil }
        self.init(value)
        // Such a number would be written back as another one.
        if isInfinite && value.isFinite || isZero && value != 0 { return nil }
    }

    @inlinable
    public static func isOrdered(_ lhs: Float, before rhs: Float) -> Bool {
        lhs < rhs || (rhs.isNaN && !lhs.isNaN)
    }
}

// MARK: - Text

extension String: OrderedPrimitive {
    @inlinable
    public static var kind: PrimitiveKind { .text }

    @inlinable
    public var primitiveValue: PrimitiveValue { .text(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        guard case .text(let text) = primitiveValue else { return nil }
        self = text
    }

    @inlinable
    public static func isOrdered(_ lhs: String, before rhs: String) -> Bool { String.compareComposed(lhs, rhs) < 0 }

    // Read directly, since going through a primitive value would retain and release each text once more.

    @inlinable
    public static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> String {
        guard column.isText else { throw SQLiteColumn.Mismatch() }
        return column.text
    }

    @inlinable
    public static func readIfPresent(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> String? {
        if column.isText { return column.text }
        guard column.isNull else { throw SQLiteColumn.Mismatch() }
        return nil
    }
}

// MARK: - Foundation

extension Date: OrderedPrimitive {
    @inlinable
    public static var kind: PrimitiveKind { .date }

    @inlinable
    public var primitiveValue: PrimitiveValue { .date(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        if case .date(let date) = primitiveValue {
            self = date
        } else if let seconds = Double(primitiveValue: primitiveValue) {
            self.init(timeIntervalSinceReferenceDate: seconds)
        } else {
            return nil
        }
    }

    @inlinable
    public static func isOrdered(_ lhs: Date, before rhs: Date) -> Bool {
        Double.isOrdered(lhs.timeIntervalSinceReferenceDate, before: rhs.timeIntervalSinceReferenceDate)
    }
}

extension UUID: Primitive {
    @inlinable
    public static var kind: PrimitiveKind { .uuid }

    @inlinable
    public var primitiveValue: PrimitiveValue { .uuid(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        switch primitiveValue {
        case .uuid(let value): self = value
        case .text(let text): self.init(uuidString: text)
        default: return nil
        }
    }

    public static func isOrdered(_ lhs: UUID, before rhs: UUID) -> Bool {
        withUnsafeBytes(of: lhs.uuid) { lhs in
            withUnsafeBytes(of: rhs.uuid) { rhs in lhs.lexicographicallyPrecedes(rhs) }
        }
    }

    // SQLite compares UUIDs as texts, so one with small letters would be found by no condition.

    @inlinable
    public static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> UUID {
        guard column.isText else { throw SQLiteColumn.Mismatch() }
        let text = column.text
        guard !text.utf8.contains(where: { $0 >= 0x61 }), let value = UUID(uuidString: text) else {
            throw SQLiteColumn.Mismatch()
        }
        return value
    }

    @inlinable
    public static func readIfPresent(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> UUID? {
        column.isNull ? nil : try read(from: column)
    }
}

extension Data: Primitive {
    @inlinable
    public static var kind: PrimitiveKind { .data }

    @inlinable
    public var primitiveValue: PrimitiveValue { .data(self) }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        guard case .data(let data) = primitiveValue else { return nil }
        self = data
    }

    public static func isOrdered(_ lhs: Data, before rhs: Data) -> Bool { lhs.lexicographicallyPrecedes(rhs) }
}
