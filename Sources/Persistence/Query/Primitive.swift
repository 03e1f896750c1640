/// A value that a store can keep in one column, and that conditions and sort orders can compare.
///
/// The standard integers, `Bool`, `Double`, `Float`, `String`, `Date`, `UUID`, `Data` and optionals of these are primitives.
/// An enum or struct with a raw value becomes one by saying so:
///
///     enum Rating: String, Primitive { case G, PG, PG_13 = "PG-13", R, NC_17 = "NC-17" }
///
/// Two values must be equal exactly when their ``primitiveValue``s are.
public protocol Primitive: Sortable, Hashable, Sendable {
    /// The type without `Optional`, which ordering comparisons compare with.
    associatedtype Scalar: Primitive = Self

    /// The kind of column that holds the value.
    static var kind: PrimitiveKind { get }

    /// The value as a store keeps it.
    var primitiveValue: PrimitiveValue { get }

    /// Makes the value from the form in which a store keeps it; nil if that does not stand for a value.
    init?(primitiveValue: PrimitiveValue)

    /// The value, or nil if it is an optional without one.
    var scalar: Scalar? { get }

    /// Reads the value from a column of a SQLite row; the default goes through ``init(primitiveValue:)``.
    static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self

    /// Reads the value from a column of a SQLite row, or nil from NULL; the default goes through
    /// ``init(primitiveValue:)``.
    static func readIfPresent(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self?
}

/// A primitive that `<`, `<=`, `>`, `>=` and `between` may compare in a condition.
///
/// The order is that of the primitive values on every store, so an enum should conform only if its own `<` compares raw values.
public protocol OrderedPrimitive: Primitive where Scalar: OrderedPrimitive & Comparable {}

/// A type whose values have one total order, the same on every store.
public protocol Sortable {
    /// Returns true if `lhs` comes before `rhs`; NaN comes after all other numbers, nil before everything.
    static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool
}

/// The kind of column that holds a primitive.
public enum PrimitiveKind: Sendable, Hashable {
    /// True or false.
    case bool
    /// An integer that fits in `Int64`.
    case integer
    /// An integer that may exceed `Int64.max`.
    case unsigned
    /// A floating-point number.
    case real
    /// Text.
    case text
    /// Bytes.
    case data
    /// A point in time.
    case date
    /// A UUID.
    case uuid
}

// MARK: - Defaults

extension Primitive where Scalar == Self {
    @inlinable
    public var scalar: Self? { self }
}

extension Primitive {
    @inlinable
    public static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool {
        PrimitiveValue.isOrdered(lhs.primitiveValue, before: rhs.primitiveValue)
    }

    @inlinable
    public static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self {
        guard let value = Self(primitiveValue: column.primitiveValue) else { throw SQLiteColumn.Mismatch() }
        return value
    }

    @inlinable
    public static func readIfPresent(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self? {
        let primitiveValue = column.primitiveValue
        if case .null = primitiveValue { return nil }
        guard let value = Self(primitiveValue: primitiveValue) else { throw SQLiteColumn.Mismatch() }
        return value
    }
}

extension Primitive where Self: RawRepresentable, RawValue: Primitive {
    @inlinable
    public static var kind: PrimitiveKind { RawValue.kind }

    @inlinable
    public var primitiveValue: PrimitiveValue { rawValue.primitiveValue }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        guard let rawValue = RawValue(primitiveValue: primitiveValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    @inlinable
    public static func isOrdered(_ lhs: Self, before rhs: Self) -> Bool {
        RawValue.isOrdered(lhs.rawValue, before: rhs.rawValue)
    }

    @inlinable
    public static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self {
        guard let value = Self(rawValue: try RawValue.read(from: column)) else { throw SQLiteColumn.Mismatch() }
        return value
    }

    @inlinable
    public static func readIfPresent(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Self? {
        guard let rawValue = try RawValue.readIfPresent(from: column) else { return nil }
        guard let value = Self(rawValue: rawValue) else { throw SQLiteColumn.Mismatch() }
        return value
    }
}

extension Optional: Sortable where Wrapped: Primitive {
    @inlinable
    public static func isOrdered(_ lhs: Wrapped?, before rhs: Wrapped?) -> Bool {
        switch (lhs, rhs) {
        case (_, nil): false
        case (nil, _): true
        case let (lhs?, rhs?): Wrapped.isOrdered(lhs, before: rhs)
        }
    }
}

extension Optional: Primitive where Wrapped: Primitive {
    public typealias Scalar = Wrapped

    @inlinable
    public static var kind: PrimitiveKind { Wrapped.kind }

    @inlinable
    public var primitiveValue: PrimitiveValue { self?.primitiveValue ?? .null }

    @inlinable
    public init?(primitiveValue: PrimitiveValue) {
        if case .null = primitiveValue {
            self = nil
            return
        }
        guard let wrapped = Wrapped(primitiveValue: primitiveValue) else { return nil }
        self = wrapped
    }

    @inlinable
    public var scalar: Wrapped? { self }

    @inlinable
    public static func read(from column: SQLiteColumn) throws(SQLiteColumn.Mismatch) -> Wrapped? {
        try Wrapped.readIfPresent(from: column)
    }
}

extension Optional: OrderedPrimitive where Wrapped: OrderedPrimitive & Comparable {}
