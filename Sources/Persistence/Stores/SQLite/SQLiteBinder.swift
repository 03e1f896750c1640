import CSQLite
import Foundation

/// Binds values to the parameters of one statement.
///
/// SQLite would copy each text into memory of its own. Here all texts of a row share one block of memory, which is
/// reused for the next row.
@usableFromInline
final class SQLiteBinder {
    @usableFromInline let statement: OpaquePointer
    // Unchecked, since no access to these lasts while another one begins, and the checks would take longer than to bind a
    // number.

    /// The first failure since ``begin()``.
    @exclusivity(unchecked) @usableFromInline var status = SQLITE_OK
    /// The reason why one of the values cannot be stored; nil if all can.
    @exclusivity(unchecked) @usableFromInline var refusal: String?
    @exclusivity(unchecked) private var bytes: UnsafeMutableBufferPointer<UInt8>
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private var outgrown: [UnsafeMutableBufferPointer<UInt8>] = []

    init(_ statement: OpaquePointer) {
        self.statement = statement
        bytes = .allocate(capacity: 512)
    }

    deinit {
        freeOutgrown()
        bytes.deallocate()
    }

    /// Discards the values of the last row, whose memory is reused.
    func begin() {
        used = 0
        status = SQLITE_OK
        refusal = nil
        freeOutgrown()
        // The memory of one large value must not be kept for good.
        if bytes.count > 1 << 20 {
            bytes.deallocate()
            bytes = .allocate(capacity: 512)
        }
    }

    @inlinable
    @inline(__always)
    func bind(_ value: PrimitiveValue, at index: Int32) {
        switch value {
        case .null: check(sqlite3_bind_null(statement, index))
        case .bool(let value): check(sqlite3_bind_int64(statement, index, value ? 1 : 0))
        case .integer(let value): check(sqlite3_bind_int64(statement, index, value))
        case .unsigned(let value): bind(bigEndian: value, at: index)
        case .real(let value): bind(value, at: index)
        case .text(let value): bind(value, at: index)
        case .data(let value): bind(value, at: index)
        case .date(let value): bind(value.timeIntervalSinceReferenceDate, at: index)
        case .uuid(let value): bind(value.uuidString, at: index)
        case .unencodable(let reason): refuse(reason)
        }
    }

    func bind(_ pattern: TextPattern, at index: Int32) {
        check(
            sqlite3_bind_pointer(
                statement, index, Unmanaged.passRetained(pattern).toOpaque(), SQLiteFunctions.patternType,
                { Unmanaged<TextPattern>.fromOpaque($0!).release() }))
    }

    @usableFromInline
    func refuse(_ reason: String) { (status, refusal) = (SQLITE_MISMATCH, reason) }

    @inlinable
    @inline(__always)
    func check(_ status: Int32) {
        if status != SQLITE_OK { self.status = status }
    }

    @usableFromInline
    func bind(_ value: Double, at index: Int32) {
        if value.isNaN {
            bind(Double.nanText, at: index)
        } else {
            check(sqlite3_bind_double(statement, index, value))
        }
    }

    @usableFromInline
    func bind(_ text: String, at index: Int32) {
        // `withUTF8` would need a copy, which is retained and released.
        let isBound = text.utf8.withContiguousStorageIfAvailable { utf8 in
            guard utf8.isKnownPrecomposed else { return false }
            bind(UnsafeRawBufferPointer(utf8), at: index, isText: true)
            return true
        }
        if isBound == true { return }
        var composed = text.precomposed
        composed.withUTF8 { bind(UnsafeRawBufferPointer($0), at: index, isText: true) }
    }

    @usableFromInline
    func bind(_ data: Data, at index: Int32) {
        data.withUnsafeBytes { bind($0, at: index, isText: false) }
    }

    @usableFromInline
    func bind(bigEndian value: UInt64, at index: Int32) {
        withUnsafeBytes(of: value.bigEndian) { bind($0, at: index, isText: false) }
    }

    private func bind(_ source: UnsafeRawBufferPointer, at index: Int32, isText: Bool) {
        if bytes.count - used < source.count {
            // The values of this row that are bound already must stay where they are.
            outgrown.append(bytes)
            bytes = .allocate(capacity: max(bytes.count * 2, source.count))
            used = 0
        }
        guard let start = bytes.baseAddress.map({ UnsafeMutableRawPointer($0 + used) }) else { return }
        if let from = source.baseAddress { start.copyMemory(from: from, byteCount: source.count) }
        used += source.count
        let count = UInt64(source.count)
        if isText {
            check(
                sqlite3_bind_text64(
                    statement, index, start.assumingMemoryBound(to: CChar.self), count, nil, UInt8(SQLITE_UTF8)))
        } else {
            check(sqlite3_bind_blob64(statement, index, start, count, nil))
        }
    }

    private func freeOutgrown() {
        for memory in outgrown { memory.deallocate() }
        outgrown = []
    }
}
