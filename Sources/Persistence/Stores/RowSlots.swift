/// The places for the values of one row in memory: a slot for each column, all of the same size.
///
/// A reader of rows fills the slots column by column, each with a function that knows the column's type, and makes the object
/// with ``Schema/append``.
@usableFromInline
package struct RowSlots: Sendable {
    /// The number of bytes from one slot to the next.
    package let stride: Int
    /// The offset of each column's slot.
    package let offsets: [Int]
    /// The number of bytes that all slots take.
    @usableFromInline package let byteCount: Int

    /// The alignment of each slot.
    @usableFromInline package static var alignment: Int { 16 }

    init(_ columns: [any Primitive.Type]) {
        func size<Value: Primitive>(of type: Value.Type) -> Int { MemoryLayout<Value>.size }
        let largest = columns.map { size(of: $0) }.max() ?? 0
        let stride = (largest + Self.alignment - 1) / Self.alignment * Self.alignment
        self.stride = stride
        offsets = columns.indices.map { $0 * stride }
        byteCount = columns.count * stride
    }
}

/// The functions that make an object from the values in slots, which are empty afterwards. They get the address of the first
/// slot, and the number of bytes from one to the next.
@usableFromInline
struct SchemaRows<Object: Sendable>: Sendable {
    /// Returns the object.
    @usableFromInline let take: @Sendable (UnsafeMutableRawPointer, Int) -> Object
    /// Appends the object.
    let append: @Sendable (UnsafeMutableRawPointer, Int, inout [Object]) -> Void

    @inlinable
    init(_ make: @escaping @Sendable (inout SlotCursor) -> Object) {
        self.init(
            take: { slots, stride in
                var cursor = SlotCursor(slots, stride)
                return make(&cursor)
            },
            append: { slots, stride, objects in
                var cursor = SlotCursor(slots, stride)
                objects.append(make(&cursor))
            })
    }

    // The types of the values have no constraints. With these, the compiler makes a loop that looks up the type and the
    // conformance of each value, and retains and releases it. Without, it moves the values one after the other.
    @inlinable
    init<ID, each Value>(_ make: @escaping @Sendable (ID, repeat each Value) -> Object) {
        self.init { make($0.next(), repeat $0.next() as each Value) }
    }

    @usableFromInline
    init(
        take: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Object,
        append: @escaping @Sendable (UnsafeMutableRawPointer, Int, inout [Object]) -> Void
    ) {
        self.take = take
        self.append = append
    }
}

/// Takes the values out of the slots of a row, one after the other.
@usableFromInline
struct SlotCursor {
    @usableFromInline var slot: UnsafeMutableRawPointer
    @usableFromInline let stride: Int

    @inlinable
    @inline(__always)
    init(_ slots: UnsafeMutableRawPointer, _ stride: Int) {
        slot = slots
        self.stride = stride
    }

    @inlinable
    @inline(__always)
    mutating func next<Value>() -> Value {
        defer { slot += stride }
        return slot.assumingMemoryBound(to: Value.self).move()
    }
}

extension Schema {
    /// A function that makes an object from the values in slots, which are empty afterwards, and appends it. It gets the
    /// address of the first slot, and the number of bytes from one to the next.
    ///
    /// Each slot holds a value of its column's type. The address is aligned to ``RowSlots/alignment``.
    package var append: @Sendable (UnsafeMutableRawPointer, Int, inout [Object]) -> Void { rows.append }
}

extension SchemaColumn {
    /// Empties a slot that holds a value of the property.
    package func clear(_ slot: UnsafeMutableRawPointer) {
        func clear<Value: Primitive>(_ type: Value.Type) {
            slot.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
        }
        clear(valueType)
    }
}

/// The position of a column whose value does not fit its property.
public struct RowMismatch: Error, Equatable {
    /// The position, from 0.
    public let column: Int

    @usableFromInline
    init(column: Int) { self.column = column }
}
