import Networking
import Persistence
import Presentation

/// The condition of a list of statuses.
public enum TimelineContent: Equatable, Sendable {
    /// Nothing is known, and nothing was asked for.
    case initial
    /// Nothing is known yet.
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
