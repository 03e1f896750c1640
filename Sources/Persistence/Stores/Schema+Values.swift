// Conversions between an object and the values of its columns, for stores outside this module.

extension Schema {
    /// Returns the values of an object's properties, in the order of the columns.
    public func values(of object: Object) -> [PrimitiveValue] {
        columns.map { $0.attribute.value(in: object) }
    }

    /// Makes an object from the values of its columns, in their order.
    ///
    /// Throws the position of the first value that is missing, or that is not a value of its property.
    public func object(from values: [PrimitiveValue]) throws(RowMismatch) -> Object {
        try rows.make(values)
    }
}

@inlinable
func nextValue<Value: Primitive>(
    _ values: [PrimitiveValue], _ column: inout Int
) throws(RowMismatch) -> Value {
    guard column < values.count, let value = Value(primitiveValue: values[column]) else {
        throw RowMismatch(column: column)
    }
    column &+= 1
    return value
}
