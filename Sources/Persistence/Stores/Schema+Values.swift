// Conversions between an object and the values of its columns, for stores outside this module.

extension Schema {
    /// Returns the values of an object's properties, in the order of the columns.
    public func values(of object: Object) -> [PrimitiveValue] {
        // A column reads a property at its offset, an attribute by its key path, which takes longer.
        withUnsafePointer(to: object) { object in columns.map { $0.read(UnsafeRawPointer(object)) } }
    }

    /// Returns the error for an object that has a value which cannot be encoded; nil if it has none.
    package func unencodable(_ object: Object) -> StoreError? {
        for (column, value) in zip(columns, values(of: object)) {
            guard case .unencodable(let reason) = value else { continue }
            return .constraint(
                reason:
                    "\(column.name) of the object with the id \(object.id.printed) cannot be encoded for \(name): \(reason)"
            )
        }
        return nil
    }

    /// Makes an object from the values of its columns, in their order.
    ///
    /// Throws the position of the first value that is missing, or that is not a value of its property.
    public func object(from values: [PrimitiveValue]) throws(RowMismatch) -> Object {
        let result = withUnsafeTemporaryAllocation(byteCount: slots.byteCount, alignment: RowSlots.alignment) {
            memory -> Result<Object, RowMismatch> in
            // Empty memory has an address, too.
            guard let start = memory.baseAddress else { return .failure(RowMismatch(column: 0)) }
            for (column, offset) in slots.offsets.enumerated() {
                if column < values.count, columns[column].fill(values[column], start + offset) { continue }
                for filled in 0..<column { columns[filled].clear(start + slots.offsets[filled]) }
                return .failure(RowMismatch(column: column))
            }
            return .success(rows.take(start, slots.stride))
        }
        return try result.get()
    }
}
