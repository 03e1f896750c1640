import CPostgres
import Foundation
import Persistence

/// The parameters of one statement, in PostgreSQL's binary form.
struct PostgresParameters {
    private(set) var types: [Oid] = []
    // It begins with an extra byte, so that an empty value has an address, too.
    private var bytes: [UInt8] = [0]
    /// The place of each value; nil for NULL.
    private var places: [(start: Int, count: Int)?] = []

    /// The number of bytes of all values.
    var size: Int { bytes.count }

    /// The greatest number of bytes of all values. The server reads messages of less than 1 GiB, which also have some
    /// bytes for each value.
    private static var maximumSize: Int { 1 << 30 - 1 << 20 }
    private static var maximumCount: Int { 65_535 }

    init() {}

    init(_ values: [SQLValue]) throws(StoreError) {
        for value in values {
            switch value {
            case .primitive(let value): try append(value, as: PostgresType(value))
            case .list(let values, let kind): try append(values, of: PostgresType(kind))
            // PostgreSQL's dialect has no function for patterns.
            case .pattern: try append(.null, as: nil)
            }
        }
    }

    init(_ value: PrimitiveValue) throws(StoreError) { try append(value, as: PostgresType(value)) }

    /// Appends a value, which must fit the type.
    mutating func append(_ value: PrimitiveValue, as type: PostgresType?) throws(StoreError) {
        try append(type?.rawValue ?? 0)
        if value == .null { return places.append(nil) }
        let start = bytes.count
        try write(value, as: type)
        places.append((start, bytes.count - start))
    }

    /// Appends an array of values, which must fit the type, and of which none is NULL.
    mutating func append(_ values: [PrimitiveValue], of type: PostgresType) throws(StoreError) {
        try append(type.array)
        let start = bytes.count
        // An array of one dimension without NULL, its type, its length, and the index of its first value.
        for number in [1, 0, type.rawValue, UInt32(clamping: values.count), 1] { append(bigEndian: number) }
        for value in values {
            let place = bytes.count
            append(bigEndian: 0 as UInt32)
            try write(value, as: type)
            try checkSize(adding: 0)
            let length = UInt32(bytes.count - place - 4)
            withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
        }
        places.append((start, bytes.count - start))
    }

    private mutating func append(_ type: Oid) throws(StoreError) {
        guard types.count < Self.maximumCount else {
            throw .refused(reason: "a statement for PostgreSQL can have at most \(Self.maximumCount) values")
        }
        types.append(type)
    }

    /// Appends the bytes of a value.
    private mutating func write(_ value: PrimitiveValue, as type: PostgresType?) throws(StoreError) {
        switch value {
        case .null: return
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .integer(let value) where type == .numeric: append(PostgresNumeric(UInt64(clamping: value)))
        case .integer(let value): append(bigEndian: UInt64(bitPattern: value))
        case .unsigned(let value): append(PostgresNumeric(value))
        case .real(let value): append(bigEndian: value.bitPattern)
        case .date(let value): append(bigEndian: value.timeIntervalSinceReferenceDate.bitPattern)
        case .text(let value):
            let start = bytes.count
            try append(value.precomposed.utf8)
            if bytes[start...].contains(0) {
                throw .constraint(
                    reason: "PostgreSQL's text cannot have a zero byte; remove it, or store the text as Data")
            }
        case .data(let value): try append(value)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
        case .unencodable(let reason): throw .constraint(reason: "a value cannot be encoded: \(reason)")
        }
    }

    private mutating func append(_ value: some Collection<UInt8>) throws(StoreError) {
        try checkSize(adding: value.count)
        bytes.append(contentsOf: value)
    }

    private func checkSize(adding count: Int) throws(StoreError) {
        guard count <= Self.maximumSize - bytes.count else {
            throw .constraint(reason: "the values of a statement for PostgreSQL must be smaller than 1 GiB together")
        }
    }

    private mutating func append(bigEndian value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: PostgresNumeric) {
        var words: [UInt16] = []
        number.write { words.append($0) }
        for word in words { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
    }

    /// Calls `body` with the values, their lengths and their formats, in the form of libpq.
    func withPointers<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        let count = places.count
        return bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
                    for (index, place) in places.enumerated() {
                        let address = place.map { bytes.baseAddress.unsafelyUnwrapped + $0.start }
                        values.initializeElement(at: index, to: address?.assumingMemoryBound(to: CChar.self))
                        numbers.initializeElement(at: index, to: Int32(place?.count ?? 0))
                        numbers.initializeElement(at: count + index, to: 1)
                    }
                    return body(
                        Int32(count), UnsafePointer(values.baseAddress), UnsafePointer(numbers.baseAddress),
                        numbers.baseAddress.map { UnsafePointer($0 + count) })
                }
            }
        }
    }
}
