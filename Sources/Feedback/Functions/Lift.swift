prefix operator ^

/// Lifts a key path into the function that reads it: `Feedback(whenBecomesTrue: ^\.isLoading) { … }`.
@inlinable
public prefix func ^ <Root, Value>(keyPath: KeyPath<Root, Value> & Sendable) -> @Sendable (Root) -> Value {
    { $0[keyPath: keyPath] }
}

/// Lifts a value into a function that returns it and ignores the argument: `taps.map(^Event.refresh)`.
@inlinable
@_disfavoredOverload  // `^` before a key path means the overload above.
public prefix func ^ <Argument, Value: Sendable>(value: Value) -> @Sendable (Argument) -> Value {
    { _ in value }
}
