import Persistence

/// The filter and the sort order of the quakes on the screen.
public struct QuakeSelection: Hashable, Sendable {
    public enum Key: CaseIterable, Sendable { case time, magnitude }
    public enum Order: CaseIterable, Sendable { case ascending, descending }

    public var day: QuakeDay
    /// Text that the names must contain; differences of case and accents are ignored.
    public var searchText = ""
    public var key = Key.time
    public var order = Order.descending

    public init(day: QuakeDay) {
        self.day = day
    }
}

extension QuakeSelection {
    /// The quakes of the day whose names contain the search text, the earliest first.
    public func unsorted(_ catalog: QuakeCatalog) -> [Quake] {
        let quakes = catalog.quakes(during: day.span)
        guard !searchText.isEmpty else { return quakes }
        let name = Condition<Quake>.contains(\.name, searchText, [.caseInsensitive, .diacriticInsensitive])
        // Only a regular expression can be invalid.
        guard let isFound = try? name.compiled() else { return [] }
        return quakes.filter(isFound)
    }

    /// Sorts quakes, the earliest first, by the order of the selection. Quakes with equal magnitudes keep their order.
    public func sorted(_ quakes: [Quake]) -> [Quake] {
        switch (key, order) {
        case (.time, .ascending): quakes
        case (.time, .descending): quakes.reversed()
        case (.magnitude, .ascending): quakes.sorted { $0.magnitude < $1.magnitude }
        case (.magnitude, .descending): quakes.sorted { $0.magnitude > $1.magnitude }
        }
    }
}
