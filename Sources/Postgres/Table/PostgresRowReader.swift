import Foundation
import Persistence

/// A reader that makes objects from the rows of results, without an array of values for each row.
///
/// Each column has a function that puts its value into a slot of memory; once all slots of a row are filled, the schema makes
/// an object from them.
struct PostgresRowReader<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private let schema: Schema<Object>
    private let columns: [PostgresColumnReader]
    /// The same readers, not counted: `columns` keeps them.
    private let references: [Unmanaged<PostgresColumnReader>]

    init(_ schema: Schema<Object>) {
        self.schema = schema
        columns = schema.columns.map { PostgresColumnReader($0) }
        references = columns.map { Unmanaged.passUnretained($0) }
    }

    /// Returns the objects of some rows, whose columns are those of the schema.
    func objects(of result: PostgresResult, _ rows: Range<Int32>) throws(StoreError) -> [Object] {
        guard result.types.count >= columns.count else {
            throw schema.mismatch("the server has sent \(result.types.count) of \(columns.count) columns")
        }
        var objects: [Object] = []
        objects.reserveCapacity(rows.count)
        guard let mismatch = read(rows, of: result, &objects) else { return objects }
        let id = result.value(mismatch.row, 0)
        throw .unreadable(
            table: schema.name, id: id == .null ? nil : id.description,
            column: schema.columns[Int(mismatch.column)].name,
            found: result.value(mismatch.row, mismatch.column).description)
    }

    /// Appends the objects of some rows, or of those before a value that does not fit its property.
    private func read(
        _ rows: Range<Int32>, of result: PostgresResult, _ objects: inout [Object]
    ) -> (row: Int32, column: Int32)? {
        // Both are constants here. The type of a generic schema would be looked up for each call of its functions.
        let append = schema.append
        let stride = schema.slots.stride
        return withUnsafeTemporaryAllocation(
            byteCount: max(schema.slots.byteCount, 1), alignment: RowSlots.alignment
        ) { memory in
            // Memory with bytes has an address.
            let slots = memory.baseAddress.unsafelyUnwrapped
            return references.withUnsafeBufferPointer { references in
                for row in rows {
                    var slot = slots
                    for column in 0..<Int32(truncatingIfNeeded: references.count) {
                        let isRead = references[Int(column)]._withUnsafeGuaranteedRef {
                            $0.read(result, row, column, slot)
                        }
                        guard isRead else {
                            clear(slots, before: Int(column))
                            return (row, column)
                        }
                        slot += stride
                    }
                    append(slots, stride, &objects)
                }
                return nil
            }
        }
    }

    private func clear(_ slots: UnsafeMutableRawPointer, before column: Int) {
        for filled in 0..<column { schema.columns[filled].clear(slots + schema.slots.offsets[filled]) }
    }
}

/// The reading of one column.
///
/// The function is in a constant property of an object, so that it is not retained and released for each call.
private final class PostgresColumnReader: Sendable {
    typealias Read = @Sendable (PostgresResult, Int32, Int32, UnsafeMutableRawPointer) -> Bool

    /// Puts the value in a row and a column into an empty slot; returns false and leaves the slot empty if the value
    /// does not fit the property.
    let read: Read

    init<Object>(_ column: SchemaColumn<Object>) {
        let fill = column.fill
        let fillAny: Read = { result, row, column, slot in fill(result.value(row, column), slot) }
        // The most frequent types have specialized functions. Other types go through a `PrimitiveValue`.
        read =
            switch column.valueType {
            case is Int.Type: Self.reading(Int.self, or: fillAny)
            case is Int?.Type: Self.reading(ifPresent: Int.self, or: fillAny)
            case is String.Type: Self.reading(String.self, or: fillAny)
            case is String?.Type: Self.reading(ifPresent: String.self, or: fillAny)
            case is Double.Type: Self.reading(Double.self, or: fillAny)
            case is Double?.Type: Self.reading(ifPresent: Double.self, or: fillAny)
            case is Date.Type: Self.reading(Date.self, or: fillAny)
            case is Date?.Type: Self.reading(ifPresent: Date.self, or: fillAny)
            default: Self.reading(knownTextsOf: column.valueType, or: fillAny)
            }
    }

