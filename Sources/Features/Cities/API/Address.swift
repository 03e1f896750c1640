/// The address of a delivery.
public struct Address: Codable, Equatable, Sendable {
    public var recipient: String
    public var street: String
    public var postalCode: String
    public var city: String

    public init(recipient: String, street: String, postalCode: String, city: String) {
        self.recipient = recipient
        self.street = street
        self.postalCode = postalCode
        self.city = city
    }
}
