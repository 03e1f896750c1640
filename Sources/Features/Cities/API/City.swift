/// A city that deliveries go to. A server may know only its name.
public struct City: Codable, Equatable, Identifiable, Sendable {
    /// The server's number of the city; nil if it does not number its cities.
    public var number: Int?
    public var name: String
    public var country: String?
    public var population: Int?
    /// The duration of a delivery, in minutes; nil if there was none yet.
    public var deliveryMinutes: Int?

    /// The number of a city, or its name and country if it has no number.
    public enum ID: Hashable, Sendable {
        case number(Int)
        case name(String, country: String?)
    }

    public var id: ID { number.map(ID.number) ?? .name(name, country: country) }

    public init(
        number: Int? = nil, name: String, country: String? = nil, population: Int? = nil, deliveryMinutes: Int? = nil
    ) {
        self.number = number
        self.name = name
        self.country = country
        self.population = population
        self.deliveryMinutes = deliveryMinutes
    }

    private enum CodingKeys: String, CodingKey {
        case number = "id"
        case name, country, population, deliveryMinutes
    }
}
