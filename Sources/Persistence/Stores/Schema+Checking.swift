// The compiler checks that a column has the type of its parameter. It cannot tell apart two columns of the same type.

extension Schema {
    /// Returns the names of the columns that stand in another order than the parameters of the function that makes objects;
    /// none if there are no such columns.
    ///
    /// ```swift
    /// #expect(Movie.schema.swappedColumns(for: .fixture(title: "Heat", year: 1995)) == [])
    /// ```
    ///
    /// The check makes a new object from the values of `object`. It cannot tell apart columns with equal values, so
    /// pass an object whose properties all differ. In a debug build, a `SQLiteStore` checks the first object of each
    /// insertion.
    public func swappedColumns(for object: Object) -> [String] {
        let values = values(of: object)
        guard let copy = (try? self.object(from: values)).map(self.values(of:)) else { return [] }
        let differing = values.indices.filter { values[$0] != copy[$0] }
        // An initializer may change values, for example by trimming a text. Swapped values are the same values in
        // another order.
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
