import Feedback
import Networking
import Persistence

/// An error of the quakes' feeds or of their database.
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
