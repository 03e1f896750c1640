import Foundation
import JSON
import Networking
import Persistence

// Rows of JSON: an object for each row, with a key for each column. They are read and written without Codable.

extension Schema {
    /// Reads a JSON list of rows.
    ///
    /// Keys that are not columns are ignored, and a column without a key is nil. An error names the row and the column, as in
    /// `[1].rating`, and its place in the body.
    public func objects(fromJSON body: Data) -> Result<[Object], CoreError> {
        reading(body) { root in
            try objects(from: root) { number, column, row, locations throws(RowFault) in
                throw mismatch(column, in: number, at: (locations[column] ?? row).offset)
            }
        }
    }

    /// Reads a JSON list of rows as ``objects(fromJSON:)``, without those that cannot be read, but whose id is of the kind
    /// of ids.
    func readableRows(fromJSON body: Data) -> Result<PostgRESTPage<Object>, CoreError> {
        reading(body) { root in
            var unreadable: [UnreadableRow] = []
            let objects = try objects(from: root) { number, column, row, locations throws(RowFault) in
                let values = columns.indices.map {
                    PrimitiveValue(locations.scalar($0, in: row), kind: columns[$0].attribute.kind)
                }
                guard let id = values[0]?.postgresText else {
                    throw mismatch(column, in: number, at: (locations[column] ?? row).offset)
                }
                unreadable.append(
                    UnreadableRow(
                        index: number, values: values,
                        object: UnreadableObject(
                            table: name, objectID: id, column: columns[column].name,
                            found: locations[column]?.words ?? "nothing")))
            }
            return PostgRESTPage(objects: objects, unreadable: unreadable)
        }
    }

    private func reading<Value>(_ body: Data, _ read: (JSONNode) throws -> Value) -> Result<Value, CoreError> {
        do {
            return .success(
                try JSONIndex.read(body) { root in
                    guard root.kind == .array else {
                        throw RowFault(path: "", expected: "a list of rows", offset: root.offset)
                    }
                    return try read(root)
                })
        } catch let fault as RowFault {
            return .failure(.parsing(fault.failure(in: body)))
        } catch {
            return .failure(.parsing(ParsingFailure(error, in: body)))
        }
    }

    /// - Parameter skip: Called with the number of a row that cannot be read, the column, and the row.
    private func objects(
        from list: JSONNode, skip: (Int, Int, JSONNode, JSONColumns) throws(RowFault) -> Void
    ) throws(RowFault) -> [Object] {
        let types = columns.map { JSONSlot(of: $0.valueType) }
        let stride = self.slots.stride
        let slots = UnsafeMutableRawPointer.allocate(
            byteCount: max(self.slots.byteCount, 1), alignment: RowSlots.alignment)
        defer { slots.deallocate() }
        // In generic code, a key path such as \.name is made anew each time, which costs more than reading a row.
        var locations = JSONColumns(columns.map { $0.name })
        var objects: [Object] = []
        // A long list may fail at its first row, so no more than 4 MB are allocated in advance.
        objects.reserveCapacity(min(list.count, 1 + (4 << 20) / MemoryLayout<Object>.stride))
        // Most tables have only values that are put into their slots without the columns' own functions.
        var coders: [JSONColumnCoder] = []
        func readOther(_ column: Int, _ value: JSONScalar, _ slot: UnsafeMutableRawPointer) -> Bool {
            if coders.isEmpty { coders = columns.map { JSONColumnCoder(for: $0).remembering($0) } }
            // The function is called in place, since one that is taken out of an array is retained.
            return coders.withUnsafeBufferPointer { $0[column].read(value, slot) }
        }
        /// Fills the slots; returns a column whose value is of another type, and empties the slots then.
        func read(_ row: JSONNode) -> Int? {
            let unread = types.withUnsafeBufferPointer {
                locations.fill(slots, stride: stride, as: $0, from: row, read: readOther)
            }
            guard let unread else { return nil }
            locations.forEach(in: row) { column, _ in
                if column == unread { return false }
                columns[column].clear(slots + column &* stride)
                return true
            }
            return unread
        }
        // A constant, since the type of a generic schema would be looked up for each call of its functions.
        let append = self.append
        var skipped = 0
        for row in list.elements {
            guard row.kind == .object else {
                throw RowFault(path: "[\(objects.count + skipped)]", expected: "a row", offset: row.offset)
            }
            if let column = read(row) {
                _ = locations.locate(in: row)
                try skip(objects.count + skipped, column, row, locations)
                skipped += 1
                continue
            }
            append(slots, stride, &objects)
        }
        return objects
    }

