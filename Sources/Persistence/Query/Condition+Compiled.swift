extension Condition {
    /// Compiles the condition to a function that says of an object whether the condition is true of it.
    ///
    ///     let isCheap = try (\Movie.budget < 5_000_000).compiled()
    ///     movies.filter(isCheap)
    ///
    /// For one object, ``matches(_:)`` is enough. Throws ``StoreError/invalidPattern(_:reason:)`` if the condition holds a
    /// regular expression that is not one.
    public func compiled() throws(StoreError) -> @Sendable (Object) -> Bool {
        let filter = try Filter(self)
        return { filter.passes($0) }
    }
}
