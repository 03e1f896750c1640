import Feedback
import Networking
import Persistence

/// An error of a feature that fetches from a service and keeps data in a store.
///
/// ```swift
/// func refresh() -> SignalProducer<Changes, DataError> {
///     fetch().mapError(DataError.service)
///         .flatMap(.latest) { store.merge($0).mapError(DataError.store) }
/// }
/// ```
public enum DataError: Error, Equatable, Sendable {
    /// The service could not be reached, or its answer could not be read.
    case service(CoreError)
    /// The store failed.
    case store(StoreError)
}

extension DataError: ExpressibleByCancellation {
    public static var cancelled: DataError { .service(.cancelled) }
}

extension DataError: CustomStringConvertible {
    /// The description of the underlying error.
    public var description: String {
        switch self {
        case let .service(error): "\(error)"
        case let .store(error): "\(error)"
        }
    }
}
