import Persistence

/// Which quakes a person wants to see, and in which order.
public struct QuakeSelection: Hashable, Sendable {
    public enum Key: CaseIterable, Sendable { case time, magnitude }
    public enum Order: CaseIterable, Sendable { case ascending, descending }

    public var day: QuakeDay
    /// Part of the names; case and accents do not count.
    public var searchText = ""
    public var key = Key.time
    public var order = Order.descending

    public init(day: QuakeDay) {
        self.day = day
    }
}

extension QuakeSelection {
    /// The quakes of the day that are searched for, the earliest first.
    public func unsorted(_ catalog: QuakeCatalog) -> [Quake] {
        let quakes = catalog.quakes(during: day.span)
        guard !searchText.isEmpty else { return quakes }
        let name = Condition<Quake>.contains(\.name, searchText, [.caseInsensitive, .diacriticInsensitive])
        // Only a regular expression can be invalid, and this is none.
        guard let isFound = try? name.compiled() else { return [] }
        return quakes.filter(isFound)
    }

    /// The same quakes in the order of the selection; equal ones in the order of their times.
    public func sorted(_ quakes: [Quake]) -> [Quake] {
        switch (key, order) {
        case (.time, .ascending): quakes
        case (.time, .descending): quakes.reversed()
        case (.magnitude, .ascending): quakes.sorted { $0.magnitude < $1.magnitude }
        case (.magnitude, .descending): quakes.sorted { $0.magnitude > $1.magnitude }
        }
    }
}
