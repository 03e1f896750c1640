import Feedback
import Networking
import Sync

/// The work that the screen of the quakes needs. Deletions are carried out in the order in which they are started.
public protocol QuakesBusinessControllerProtocol: Sendable {
    /// The quakes in the database.
    func fetchQuakes() -> SignalProducer<QuakeCatalog, DataError>
    /// Fetches a feed, writes the difference to the database, and emits it.
    func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, DataError>
    /// Deletes the quake with an id from the database, if it is there.
    func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, DataError>
    /// Deletes all quakes from the database.
    func deleteAllQuakes() -> SignalProducer<Never, DataError>
}

/// The result of a refresh.
public struct QuakeRefresh: Equatable, Sendable {
    public var changes: QuakeChanges
    /// The number of features that could not be read as a quake; `nil` if the feed has not changed since the last
    /// refresh.
    public var leftOut: Int?

    public init(changes: QuakeChanges = QuakeChanges(), leftOut: Int? = nil) {
        self.changes = changes
        self.leftOut = leftOut
    }
}

/// Fetches feeds from a backend, and keeps the quakes in a database.
///
/// It uses the database on one serial scheduler, which also delivers the results. So the results arrive in the order of
/// the transactions, and a state that applies them in this order agrees with the database.
public struct QuakesBusinessController: QuakesBusinessControllerProtocol {
    private let accessible: any Accessible
    private let database: QuakeDatabase
    private let scheduler: any Scheduler

    /// - Parameter scheduler: A serial scheduler, on which the database is used.
    public init(
        accessible: any Accessible, database: QuakeDatabase,
        scheduler: any Scheduler = QueueScheduler(name: "Quakes.database")
    ) {
        self.accessible = accessible
        self.database = database
        self.scheduler = scheduler
    }

    public func fetchQuakes() -> SignalProducer<QuakeCatalog, DataError> {
        database.fetchQuakes()
            .map { QuakeCatalog($0) }
            .mapError(DataError.store)
            .start(on: scheduler)
    }

    public func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, DataError> {
        database.version(of: period)
            .mapError(DataError.store)
            .start(on: scheduler)
            .flatMap(.latest) { version in
                accessible.access(QuakesService.fetchFeed(period).ifChanged(since: version))
                    .mapError(DataError.service)
            }
            .flatMap(.latest) { answer in merge(answer, of: period) }
    }

    private func merge(
        _ answer: Conditional<QuakeFeed>, of period: QuakePeriod
    ) -> SignalProducer<QuakeRefresh, DataError> {
        guard case let .changed(feed, version) = answer else { return SignalProducer(value: QuakeRefresh()) }
        return database.merge(feed.quakes, of: period, version: version)
            .map { QuakeRefresh(changes: $0, leftOut: feed.skipped.count) }
            .mapError(DataError.store)
            .start(on: scheduler)
    }

    public func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, DataError> {
        database.delete(id).mapError(DataError.store).start(on: scheduler)
    }

    public func deleteAllQuakes() -> SignalProducer<Never, DataError> {
        database.deleteAll().mapError(DataError.store).start(on: scheduler)
    }
}
