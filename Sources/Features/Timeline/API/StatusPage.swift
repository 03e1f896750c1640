import Networking

/// A page of a list of statuses, newest first.
public struct StatusPage: Equatable, Sendable {
    public var statuses: [Status]
    /// The id at which the next, older page begins; `nil` if this is the last one.
    public var next: Status.ID?
    /// The number of elements that were not statuses.
    public var leftOut: Int

    public init(statuses: [Status], next: Status.ID? = nil, leftOut: Int = 0) {
        self.statuses = statuses
        self.next = next
        self.leftOut = leftOut
    }

    init(statuses: [Status], links: LinkHeader, leftOut: Int) {
        self.init(statuses: statuses, next: links["next"]?.parameter("max_id"), leftOut: leftOut)
    }
}
