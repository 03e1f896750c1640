import Feedback
import Networking

/// The work that the screen of the quakes needs.
public protocol QuakesBusinessControllerProtocol: Sendable {
    /// The quakes in the database.
    func fetchQuakes() -> SignalProducer<QuakeCatalog, QuakesError>
    /// Fetches a feed, and writes to the database what it changes.
    func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, QuakesError>
    /// Deletes the quake with an id from the database, if it is there.
    func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, QuakesError>
    /// Deletes all quakes from the database.
    func deleteAllQuakes() -> SignalProducer<Never, QuakesError>
}

/// The result of a refresh.
public struct QuakeRefresh: Equatable, Sendable {
    public var changes: QuakeChanges
    /// How many features of the feed describe no quake; `nil` if the feed has not changed since it was fetched last.
    public var leftOut: Int?

    public init(changes: QuakeChanges = QuakeChanges(), leftOut: Int? = nil) {
        self.changes = changes
        self.leftOut = leftOut
    }
}

/// Fetches feeds from a backend, and keeps the quakes in a database.
///
/// The database is used on one serial scheduler, which also delivers the results: they arrive in the order in which the
/// database has changed, so that whoever applies them in that order has what the database has.
public struct QuakesBusinessController: QuakesBusinessControllerProtocol {
    private let accessible: any Accessible
    private let database: QuakeDatabase
    private let scheduler: any Scheduler

    /// - Parameter scheduler: Where the database is used: a serial one.
    public init(
        accessible: any Accessible, database: QuakeDatabase,
        scheduler: any Scheduler = QueueScheduler(name: "Quakes.database")
    ) {
        self.accessible = accessible
        self.database = database
        self.scheduler = scheduler
    }

    public func fetchQuakes() -> SignalProducer<QuakeCatalog, QuakesError> {
        database.fetchQuakes()
            .map { QuakeCatalog($0) }
            .mapError(QuakesError.database)
            .start(on: scheduler)
    }

    public func refreshQuakes(_ period: QuakePeriod) -> SignalProducer<QuakeRefresh, QuakesError> {
        database.version(of: period)
            .mapError(QuakesError.database)
            .start(on: scheduler)
            .flatMap(.latest) { version in
                accessible.access(QuakesService.fetchFeed(period).ifChanged(since: version))
                    .mapError(QuakesError.feed)
            }
            .flatMap(.latest) { answer in merge(answer, of: period) }
    }

    private func merge(
        _ answer: Conditional<QuakeFeed>, of period: QuakePeriod
    ) -> SignalProducer<QuakeRefresh, QuakesError> {
        guard case let .changed(feed, version) = answer else { return SignalProducer(value: QuakeRefresh()) }
        return database.merge(feed.quakes, of: period, version: version)
            .map { QuakeRefresh(changes: $0, leftOut: feed.skipped.count) }
            .mapError(QuakesError.database)
            .start(on: scheduler)
    }

    public func deleteQuake(_ id: Quake.ID) -> SignalProducer<Never, QuakesError> {
        database.delete(id).mapError(QuakesError.database).start(on: scheduler)
    }

    public func deleteAllQuakes() -> SignalProducer<Never, QuakesError> {
        database.deleteAll().mapError(QuakesError.database).start(on: scheduler)
    }
}
