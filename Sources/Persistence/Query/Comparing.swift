/// A function that returns a negative number, zero or a positive one if the first object comes before, with or after
/// the second.
@usableFromInline
typealias Comparing = @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int

@inlinable
func makeComparing<Object, Value: Primitive>(
    _ keyPath: KeyPath<Object, Value> & Sendable, descending: Bool, nilFirst: Bool
) -> Comparing {
    if let offset = MemoryLayout<Object>.offset(of: keyPath) {
        return { lhs, rhs in
            compareValues(
                (lhs + offset).assumingMemoryBound(to: Value.self).pointee,
                (rhs + offset).assumingMemoryBound(to: Value.self).pointee, descending: descending, nilFirst: nilFirst)
        }
    }
    return { lhs, rhs in
        compareValues(
            lhs.assumingMemoryBound(to: Object.self).pointee[keyPath: keyPath],
            rhs.assumingMemoryBound(to: Object.self).pointee[keyPath: keyPath], descending: descending,
            nilFirst: nilFirst)
    }
}

@inlinable
@inline(__always)
func compareValues<Value: Primitive>(_ lhs: Value, _ rhs: Value, descending: Bool, nilFirst: Bool) -> Int {
    switch (lhs.scalar, rhs.scalar) {
    case (nil, nil): return 0
    case (nil, _): return nilFirst ? -1 : 1
    case (_, nil): return nilFirst ? 1 : -1
    case let (lhs?, rhs?):
        if Value.Scalar.isOrdered(lhs, before: rhs) { return descending ? 1 : -1 }
        return Value.Scalar.isOrdered(rhs, before: lhs) ? (descending ? -1 : 1) : 0
    }
}
