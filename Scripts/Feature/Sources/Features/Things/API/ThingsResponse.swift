import Networking

/// The server's list. An element that cannot be read is left out, and `$things` says which one and why.
public struct ThingsResponse: Decodable, Equatable, Sendable {
    @Pruned public var things: [Thing]

    public init(things: [Thing], skipped: [SkippedElement] = []) {
        _things = Pruned(wrappedValue: things, skipped: skipped)
    }
}
