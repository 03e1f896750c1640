import Networking

/// The server's list. A departure that cannot be read is left out, and `$departures` says which one and why.
public struct DeparturesResponse: Decodable, Equatable, Sendable {
    @Pruned public var departures: [Departure]

    public init(departures: [Departure]) {
        self.departures = departures
    }
}
