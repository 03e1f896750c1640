// The operators are free functions, generic in the property's type. Inlined into the code that writes a condition, they
// let the compiler make the property's tests for exactly its types.

/// Returns a condition that is true if the property has this value; `\.sequel == nil` is true if it has none.
@inlinable
public func == <Object, Value: Primitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .equal, value.primitiveValue))
}

/// Returns a condition that is true if the property has another value than this one.
@inlinable
public func != <Object, Value: Primitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .notEqual, value.primitiveValue))
}

/// Returns a condition that is true if the property is less than a value; never true of nil.
@inlinable
public func < <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .less, value.primitiveValue))
}

/// Returns a condition that is true if the property is less than, or equal to, a value; never true of nil.
@inlinable
public func <= <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .lessOrEqual, value.primitiveValue))
}

/// Returns a condition that is true if the property is greater than a value; never true of nil.
@inlinable
public func > <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .greater, value.primitiveValue))
}

/// Returns a condition that is true if the property is greater than, or equal to, a value; never true of nil.
@inlinable
public func >= <Object, Value: OrderedPrimitive>(
    property: KeyPath<Object, Value> & Sendable, value: Value.Scalar
) -> Condition<Object> {
    Condition(.comparison(AnyAttribute(property), .greaterOrEqual, value.primitiveValue))
}

// MARK: - Joining

extension Condition {
    /// Returns a condition that is true if both conditions are true.
    public static func && (lhs: Condition, rhs: Condition) -> Condition { Condition(erased: lhs.erased && rhs.erased) }

    /// Returns a condition that is true if one of the conditions is true, or both.
    public static func || (lhs: Condition, rhs: Condition) -> Condition { Condition(erased: lhs.erased || rhs.erased) }

    /// Returns a condition that is true if the condition is false.
    public static prefix func ! (condition: Condition) -> Condition { Condition(erased: !condition.erased) }

    /// Returns a condition that is true if all of `conditions` are true; true if there are none.
    public static func all(of conditions: [Condition]) -> Condition { Condition(.and(conditions.map(\.erased))) }

    /// Returns a condition that is true if one of `conditions` is true; false if there are none.
    public static func any(of conditions: [Condition]) -> Condition { Condition(.or(conditions.map(\.erased))) }
}

// MARK: - Values

extension Condition {
    /// Returns a condition that is true if the property is one of `values`.
    @inlinable
    public static func `in`<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ values: some Sequence<Value>
    ) -> Condition {
        Condition(.membership(AnyAttribute(property), values.map(\.primitiveValue)))
    }

    /// Returns a condition that is true if the property lies within `range`, both ends included.
    @inlinable
    public static func between<Value: OrderedPrimitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ range: ClosedRange<Value.Scalar>
    ) -> Condition {
        Condition(
            .between(AnyAttribute(property), range.lowerBound.primitiveValue, range.upperBound.primitiveValue))
    }

    /// A condition that is true of the object with this id.
    ///
    /// In generic code `\.id == id` says the same.
    public init(id: Object.ID) where Object: Identifiable, Object.ID: Primitive {
        self.init(.comparison(Attribute<Object>.id.erased, .equal, id.primitiveValue))
    }

    /// A condition that is true of the objects with these ids.
    public init(ids: [Object.ID]) where Object: Identifiable, Object.ID: Primitive {
        self.init(.membership(Attribute<Object>.id.erased, ids.map(\.primitiveValue)))
    }

    /// Returns a condition that is true if the property is nil.
    @inlinable
    public static func isNil<Value: Primitive>(_ property: KeyPath<Object, Value?> & Sendable) -> Condition {
        Condition(.comparison(AnyAttribute(property), .equal, .null))
    }
}

// MARK: - Text

extension Condition {
    /// Returns a condition that is true if the text is `text`; `options` can ignore differences of case or of accents.
    @inlinable
    public static func equals<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .equals, text, options)
    }

    /// Returns a condition that is true if the text begins with `text`; never true of nil.
    @inlinable
    public static func startsWith<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .startsWith, text, options)
    }

    /// Returns a condition that is true if the text ends with `text`; never true of nil.
    @inlinable
    public static func endsWith<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .endsWith, text, options)
    }

    /// Returns a condition that is true if the text contains `text`; never true of nil.
    @inlinable
    public static func contains<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ text: String, _ options: TextOptions = []
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .contains, text, options)
    }

    /// Returns a condition that is true if the whole text matches `pattern`: `%` stands for any text, `_` for any one
    /// character, and `\` makes one of the three after it stand for itself.
    @inlinable
    public static func like<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ pattern: String, _ options: TextOptions = []
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .like, pattern, options)
    }

    /// Returns a condition that is true if a regular expression of Swift's dialect is found somewhere in the text; `^`
    /// and `$` anchor it to the ends.
    ///
    /// A pattern that is not a regular expression fails the query with ``StoreError/invalidPattern(_:reason:)``.
    @inlinable
    public static func matches<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ regex: String
    ) -> Condition where Value.Scalar == String {
        .matching(AnyAttribute(property), .matches, regex, [])
    }
}

extension Condition {
    @usableFromInline
    static func matching(
        _ attribute: AnyAttribute, _ kind: TextMatch.Kind, _ pattern: String, _ options: TextOptions
    ) -> Condition {
        Condition(.text(attribute, TextMatch(kind: kind, pattern: pattern, options: options)))
    }
}
