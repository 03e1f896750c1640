/// A city that is delivered to.
public struct City: Codable, Equatable, Identifiable, Sendable {
    public var id: Int
    public var name: String
    public var country: String
    public var population: Int
    /// How long a delivery takes; `nil` where nobody has tried.
    public var deliveryMinutes: Int?

    public init(id: Int, name: String, country: String, population: Int, deliveryMinutes: Int? = nil) {
        self.id = id
        self.name = name
        self.country = country
        self.population = population
        self.deliveryMinutes = deliveryMinutes
    }
}
