import CSQLite
import Foundation

/// A column of the SQLite row that is being read; valid only during the read.
public struct SQLiteColumn {
    /// Thrown when the column does not hold a value of the property's type.
    public struct Mismatch: Error {
        /// Makes an error.
        @inlinable
        public init() {}
    }

    @usableFromInline let value: OpaquePointer?

    @inlinable
    @inline(__always)
    init(_ statement: OpaquePointer, _ index: Int32) { value = sqlite3_column_value(statement, index) }

    /// True if the column holds NULL.
    @inlinable
    public var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }

    @inlinable
    var isText: Bool { sqlite3_value_type(value) == SQLITE_TEXT }

    /// The value of the column as SQLite stores it: null, an integer, a number, text or data.
    @inlinable
    @inline(__always)
    public var primitiveValue: PrimitiveValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .real(sqlite3_value_double(value))
        case SQLITE_TEXT: .text(text)
        case SQLITE_BLOB: .data(data)
        default: .null
        }
    }

    @inlinable
    @inline(__always)
    var text: String {
        // The text must be asked for before its length, since that call may convert and move it.
        let start = sqlite3_value_text(value)
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
    }

    @usableFromInline var data: Data {
        guard let start = sqlite3_value_blob(value) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
    }
}
