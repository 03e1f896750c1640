// The compiler sees that a column has the type of the parameter for which it stands. Of two columns of the same type it
// cannot see which is which.

extension Schema {
    /// Returns the names of the columns that stand in another order than the parameters of the function that makes objects;
    /// none if there are no such columns.
    ///
    /// ```swift
    /// #expect(Movie.schema.swappedColumns(for: .fixture(title: "Heat", year: 1995)) == [])
    /// ```
    ///
    /// The object is made anew from its own values. Columns that hold equal values cannot be told from each other, so pass an
    /// object whose properties all differ. In a debug build a `SQLiteStore` checks the first object of each insertion.
    public func swappedColumns(for object: Object) -> [String] {
        let values = values(of: object)
        guard let copy = (try? self.object(from: values)).map(self.values(of:)) else { return [] }
        let differing = values.indices.filter { !values[$0].isIdentical(to: copy[$0]) }
        // An initializer may change values, by trimming a text, for example. Swapped values are the same in another order.
        let (before, after) = (differing.map { "\(values[$0])" }, differing.map { "\(copy[$0])" })
        return before.sorted() == after.sorted() ? differing.map { columns[$0].name } : []
    }

    /// Fails in a debug build if columns are swapped.
    func assertOrder(of objects: [Object]) {
        assert(
            objects.first.map { swappedColumns(for: $0) } ?? [] == [],
            """
            The columns \(objects.first.map { swappedColumns(for: $0) } ?? []) of the schema \(name) stand in another order \
            than the parameters of the function that makes its objects. Give the columns in the order of the parameters.
            """)
    }
}

extension PrimitiveValue {
    /// Equal, or both no number.
    fileprivate func isIdentical(to other: PrimitiveValue) -> Bool { self == other || (self != self && other != other) }
}
