/// A city that deliveries go to. A server may know only its name.
public struct City: Codable, Equatable, Identifiable, Sendable {
    /// The server's number of the city; nil if it does not number its cities.
    public var number: Int?
    public var name: String
    public var country: String?
    public var population: Int?
    /// The duration of a delivery, in minutes; nil if there was none yet.
    public var deliveryMinutes: Int?

    /// The number, or the name if the city has no number.
    public var id: String { number.map { "\($0)" } ?? name }

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
