import Feedback
import Foundation

/// The file in which a ``NormalizedCache`` keeps its entities and lists from one launch to the next.
///
///     let file = try CacheFile(
///         at: path, kinds: [.entities(of: Status.self, named: "status"), .lists(of: TimelineKey.self, named: "timeline")])
///     let cache = try NormalizedCache(limits: CacheLimits(count: 5_000), file: file)
///
/// It is a SQLite database. After each change of the cache it is written on a queue of its own, in one transaction that
/// never holds half of a change. The file has the values that the server knows, without optimistic changes. Types that
/// are not among the kinds are not written.
///
/// A row that no longer decodes, because its type has changed, is deleted: it is a copy, and can be fetched again.
public final class CacheFile: Sendable {
    private let store: SQLiteStore<Row>
    private let kinds: [any CacheKind]
    private let queue = DispatchQueue(label: "Feedback.CacheFile", qos: .utility)
    private let queueMark = DispatchSpecificKey<Bool>()
    private let failed = Locked(PendingRows())
    private let errorObserver: Signal<StoreError, NoError>.Observer

    /// The errors of writes that failed in the background. What could not be written is written again together with the
    /// next change.
    public let errors: Signal<StoreError, NoError>

    /// The types that a file keeps.
    public struct Kind: Sendable {
        /// Each file has kinds of its own, which know its rows.
        let make: @Sendable () -> any CacheKind

        /// The entities of a type.
        ///
        /// - Parameter name: The name in the file, which must stay the same when the type is renamed.
        public static func entities<Target: Entity & Codable>(
            of type: Target.Type, named name: String
        ) -> Kind where Target.ID: Encodable {
            Kind { EntityKind<Target>(name: name) }
        }

        /// The lists of a type of key.
        ///
        /// - Parameter name: The name in the file, which must stay the same when the type is renamed.
        public static func lists<Key: ListKey & Codable>(
            of type: Key.Type, named name: String
        ) -> Kind where Key.Target.ID: Codable {
            Kind { ListKind<Key>(name: name) }
        }
    }

    /// Opens the file, or makes it if there is none.
    ///
    /// Throws if the file is damaged or is not a cache file. It holds only copies, so an app may then delete it and
    /// begin empty.
    public convenience init(at path: String, kinds: [Kind]) throws(StoreError) {
        try self.init(in: SQLiteDatabase(.file(path)), kinds: kinds)
    }

    /// Keeps the cache in a table of a database.
    ///
    /// - Parameter table: The name of the table. Each cache in a database needs a table of its own: two caches in one table would
    ///   read each other's rows, and removing all of one would empty the file of the other.
    public init(in database: SQLiteDatabase, table: String = "feedback_cache", kinds: [Kind]) throws(StoreError) {
        store = try SQLiteStore(Row.schema(table), in: database)
        self.kinds = kinds.map { $0.make() }
        (errors, errorObserver) = Signal.pipe()
        queue.setSpecific(key: queueMark, value: true)
    }

    // MARK: - Restoring

    func restore(into core: CacheCore) throws(StoreError) {
        var removed: [String] = []
        // Those that were stored first are evicted first.
        for row in try store.answer(store.sorted(by: \.storedAt)) {
            let kind = kinds.first { $0.name == row.kind }
            do {
                if let older = try kind?.restore(row, into: core) { removed.append(older) }
            } catch {
                removed.append(row.id)
            }
        }
        // If they cannot be deleted now, because another process writes or the disk is full, they are at the next launch.
        if !removed.isEmpty { try? replace([], removing: removed) }
    }

    // MARK: - Writing

    /// Writes the changes soon, on the file's queue.
    func write(_ storage: CacheStorage) {
        queue.async { [self] in
            if let error = writeNow(storage) { errorObserver.send(value: error) }
        }
    }

    /// Writes the changes, and returns when they are in the file.
    func flush(_ storage: CacheStorage) throws(StoreError) {
        // The queue may be waiting for the transaction of the caller.
        try store.database.checkNotInside()
        // An observer of the errors, which flushes to try again, is called on the queue.
        let isOnQueue = DispatchQueue.getSpecific(key: queueMark) == true
        let error = isOnQueue ? writeNow(storage) : queue.sync { writeNow(storage) }
        if let error { throw error }
    }

    private func writeNow(_ storage: CacheStorage) -> StoreError? {
        let (rows, areAll) = storage.withLock { $0.takeRows(for: self) }
        var pending = failed.withLock { failed in
            defer { failed = PendingRows() }
            return failed
        }
        if areAll {
            pending = PendingRows(areAll: true)
            for kind in kinds { kind.forgetRows() }
        }
        for row in rows { pending.rows[row.id()] = row }
        guard pending.areAll || !pending.rows.isEmpty else { return nil }
        var kept: [Row] = []
        var removed: [String] = []
        for (id, row) in pending.rows {
            if let body = row.body() {
                kept.append(Row(id: id, kind: row.kind, body: body, storedAt: row.storedAt))
            } else {
                removed.append(id)
            }
        }
        do throws(StoreError) {
            try replace(kept, removing: removed, areAll: pending.areAll)
            for id in removed { pending.rows[id]?.forget() }
            return nil
        } catch {
            failed.withLock { failed in failed = pending }
            return error
        }
    }

    private func replace(_ kept: [Row], removing removed: [String], areAll: Bool = false) throws(StoreError) {
        try store.perform { transaction throws(StoreError) in
            if areAll { try transaction.delete(where: .always) }
            try transaction.upsert(kept)
            try transaction.delete(ids: removed)
        }
    }

    // MARK: - Rows

    /// A row of the file.
    struct Row: Identifiable, Sendable {
        let id: String
        let kind: String
        let body: Data
        let storedAt: Date

        static func schema(_ table: String) -> Schema<Row> {
            Schema(
                table, Row.init, Column("id", \.id), Column("kind", \.kind), Column("body", \.body),
                Column("stored_at", \.storedAt))
        }
    }

    /// A row that is encoded when it is written, away from the cache's lock.
    @usableFromInline
    struct PendingRow: Sendable {
        let kind: String
        let storedAt: Date
        let id: @Sendable () -> String
        /// Forgets the id of a row that was deleted.
        let forget: @Sendable () -> Void
        /// `nil` if there is nothing to keep any more.
        let body: @Sendable () -> Data?
    }

    /// The rows to be written.
    private struct PendingRows {
        /// True if all other rows are to be deleted.
        var areAll = false
        /// By their ids.
        var rows: [String: PendingRow] = [:]
    }

    func row<Target: Entity>(
        of type: Target.Type, _ id: Target.ID, _ entity: Target?, _ storedAt: Date
    ) -> PendingRow? {
        kinds.lazy.compactMap { $0.row(of: id, entity, storedAt) }.first
    }

    func row<Key: ListKey>(of key: Key, _ list: EntityList<Key.Target.ID>?) -> PendingRow? {
        kinds.lazy.compactMap { $0.row(of: key, list) }.first
    }
}
