// The operators are made here, generic in the property's type, and not beside Predicate: inlined into the code that
// writes a predicate, they let the compiler make the property's tests for exactly these types.

/// Whether the property has this value; `\.sequel == nil` asks for none.
@inlinable
public func == <Object, Value: Primitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value
) -> Predicate<Object> {
    .comparing(Attribute(property), .equal, value.primitiveValue)
}

/// Whether the property has another value than this one.
@inlinable
public func != <Object, Value: Primitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value
) -> Predicate<Object> {
    .comparing(Attribute(property), .notEqual, value.primitiveValue)
}

@inlinable
public func < <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Predicate<Object> {
    .comparing(Attribute(property), .less, value.primitiveValue)
}

@inlinable
public func <= <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Predicate<Object> {
    .comparing(Attribute(property), .lessOrEqual, value.primitiveValue)
}

@inlinable
public func > <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Predicate<Object> {
    .comparing(Attribute(property), .greater, value.primitiveValue)
}

@inlinable
public func >= <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Predicate<Object> {
    .comparing(Attribute(property), .greaterOrEqual, value.primitiveValue)
}

// MARK: - Joining

extension Predicate {
    public static func && (lhs: Predicate, rhs: Predicate) -> Predicate {
        var predicates: [Predicate] = []
        for side in [lhs, rhs] {
            if case .and(let parts) = side.form { predicates += parts } else { predicates.append(side) }
        }
        return Predicate(.and(predicates))
    }

    public static func || (lhs: Predicate, rhs: Predicate) -> Predicate {
        var predicates: [Predicate] = []
        for side in [lhs, rhs] {
            if case .or(let parts) = side.form { predicates += parts } else { predicates.append(side) }
        }
        return Predicate(.or(predicates))
    }

    public static prefix func ! (predicate: Predicate) -> Predicate { Predicate(.not(predicate)) }

    /// Whether all of `predicates` are true; true where there are none.
    public static func all(of predicates: [Predicate]) -> Predicate { Predicate(.and(predicates)) }

    /// Whether one of `predicates` is true; false where there are none.
    public static func any(of predicates: [Predicate]) -> Predicate { Predicate(.or(predicates)) }
}

// MARK: - Values

extension Predicate {
    /// Whether the property is one of `values`.
    @inlinable
    public static func `in`<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ values: some Sequence<Value>
    ) -> Predicate {
        .isMember(Attribute(property), values.map(\.primitiveValue))
    }

    /// Whether the property lies within `range`, both ends included.
    @inlinable
    public static func between<Value: OrderedPrimitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ range: ClosedRange<Value.Scalar>
    ) -> Predicate {
        .isBetween(Attribute(property), range.lowerBound.primitiveValue, range.upperBound.primitiveValue)
    }

    /// Whether the property is nil.
    @inlinable
    public static func isNil<Value: Primitive>(_ property: KeyPath<Object, Value?> & Sendable) -> Predicate {
        .comparing(Attribute(property), .equal, .null)
    }
}

// MARK: - Text

extension Predicate {
    /// Whether the text is `text` where differences of case or of accents may be ignored.
    @inlinable
    public static func equals<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .equals, text, options)
    }

    @inlinable
    public static func startsWith<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .startsWith, text, options)
    }

    @inlinable
    public static func endsWith<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .endsWith, text, options)
    }

    @inlinable
    public static func contains<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .contains, text, options)
    }

    /// Whether the whole text has the shape of `pattern`: `%` stands for any text, `_` for any one character, and `\` before
    /// one of the three for itself.
    @inlinable
    public static func like<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ pattern: String, _ options: TextOptions = []
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .like, pattern, options)
    }

    /// Whether a regular expression of Swift's dialect is found somewhere in the text; `^` and `$` hold it to the ends.
    ///
    /// A pattern that is no regular expression fails the query with ``StoreError/invalidPattern(_:reason:)``.
    @inlinable
    public static func matches<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ regex: String
    ) -> Predicate where Value.Scalar == String {
        .matching(Attribute(property), .matches, regex, [])
    }
}

// MARK: - What the inlined code calls

extension Predicate {
    @usableFromInline
    static func comparing(
        _ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue
    ) -> Predicate {
        Predicate(.comparison(attribute, comparison, value))
    }

    @usableFromInline
    static func isMember(_ attribute: Attribute<Object>, _ values: [PrimitiveValue]) -> Predicate {
        Predicate(.membership(attribute, values))
    }

    @usableFromInline
    static func isBetween(_ attribute: Attribute<Object>, _ lower: PrimitiveValue, _ upper: PrimitiveValue) -> Predicate
    {
        Predicate(.between(attribute, lower, upper))
    }

    @usableFromInline
    static func matching(
        _ attribute: Attribute<Object>, _ kind: TextMatch.Kind, _ pattern: String, _ options: TextOptions
    ) -> Predicate {
        Predicate(.text(attribute, TextMatch(kind: kind, pattern: pattern, options: options)))
    }
}
