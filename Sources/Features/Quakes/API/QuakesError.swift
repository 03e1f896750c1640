import Feedback
import Networking
import Persistence

/// Why something could not be done with quakes.
public enum QuakesError: Error, Equatable, Sendable {
    /// The feed could not be fetched or read.
    case feed(CoreError)
    /// The database failed.
    case database(StoreError)
}

extension QuakesError: ExpressibleByCancellation {
    public static var cancelled: QuakesError { .feed(.cancelled) }
}

extension QuakesError: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .feed(error): "\(error)"
        case let .database(error): "\(error)"
        }
    }
}
