extension Sequence where Element: Sendable {
    /// Returns the elements that meet a condition, in their order, as a store would.
    ///
    ///     films.filter(where: .contains(\.title, "león", [.caseInsensitive, .diacriticInsensitive]))
    ///
    /// - Throws: ``StoreError/invalidPattern(_:reason:)`` if the condition holds an invalid regular expression.
    public func filter(where condition: Condition<Element>) throws(StoreError) -> [Element] {
        let filter = try Filter(condition)
        return filter.passesAll ? Array(self) : filter(filter.passes)
    }
}
