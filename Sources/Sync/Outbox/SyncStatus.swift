import Foundation

/// The state of an outbox, for people.
public struct SyncStatus: Equatable, Sendable {
    /// The time since which nothing can be sent: there is no network, or the server fails; nil while writes are sent.
    public var offlineSince: Date?
    /// The number of writes that are still to be sent.
    public var waiting = 0
    /// The number of writes that are parked, and that a person must retry or drop.
    public var parked = 0
    /// The time at which the server last answered.
    public var lastSuccess: Date?
    /// The reason why the last request failed; nil after a success.
    public var problem: String?
    /// `true` if the server was reached at the last request, and has failed or refused the credentials.
    public var isServerReached: Bool

    /// Makes a status, for previews and tests.
    public init(
        offlineSince: Date? = nil, waiting: Int = 0, parked: Int = 0, lastSuccess: Date? = nil, problem: String? = nil,
        isServerReached: Bool = false
    ) {
        self.offlineSince = offlineSince
        self.waiting = waiting
        self.parked = parked
        self.lastSuccess = lastSuccess
        self.problem = problem
        self.isServerReached = isServerReached
    }

    /// `true` if all writes are on the server.
    public var isInStep: Bool { waiting == 0 && parked == 0 }
}
