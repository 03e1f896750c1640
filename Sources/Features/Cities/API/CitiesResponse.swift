import Networking

/// The answer to the question for all cities. What is no city is left out of it, and told: `response.$cities`.
public struct CitiesResponse: Decodable, Equatable, Sendable {
    @Pruned public var cities: [City]

    public init(cities: [City], skipped: [SkippedElement] = []) {
        _cities = Pruned(wrappedValue: cities, skipped: skipped)
    }
}
