/// The functions that read the columns of a SQLite row into ``RowSlots``.
///
/// Each function is in a constant property of an object, see ``ColumnBindings``.
@usableFromInline
final class ColumnReadings: Sendable {
    private final class Reading: Sendable {
        /// Fills an empty slot; returns false and leaves it empty if the column has no value of the property's type.
        let fill: @Sendable (SQLiteColumn, UnsafeMutableRawPointer) -> Bool
        let clear: @Sendable (UnsafeMutableRawPointer) -> Void

        init<Object>(_ column: SchemaColumn<Object>) {
            fill = column.fillFromSQLite
            clear = column.clear
        }
    }

    private let readings: [Reading]
    /// The same readings.
    private let references: [Unmanaged<Reading>]
    @usableFromInline let stride: Int
    @usableFromInline let byteCount: Int

    init<Object>(_ columns: [SchemaColumn<Object>], _ slots: RowSlots) {
        readings = columns.map { Reading($0) }
        references = readings.map { Unmanaged.passUnretained($0) }
        stride = slots.stride
        byteCount = slots.byteCount
    }

    /// Calls `body` with the address of empty slots, which are empty again when it returns.
    @inlinable
    @inline(__always)
    func withSlots<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: RowSlots.alignment) {
            // Memory with bytes has an address.
            body($0.baseAddress.unsafelyUnwrapped)
        }
    }

    /// Fills the slots from the present row of a statement. If a column has no value of its property's type, the slots stay
    /// empty, and the result is the number of the column; otherwise it is negative.
    @usableFromInline
    func read(_ statement: OpaquePointer, into slots: UnsafeMutableRawPointer) -> Int32 {
        references.withUnsafeBufferPointer { references in
            var slot = slots
            for column in 0..<Int32(truncatingIfNeeded: references.count) {
                let isRead = references[Int(column)]._withUnsafeGuaranteedRef {
                    $0.fill(SQLiteColumn(statement, column), slot)
                }
                if !isRead {
                    clear(slots, before: column)
                    return column
                }
                slot += stride
            }
            return -1
        }
    }

    private func clear(_ slots: UnsafeMutableRawPointer, before column: Int32) {
        for filled in 0..<Int(column) { readings[filled].clear(slots + filled * stride) }
    }
}
