import Feedback
import Networking
import Persistence

/// The data and the changes that the screens of the timeline need.
///
/// Values that are watched come from a cache that all screens share: all see the changes of each.
public protocol TimelineBusinessControllerProtocol: Sendable {
    /// The home timeline as it is known; `nil` before it was fetched for the first time.
    func watchHome() -> SignalProducer<CachedList<Status>?, NoError>
    /// Puts what is new on top of the home timeline. Like all that fetch, it sends how many elements could not be read.
    func refreshHome() -> SignalProducer<Int, CoreError>
    /// Fetches the next page of the home timeline.
    func fetchOlderHome() -> SignalProducer<Int, CoreError>
    /// Fetches what is missing after a status of the home timeline.
    func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError>

    /// A status and its thread as they are known; `nil` while the status is not.
    func watchThread(of id: Status.ID) -> SignalProducer<StatusThread?, NoError>
    func fetchThread(of id: Status.ID) -> SignalProducer<Int, CoreError>
    /// Does something with a status, at once on all screens. Fails, and takes it back, if the server refuses.
    func perform(_ act: StatusAct) -> SignalProducer<Never, CoreError>

    /// An account and its statuses as they are known; `nil` while the account is not.
    func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError>
    func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError>
    /// Fetches the next page of the statuses of an account.
    func fetchOlderStatuses(of id: Account.ID) -> SignalProducer<Int, CoreError>
    /// Renames the account that is signed in, at once on all screens. Fails, and takes it back, if the server refuses.
    func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError>
}

public struct TimelineBusinessController: TimelineBusinessControllerProtocol {
    private let home: HomeTimelineRepository
    private let statuses: StatusRepository
    private let accounts: AccountRepository

    /// - Parameter cache: What is known. With a file (see ``CacheFile``), the last screen is there at launch.
    public init(accessible: any AuthenticatedAccessible, cache: NormalizedCache = Self.makeCache()) {
        home = HomeTimelineRepository(accessible: accessible, cache: cache)
        statuses = StatusRepository(accessible: accessible, cache: cache)
        accounts = AccountRepository(accessible: accessible, cache: cache)
    }

    /// The limits of a cache for a timeline: some thousands of statuses, and the lists of the screens that were left last.
    public static let cacheLimits = CacheLimits(count: 10_000, unwatchedLists: 40)

    /// The kinds of entities of a timeline that a file keeps.
    public static let cacheKinds: [CacheFile.Kind] = [
        .entities(of: Status.self, named: "status"), .entities(of: Account.self, named: "account"),
        .lists(of: TimelineKey.self, named: "timeline"),
    ]

    /// A cache in memory.
    public static func makeCache() -> NormalizedCache { NormalizedCache(limits: cacheLimits) }

    // MARK: - Home

    public func watchHome() -> SignalProducer<CachedList<Status>?, NoError> { home.watch() }
    public func refreshHome() -> SignalProducer<Int, CoreError> { home.refresh() }
    public func fetchOlderHome() -> SignalProducer<Int, CoreError> { home.fetchOlder() }
    public func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError> { home.fillGap(after: id) }

    // MARK: - Statuses

    public func watchThread(of id: Status.ID) -> SignalProducer<StatusThread?, NoError> { statuses.watchThread(of: id) }
    public func fetchThread(of id: Status.ID) -> SignalProducer<Int, CoreError> { statuses.fetchThread(of: id) }
    public func perform(_ act: StatusAct) -> SignalProducer<Never, CoreError> { statuses.perform(act) }

    // MARK: - Accounts

    public func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError> { accounts.watchProfile(of: id) }
    public func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError> { accounts.fetchProfile(of: id) }
    public func fetchOlderStatuses(of id: Account.ID) -> SignalProducer<Int, CoreError> { accounts.fetchOlder(of: id) }

    public func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError> {
        accounts.rename(id, to: name)
    }
}
