import Feedback
import Networking
import Persistence

/// The database of the quakes and of the feed versions that they came from.
///
/// Both are written in one transaction: the version of a feed is never kept without its quakes. Deleting quakes forgets
/// the versions, so that the next refresh fetches the deleted ones again.
public struct QuakeDatabase: Sendable {
    private let quakes: SQLiteStore<Quake>
    private let versions: SQLiteStore<FeedVersion>

    /// Opens the database, and creates it if it does not exist.
    public init(_ location: SQLiteDatabase.Location) throws(StoreError) {
        try self.init(SQLiteDatabase(location))
    }

    public init(_ database: SQLiteDatabase) throws(StoreError) {
        quakes = try SQLiteStore(Quake.schema, in: database)
        versions = try SQLiteStore(FeedVersion.schema, in: database)
    }

    /// All quakes, in the order of their ids.
    public func fetchQuakes() -> SignalProducer<[Quake], StoreError> { quakes.all().result() }

    /// The version of a feed that was merged last; `nil` if quakes have been deleted since then.
    func version(of period: QuakePeriod) -> SignalProducer<ResourceVersion?, StoreError> {
        versions.object(withId: period.rawValue).map { $0?.version }
    }

    /// Writes the difference between a feed and the stored quakes, and emits it. Writes nothing if they do not differ.
    func merge(
        _ feed: [Quake], of period: QuakePeriod, version: ResourceVersion?
    ) -> SignalProducer<QuakeChanges, StoreError> {
        quakes.transaction { [quakes, versions] stored throws(StoreError) in
            let changes = try Self.changes(from: feed, to: stored, all: quakes.all())
            if !changes.inserted.isEmpty { try stored.insert(changes.inserted) }
            if !changes.updated.isEmpty { try stored.update(changes.updated) }
            if !changes.deleted.isEmpty { try stored.delete(changes.deleted) }
            let versions = try stored.with(versions)
            let known = try versions.object(withId: period.rawValue)
            let new = version.map { FeedVersion(period, $0) }
            switch (known, new) {
            case let (_, new?) where new != known: try versions.upsert([new])
            case let (known?, nil): try versions.delete([known])
            default: break
            }
            return changes
        }
    }

    func delete(_ id: Quake.ID) -> SignalProducer<Never, StoreError> {
        deleting { quakes throws(StoreError) in try quakes.delete(ids: [id]) }
    }

    func deleteAll() -> SignalProducer<Never, StoreError> {
        deleting { quakes throws(StoreError) in try quakes.delete(where: .always) }
    }

    private func deleting(
        _ body: @escaping @Sendable (SQLiteTransaction<Quake>) throws(StoreError) -> Int
    ) -> SignalProducer<Never, StoreError> {
        let deletion = quakes.transaction { [versions] stored throws(StoreError) in
            _ = try body(stored)
            let versions = try stored.with(versions)
            for period in QuakePeriod.allCases { try versions.delete(ids: [period.rawValue]) }
        }
        return deletion.then(SignalProducer<Never, StoreError>.empty)
    }

    /// Looks up each quake of a short feed; reads all stored quakes for a long feed.
    private static func changes(
        from feed: [Quake], to stored: SQLiteTransaction<Quake>, all: Query<SQLiteStore<Quake>>
    ) throws(StoreError) -> QuakeChanges {
        guard try feed.count * 4 > stored.count(all) else {
            return try QuakeChanges(from: feed, stored: { id throws(StoreError) in try stored.object(withId: id) })
        }
        let known = try stored.execute(all)
        let byId = Dictionary(known.lazy.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return QuakeChanges(from: feed, stored: { byId[$0] })
    }
}

/// The version of a feed that the stored quakes came from.
private struct FeedVersion: Identifiable, Equatable, Sendable {
    var id: String
    var tag: String?
    var lastModified: String?

    static let schema = Schema<FeedVersion>(
        "feeds", FeedVersion.init, Column("period", \.id), Column("tag", \.tag),
        Column("last_modified", \.lastModified))

    var version: ResourceVersion? { ResourceVersion(tag: tag, lastModified: lastModified) }
}

extension FeedVersion {
    init(_ period: QuakePeriod, _ version: ResourceVersion) {
        self.init(id: period.rawValue, tag: version.tag, lastModified: version.lastModified)
    }
}