    private func mismatch(_ column: Int, in row: Int, at offset: Int) -> RowFault {
        let column = columns[column]
        let kind = column.attribute.isOptional ? "\(column.attribute.kind) or null" : "\(column.attribute.kind)"
        return RowFault(
            path: "[\(row)].\(column.name)", expected: "\(kind) that the property can hold", offset: offset)
    }

    /// Writes a JSON list of rows with all columns, including those that are nil.
    ///
    /// Text is written in composed form (NFC), since servers compare bytes while Swift compares characters.
    public func json(of objects: [Object]) -> Result<Data, CoreError> {
        var writer = JSONWriter(capacity: 256 + objects.count * columns.count * 16)
        let row = RowWriter(self)
        writer.beginArray()
        // The objects are read in place, since copying one would retain all its properties.
        let failure = objects.withUnsafeBufferPointer { objects -> EncodingFailure? in
            guard let first = objects.baseAddress else { return nil }
            for number in 0..<objects.count {
                if let failure = row.write(first + number, to: &writer) { return failure }
            }
            return nil
        }
        if let failure { return .failure(.encoding(failure)) }
        writer.endArray()
        return .success(writer.finish())
    }

    /// Writes one row.
    public func json(of object: Object) -> Result<Data, CoreError> {
        var writer = JSONWriter()
        let row = RowWriter(self)
        if let failure = withUnsafePointer(to: object, { row.write($0, to: &writer) }) {
            return .failure(.encoding(failure))
        }
        return .success(writer.finish())
    }
}

/// A column of written rows. It is not nested in the generic ``RowWriter``, whose nested types would be looked up for each row.
private struct WrittenColumn {
    let key: JSONWriter.Key
    let coder: JSONColumnCoder
}

/// Writes objects of a schema as rows.
private struct RowWriter<Object: Identifiable & Sendable> where Object.ID: Primitive {
    private let schema: Schema<Object>
    private let columns: [WrittenColumn]

    init(_ schema: Schema<Object>) {
        self.schema = schema
        columns = schema.columns.map { WrittenColumn(key: JSONWriter.Key($0.name), coder: JSONColumnCoder(for: $0)) }
    }

    /// Writes one object. If a value has no JSON form, returns the reason, and the row stays incomplete.
    func write(_ object: UnsafePointer<Object>, to writer: inout JSONWriter) -> EncodingFailure? {
        writer.beginObject()
        // The columns are read in place, since each key and each function that is taken out of an array is retained.
        let failed = columns.withUnsafeBufferPointer { columns -> Int? in
            for number in 0..<columns.count {
                writer.key(columns[number].key)
                let value = UnsafeRawPointer(object) + columns[number].coder.offset
                if !columns[number].coder.write(value, &writer) { return number }
            }
            return nil
        }
        if let failed {
            let column = schema.columns[failed]
            return EncodingFailure(
                path: column.name,
                reason: "PostgreSQL has no such \(column.attribute.kind): \(column.attribute.value(in: object.pointee))"
            )
        }
        writer.endObject()
        return nil
    }
}

/// The fault of a value that does not fit its row, with the offset of its first byte in the body.
private struct RowFault: Error {
    let path: String
    let expected: String
    let offset: Int

    func failure(in body: Data) -> ParsingFailure {
        ParsingFailure(
            path: path, reason: "Expected \(expected).",
            place: ParsingFailure.Place(JSONPlace(of: offset, in: body)))
    }
}
