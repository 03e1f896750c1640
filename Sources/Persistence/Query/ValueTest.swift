/// A test of one property that the compiler can inline into the loop over a block.
@usableFromInline
protocol ValueTest: Sendable {
    associatedtype Value
    func passes(_ value: Value) -> Bool
}

@usableFromInline
struct IsEqual<Value: Primitive>: ValueTest {
    @usableFromInline let expected: Value

    @inlinable
    init(_ expected: Value) { self.expected = expected }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool { value == expected }
}

@usableFromInline
struct IsMember<Value: Primitive>: ValueTest {
    @usableFromInline let expected: Set<Value>

    @inlinable
    init(_ expected: [Value]) { self.expected = Set(expected) }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool { expected.contains(value) }
}

/// Tests that a value is stored in one of some forms.
///
/// Databases compare the forms of values. Those of two values with NaN in them are equal, and the values are not.
@usableFromInline
struct HasForm<Value: Primitive>: ValueTest {
    @usableFromInline let forms: Set<PrimitiveValue>

    @inlinable
    init(_ forms: [PrimitiveValue]) { self.forms = Set(forms.filter { !$0.isNaN }) }

    @inlinable
    func passes(_ value: Value) -> Bool { forms.contains(value.primitiveValue) }
}

/// Tests that a value is less than a bound; false for nil and NaN.
@usableFromInline
struct IsLess<Value: Primitive>: ValueTest {
    @usableFromInline let bound: Value.Scalar

    @inlinable
    init(_ bound: Value.Scalar) { self.bound = bound }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard let scalar = value.scalar else { return false }
        return Value.Scalar.isOrdered(scalar, before: bound)
    }
}

/// Tests that a value is less than a bound or equal to it; false for nil and NaN.
@usableFromInline
struct IsLessOrEqual<Value: Primitive>: ValueTest {
    @usableFromInline let bound: Value.Scalar

    @inlinable
    init(_ bound: Value.Scalar) { self.bound = bound }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard let scalar = value.scalar else { return false }
        return !Value.Scalar.isOrdered(bound, before: scalar)
    }
}

/// Tests that a value is greater than a bound; false for nil and NaN.
@usableFromInline
struct IsGreater<Value: Primitive>: ValueTest {
    @usableFromInline let bound: Value.Scalar

    @inlinable
    init(_ bound: Value.Scalar) { self.bound = bound }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard let scalar = value.scalar else { return false }
        return Value.Scalar.isOrdered(bound, before: scalar) && scalar == scalar
    }
}

/// Tests that a value is greater than a bound or equal to it; false for nil and NaN.
@usableFromInline
struct IsGreaterOrEqual<Value: Primitive>: ValueTest {
    @usableFromInline let bound: Value.Scalar

    @inlinable
    init(_ bound: Value.Scalar) { self.bound = bound }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard let scalar = value.scalar else { return false }
        return !Value.Scalar.isOrdered(scalar, before: bound) && scalar == scalar
    }
}

/// Tests that a value is between two bounds, or equal to one; false for nil and NaN.
@usableFromInline
struct IsBetween<Value: Primitive>: ValueTest {
    @usableFromInline let lower: Value.Scalar
    @usableFromInline let upper: Value.Scalar

    @inlinable
    init(_ lower: Value.Scalar, _ upper: Value.Scalar) {
        self.lower = lower
        self.upper = upper
    }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard let scalar = value.scalar else { return false }
        return !Value.Scalar.isOrdered(scalar, before: lower) && !Value.Scalar.isOrdered(upper, before: scalar)
    }
}

@usableFromInline
struct MatchesText<Value: Primitive>: ValueTest {
    @usableFromInline let pattern: TextPattern

    @inlinable
    init(_ pattern: TextPattern) { self.pattern = pattern }

    @inlinable
    @inline(__always)
    func passes(_ value: Value) -> Bool {
        guard case .text(let text) = value.primitiveValue else { return false }
        return pattern.matches(text)
    }
}
