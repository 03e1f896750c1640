import Networking
import Persistence
import Presentation

/// The content of a list of statuses, or its state if there is none.
public enum TimelineContent: Equatable, Sendable {
    /// Nothing is known, and nothing is being loaded.
    case initial
    /// Nothing is known yet; the list is being loaded.
    case loading
    case noStatuses
    case statuses([Status])
    /// Nothing is known, and the request has failed.
    case failure(CoreError)

    init(_ timeline: CachedList<Status>?, _ loading: Attempt<CoreError>) {
        if let timeline {
            self = timeline.entities.isEmpty ? .noStatuses : .statuses(timeline.entities)
        } else if let error = loading.failure {
            self = .failure(error)
        } else {
            self = loading.isUnderWay ? .loading : .initial
        }
    }
}
