/// A value type whose values can be copied and changed in one expression.
///
/// ```swift
/// struct State: With { var isLoading = false; var cities: [City] = [] }
///
/// let state = State()
/// state.with(set(\.cities, cities)).with(set(\.isLoading, false))
/// state.with { $0.cities.removeAll() }
/// ```
public protocol With {}

extension With {
    /// Returns the result of `change` for this value.
    @inlinable
    public func with(_ change: (Self) -> Self) -> Self {
        change(self)
    }

    /// Returns a copy of this value, changed in place by `change`.
    @inlinable
    public func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Returns a copy of `value`, changed in place by `change`; for types that are not ``With``.
@inlinable
public func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var copy = value
    change(&copy)
    return copy
}

/// Returns a function that sets one part of a value: `state.with(set(\.isLoading, true))`.
@inlinable
public func set<Root, Value: Sendable>(
    _ keyPath: WritableKeyPath<Root, Value> & Sendable, _ value: Value
) -> @Sendable (Root) -> Root {
    { root in
        var copy = root
        copy[keyPath: keyPath] = value
        return copy
    }
}

/// Returns a function that sets one part of a value to the result of `transform`:
/// `state.with(set(\.count) { $0 + 1 })`.
@inlinable
public func set<Root, Value>(
    _ keyPath: WritableKeyPath<Root, Value> & Sendable, _ transform: @escaping @Sendable (Value) -> Value
) -> @Sendable (Root) -> Root {
    { root in
        var copy = root
        copy[keyPath: keyPath] = transform(copy[keyPath: keyPath])
        return copy
    }
}
