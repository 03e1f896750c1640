/// Memory for the values of one row, each in a slot of its own, in the order of the columns.
///
/// A reader of rows in another format fills the slots column by column, each with a function that knows the column's
/// type, and makes the object with ``Schema/appendObject(from:to:)``.
@usableFromInline
struct RowSlots {
    @usableFromInline let address: UnsafeMutableRawPointer
    @usableFromInline var end = 0

    @inlinable
    init(_ address: UnsafeMutableRawPointer) { self.address = address }

    /// Moves the value out of the next slot.
    @inlinable
    @inline(__always)
    mutating func take<Value>() -> Value {
        let offset = RowSlots.offset(ofSlotAfter: end, alignment: MemoryLayout<Value>.alignment)
        end = offset &+ MemoryLayout<Value>.size
        return (address + offset).assumingMemoryBound(to: Value.self).move()
    }

    @inlinable
    @inline(__always)
    static func offset(ofSlotAfter end: Int, alignment: Int) -> Int { (end &+ alignment &- 1) & ~(alignment &- 1) }
}

extension Schema {
    /// Returns the offset of each column's slot, and the number of bytes that all slots take.
    package var slotLayout: (offsets: [Int], byteCount: Int) {
        func layout<Value: Primitive>(of type: Value.Type) -> (size: Int, alignment: Int) {
            (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
        }
        var end = 0
        let offsets = columns.map { column in
            let (size, alignment) = layout(of: column.valueType)
            let offset = RowSlots.offset(ofSlotAfter: end, alignment: alignment)
            end = offset + size
            return offset
        }
        return (offsets, end)
    }

    /// Makes an object from the values in the slots at an address, which are empty afterwards, and appends it.
    ///
    /// Each slot holds a value of its column's type. The address is aligned to 16 bytes.
    package func appendObject(from slots: UnsafeMutableRawPointer, to objects: inout [Object]) {
        rows.take(slots, &objects)
    }
}
