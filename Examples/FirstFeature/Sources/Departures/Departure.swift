/// A train that leaves.
public struct Departure: Codable, Equatable, Identifiable, Sendable {
    public var id: Int
    public var destination: String
    public var minutes: Int
}
