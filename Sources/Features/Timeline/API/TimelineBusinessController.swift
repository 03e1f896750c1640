import Feedback
import Networking
import Persistence

/// The data and the changes that the screens of the timeline need.
///
/// Watched values come from a cache that all screens share, so each screen sees the changes of the others.
public protocol TimelineBusinessControllerProtocol: Sendable {
    /// Emits the known part of the home timeline; `nil` before it was first fetched.
    func watchHome() -> SignalProducer<CachedList<Status>?, NoError>
    /// Fetches new statuses and adds them to the top of the home timeline. Like all fetches, it emits the number of
    /// elements that could not be read.
    func refreshHome() -> SignalProducer<Int, CoreError>
    /// Fetches the next page of the home timeline.
    func fetchOlderHome() -> SignalProducer<Int, CoreError>
    /// Fetches statuses that are missing after a status of the home timeline.
    func fillGap(after id: Status.ID) -> SignalProducer<Int, CoreError>

    /// Emits the known part of a status and its thread; `nil` while the status is not known.
    func watchThread(of id: Status.ID) -> SignalProducer<StatusThread?, NoError>
    func fetchThread(of id: Status.ID) -> SignalProducer<Int, CoreError>
    /// Performs an act on a status, and shows it at once on all screens. If the server refuses, the act is taken back
    /// and the producer fails. The act continues if the producer is disposed of.
    func perform(_ act: StatusAct) -> SignalProducer<Never, CoreError>
    /// Emits each refusal of an act or of a renaming from now on, whichever screen has asked for it, and `nil` when the
    /// next one begins.
    func watchRefusals() -> SignalProducer<Refusal?, NoError>

    /// Emits the known part of an account and its statuses; `nil` while the account is not known.
    func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError>
    func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError>
    /// Fetches the next page of the statuses of an account.
    func fetchOlderStatuses(of id: Account.ID) -> SignalProducer<Int, CoreError>
    /// Renames the signed-in account, and shows the name at once on all screens. If the server refuses, the old name is
    /// shown again and the producer fails. The renaming continues if the producer is disposed of.
    func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError>
}

public struct TimelineBusinessController: TimelineBusinessControllerProtocol {
    private let home: HomeTimelineRepository
    private let statuses: StatusRepository
    private let accounts: AccountRepository
    /// The last refusal, until the next act or renaming.
    private let refusal = MutableProperty<Refusal?>(nil)

    /// - Parameter cache: The cache of statuses and accounts. With a file (see ``CacheFile``), the last screen is there
    ///   at launch.
    public init(accessible: any AuthenticatedAccessible, cache: NormalizedCache = Self.makeCache()) {
        home = HomeTimelineRepository(accessible: accessible, cache: cache)
        statuses = StatusRepository(accessible: accessible, cache: cache, refusal: refusal)
        accounts = AccountRepository(accessible: accessible, cache: cache, refusal: refusal)
    }

    /// The limits of a cache for a timeline: 10,000 entities, and the lists of the screens that were left last.
    public static let cacheLimits = CacheLimits(count: 10_000, unwatchedLists: 40)

    /// The kinds of entities and lists that a file of a timeline keeps.
    public static let cacheKinds: [CacheFile.Kind] = [
        .entities(of: Status.self, named: "status"), .entities(of: Account.self, named: "account"),
        .lists(of: TimelineKey.self, named: "timeline"),
    ]

    /// Makes a cache in memory.
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
    public func watchRefusals() -> SignalProducer<Refusal?, NoError> { refusal.producer.skipRepeats().skip(first: 1) }

    // MARK: - Accounts

    public func watchProfile(of id: Account.ID) -> SignalProducer<Profile?, NoError> { accounts.watchProfile(of: id) }
    public func fetchProfile(of id: Account.ID) -> SignalProducer<Int, CoreError> { accounts.fetchProfile(of: id) }
    public func fetchOlderStatuses(of id: Account.ID) -> SignalProducer<Int, CoreError> { accounts.fetchOlder(of: id) }

    public func rename(_ id: Account.ID, to name: String) -> SignalProducer<Never, CoreError> {
        accounts.rename(id, to: name)
    }
}
