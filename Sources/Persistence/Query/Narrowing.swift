/// A function that keeps, of the positions of objects in a block of memory, those whose objects pass a test.
///
/// Its arguments are the first object, the positions (ascending) and their number. It moves the positions that pass to
/// the front and returns their number. One call handles a whole block, so the cost of the call per object is small.
@usableFromInline
typealias Narrowing = @Sendable (UnsafeRawPointer, UnsafeMutablePointer<UInt16>, Int) -> Int

/// A test of one property.
@usableFromInline
enum AttributeTest: Sendable {
    case equal(PrimitiveValue)
    case less(PrimitiveValue)
    case lessOrEqual(PrimitiveValue)
    case greater(PrimitiveValue)
    case greaterOrEqual(PrimitiveValue)
    case member([PrimitiveValue])
    case between(PrimitiveValue, PrimitiveValue)
    case text(TextPattern)
}

// MARK: - Making

@inlinable
func makeNarrowing<Object, Value: Primitive>(
    _ keyPath: KeyPath<Object, Value> & Sendable, _ test: AttributeTest, negated: Bool
) -> Narrowing? {
    switch test {
    case .equal(let value):
        guard let expected = Value(primitiveValue: value) else { return nil }
        guard isEqualToCopy(expected, value) else {
            return makeNarrowing(keyPath, HasForm<Value>([value]), negated: negated)
        }
        return makeNarrowing(keyPath, IsEqual(expected), negated: negated)
    case .less(let bound):
        guard let bound = Value.Scalar(primitiveValue: bound) else { return nil }
        return makeNarrowing(keyPath, IsLess<Value>(bound), negated: negated)
    case .lessOrEqual(let bound):
        guard let bound = Value.Scalar(primitiveValue: bound) else { return nil }
        return makeNarrowing(keyPath, IsLessOrEqual<Value>(bound), negated: negated)
    case .greater(let bound):
        guard let bound = Value.Scalar(primitiveValue: bound) else { return nil }
        return makeNarrowing(keyPath, IsGreater<Value>(bound), negated: negated)
    case .greaterOrEqual(let bound):
        guard let bound = Value.Scalar(primitiveValue: bound) else { return nil }
        return makeNarrowing(keyPath, IsGreaterOrEqual<Value>(bound), negated: negated)
    case .member(let values):
        let members = values.compactMap { Value(primitiveValue: $0) }
        guard members.count == values.count else { return nil }
        guard zip(members, values).allSatisfy({ isEqualToCopy($0, $1) }) else {
            return makeNarrowing(keyPath, HasForm<Value>(values), negated: negated)
        }
        return makeNarrowing(keyPath, IsMember(members), negated: negated)
    case .between(let lower, let upper):
        guard let lower = Value.Scalar(primitiveValue: lower), let upper = Value.Scalar(primitiveValue: upper) else {
            return nil
        }
        return makeNarrowing(keyPath, IsBetween<Value>(lower, upper), negated: negated)
    case .text(let pattern):
        guard Value.kind == .text else { return nil }
        return makeNarrowing(keyPath, MatchesText<Value>(pattern), negated: negated)
    }
}

/// Returns false if a value of several parts, such as an array, has a NaN in it; true for NaN itself.
@inlinable
func isEqualToCopy<Value: Primitive>(_ value: Value, _ form: PrimitiveValue) -> Bool {
    // Not the value itself, since an array is always equal to itself.
    form.isNaN || Value(primitiveValue: form) == value
}

@inlinable
@inline(__always)
func makeNarrowing<Object, Test: ValueTest>(
    _ keyPath: KeyPath<Object, Test.Value> & Sendable, _ test: Test, negated: Bool
) -> Narrowing {
    let stride = MemoryLayout<Object>.stride
    // A stored property is read directly from memory. Reading by key path takes some fifty times as long.
    if let offset = MemoryLayout<Object>.offset(of: keyPath) {
        return { first, positions, count in
            let properties = first + offset
            var kept = 0
            for index in 0..<count {
                let position = positions[index]
                let property = properties + Int(position) &* stride
                positions[kept] = position
                kept &+= test.passes(property.assumingMemoryBound(to: Test.Value.self).pointee) != negated ? 1 : 0
            }
            return kept
        }
    }
    return { first, positions, count in
        let objects = first.assumingMemoryBound(to: Object.self)
        var kept = 0
        for index in 0..<count {
            let position = positions[index]
            positions[kept] = position
            kept &+= test.passes(objects[Int(position)][keyPath: keyPath]) != negated ? 1 : 0
        }
        return kept
    }
}
