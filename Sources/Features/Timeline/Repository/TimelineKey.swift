import Persistence

/// The lists of statuses that screens show.
public enum TimelineKey: ListKey, Codable {
    public typealias Target = Status

    case home
    case account(Account.ID)
    case ancestors(Status.ID)
    case descendants(Status.ID)
}
