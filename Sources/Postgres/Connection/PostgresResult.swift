import CPostgres
import Persistence

/// The result of one statement, whose values are in binary form.
// Unchecked, since libpq only reads a result that is complete.
final class PostgresResult: @unchecked Sendable {
    private let handle: OpaquePointer
    let rowCount: Int32
    let types: [PostgresType?]

    init(_ handle: OpaquePointer) {
        self.handle = handle
        rowCount = PQntuples(handle)
        types = (0..<PQnfields(handle)).map { PostgresType(rawValue: PQftype(handle, $0)) }
    }

    deinit { PQclear(handle) }

    @inline(__always)
    func value(_ row: Int32, _ column: Int32) -> PrimitiveValue {
        cell(row, column).map { PrimitiveValue($0, types[Int(column)]) } ?? .null
    }

    /// The bytes of a value, which are valid as long as the result; nil for NULL.
    @inline(__always)
    func cell(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        guard let start = PQgetvalue(handle, row, column) else { return nil }
        let count = Int(PQgetlength(handle, row, column))
        // Only NULL and empty values have length 0.
        if count == 0, PQgetisnull(handle, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    var rows: [[PrimitiveValue]] {
        (0..<rowCount).map { row in types.indices.map { value(row, Int32($0)) } }
    }

    /// The first value of the first row.
    var first: PrimitiveValue { rowCount > 0 && !types.isEmpty ? value(0, 0) : .null }

    /// The first value, which is a whole number.
    var integer: Int { if case .integer(let number) = first { Int(number) } else { 0 } }

    /// The number of rows that the statement changed.
    var changes: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The name of the command that the server has run, such as COMMIT.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }
}
