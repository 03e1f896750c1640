import Networking

/// The list of all cities. An element that is not a city is left out, and reported in `response.$cities`.
public struct CitiesResponse: Decodable, Equatable, Sendable {
    @Pruned public var cities: [City]

    public init(cities: [City], skipped: [SkippedElement] = []) {
        _cities = Pruned(wrappedValue: cities, skipped: skipped)
    }
}
