import CSQLite
import Foundation

/// The functions that SQLite calls, so that a condition or aggregate in SQL means exactly the same as in memory.
enum SQLiteFunctions {
    /// The function that tests a text with a pattern: `feedback_matches(text, pattern)`. It is false for NULL.
    static let matches = "feedback_matches"
    /// The function that returns the exact sum of a column: `feedback_sum(column, kind)`; the text `too large` if it
    /// does not fit.
    static let sum = "feedback_sum"
    /// The function that returns the average of a column: `feedback_average(column, kind)`; NULL if there are no
    /// values.
    static let average = "feedback_average"

    /// The name of the type under which SQLite passes a pattern as a pointer.
    static var patternType: UnsafePointer<CChar> {
        UnsafeRawPointer(("feedback pattern" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }

    static func register(with connection: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let status = sqlite3_create_function_v2(
            connection, matches, 2, flags, nil,
            { context, _, arguments in
                guard let arguments, sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
                    let pattern = sqlite3_value_pointer(arguments[1], SQLiteFunctions.patternType)
                else { return sqlite3_result_int(context, 0) }
                let start = sqlite3_value_text(arguments[0])
                let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[0])))
                let matches = Unmanaged<TextPattern>.fromOpaque(pattern)._withUnsafeGuaranteedRef { $0.matches(text) }
                sqlite3_result_int(context, matches ? 1 : 0)
            }, nil, nil, nil)
        guard status == SQLITE_OK else { return status }
        let summed = sqlite3_create_function_v2(
            connection, sum, 2, flags, nil, nil, { SQLiteFunctions.add($0, $2) },
            { context in
                let running = SQLiteFunctions.take(context)
                switch running.sum.total(of: running.kind) {
                case .integer(let value)?: sqlite3_result_int64(context, value)
                case .unsigned(let value)?:
                    withUnsafeBytes(of: value.bigEndian) {
                        sqlite3_result_blob(context, $0.baseAddress, 8, SQLiteFunctions.transient)
                    }
                case .real(let value)? where !value.isNaN: sqlite3_result_double(context, value)
                case .real?: sqlite3_result_text(context, Double.nanText, -1, SQLiteFunctions.transient)
                default: sqlite3_result_text(context, "too large", -1, SQLiteFunctions.transient)
                }
            }, nil)
        guard summed == SQLITE_OK else { return summed }
        return sqlite3_create_function_v2(
            connection, average, 2, flags, nil, nil, { SQLiteFunctions.add($0, $2) },
            { context in
                guard case .real(let value)? = SQLiteFunctions.take(context).sum.average else {
                    return sqlite3_result_null(context)
                }
                if value.isNaN {
                    sqlite3_result_text(context, Double.nanText, -1, SQLiteFunctions.transient)
                } else {
                    sqlite3_result_double(context, value)
                }
            }, nil)
    }

    /// Tells SQLite to copy a result.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: - Sums

    /// A sum in progress, in a reference that SQLite keeps from row to row.
    private final class RunningSum {
        // Unchecked, since SQLite adds one row after the other, and the check would take as long as the addition.
        @exclusivity(unchecked) var sum = ExactSum()
        let kind: PrimitiveKind

        init(_ kind: PrimitiveKind) { self.kind = kind }

        func add(_ value: OpaquePointer?) {
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER where kind == .real: sum.add(Double(sqlite3_value_int64(value)))
            case SQLITE_INTEGER: sum.add(sqlite3_value_int64(value))
            case SQLITE_FLOAT: sum.add(sqlite3_value_double(value))
            case SQLITE_TEXT: sum.add(Double.nan)
            case SQLITE_BLOB:
                let bytes = UnsafeRawBufferPointer(
                    start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
                sum.add(bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
            default: return
            }
        }
    }

    /// Returns the number that stands for a kind of column in SQL.
    static func number(of kind: PrimitiveKind) -> Int { kind == .real ? 2 : kind == .unsigned ? 1 : 0 }

    private static func add(_ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let arguments,
            let place = sqlite3_aggregate_context(context, Int32(MemoryLayout<UnsafeRawPointer?>.size))
        else { return sqlite3_result_error_nomem(context) }
        let box = place.assumingMemoryBound(to: UnsafeRawPointer?.self)
        if box.pointee == nil {
            let kinds: [PrimitiveKind] = [.integer, .unsigned, .real]
            let running = RunningSum(kinds[max(0, min(2, Int(sqlite3_value_int(arguments[1]))))])
            box.pointee = UnsafeRawPointer(Unmanaged.passRetained(running).toOpaque())
        }
        guard let pointer = box.pointee else { return }
        Unmanaged<RunningSum>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.add(arguments[0]) }
    }

    /// Returns the sum of all rows, and releases SQLite's reference to it.
    private static func take(_ context: OpaquePointer?) -> RunningSum {
        guard let place = sqlite3_aggregate_context(context, 0),
            let pointer = place.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee
        else { return RunningSum(.integer) }
        return Unmanaged<RunningSum>.fromOpaque(pointer).takeRetainedValue()
    }
}