    /// Finds the values of an enum by the bytes of their texts.
    private static func reading<Value: Primitive>(knownTextsOf type: Value.Type, or fillAny: @escaping Read) -> Read {
        guard let known = KnownTexts<Value>() else { return fillAny }
        let texts = known.entries.map(\.text)
        let values = ConstantValues(known.entries.map(\.value))
        return { result, row, column, slot in
            guard result.types[Int(column)] == .text, let cell = result.cell(row, column),
                let text = ShortText(cell), let number = texts.firstIndex(of: text)
            else { return fillAny(result, row, column, slot) }
            slot.assumingMemoryBound(to: Value.self).initialize(from: values.start + number, count: 1)
            return true
        }
    }

    @inline(__always)
    private static func reading<Value: PostgresCell>(_ type: Value.Type, or fillAny: @escaping Read) -> Read {
        { result, row, column, slot in
            guard result.types[Int(column)] == Value.type, let cell = result.cell(row, column),
                let value = Value(cell: cell)
            else { return fillAny(result, row, column, slot) }
            slot.initializeMemory(as: Value.self, to: value)
            return true
        }
    }

    @inline(__always)
    private static func reading<Value: PostgresCell>(ifPresent type: Value.Type, or fillAny: @escaping Read) -> Read {
        { result, row, column, slot in
            guard let cell = result.cell(row, column) else {
                slot.initializeMemory(as: Value?.self, to: nil)
                return true
            }
            guard result.types[Int(column)] == Value.type, let value = Value(cell: cell) else {
                return fillAny(result, row, column, slot)
            }
            slot.initializeMemory(as: Value?.self, to: value)
            return true
        }
    }
}

/// Values in memory of their own, since an array of a generic type takes longer to read.
// Unchecked, since nothing changes the values.
private final class ConstantValues<Value: Sendable>: @unchecked Sendable {
    let start: UnsafePointer<Value>
    private let count: Int

    init(_ values: [Value]) {
        let memory = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
        for (number, value) in values.enumerated() { (memory + number).initialize(to: value) }
        start = UnsafePointer(memory)
        count = values.count
    }

    deinit {
        let memory = UnsafeMutablePointer(mutating: start)
        memory.deinitialize(count: count)
        memory.deallocate()
    }
}

/// A type whose values can be made from the bytes of one PostgreSQL type.
private protocol PostgresCell: Sendable {
    static var type: PostgresType { get }
    init?(cell: UnsafeRawBufferPointer)
}

extension Int: PostgresCell {
    fileprivate static var type: PostgresType { .int8 }

    @inline(__always)
    fileprivate init?(cell: UnsafeRawBufferPointer) {
        guard cell.count == 8 else { return nil }
        self.init(exactly: Int64(bigEndian: cell.loadUnaligned(as: Int64.self)))
    }
}

extension Double: PostgresCell {
    fileprivate static var type: PostgresType { .float8 }

    @inline(__always)
    fileprivate init?(cell: UnsafeRawBufferPointer) {
        guard cell.count == 8 else { return nil }
        self.init(bitPattern: UInt64(bigEndian: cell.loadUnaligned(as: UInt64.self)))
    }
}

extension Date: PostgresCell {
    fileprivate static var type: PostgresType { .float8 }

    @inline(__always)
    fileprivate init?(cell: UnsafeRawBufferPointer) {
        guard let seconds = Double(cell: cell) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension String: PostgresCell {
    fileprivate static var type: PostgresType { .text }

    @inline(__always)
    fileprivate init?(cell: UnsafeRawBufferPointer) { self.init(decoding: cell, as: UTF8.self) }
}
