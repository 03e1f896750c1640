import LocalBackend
import Persistence
import Sync

/// The record of a table's deletions, and of the numbers of its changes, which are in the order of its transactions.
struct TableHistory<S: TransactionalStore>: Sendable {
    private let number: WritableKeyPath<S.Object, Int> & Sendable
    private let deletions: any TransactionalStore<Deletion<S.Object.ID>>
    private let extents: any TransactionalStore<HistoryExtent>
    private let schema: Schema<S.Object>
    /// The number of changes after which a deletion is forgotten.
    private let kept: Int

    init(
        _ schema: Schema<S.Object>, numberedBy number: WritableKeyPath<S.Object, Int> & Sendable,
        deletions: some TransactionalStore<Deletion<S.Object.ID>>, extents: some TransactionalStore<HistoryExtent>,
        keeping kept: Int
    ) {
        self.schema = schema
        self.number = number
        self.deletions = deletions
        self.extents = extents
        self.kept = kept
    }

    // MARK: - Writing

    /// Sets the number of this change in an object that is about to be stored.
    func note(_ object: inout S.Object, in transaction: S.Transaction) throws(StoreError) {
        object[keyPath: number] = try next(Self.transaction(extents, in: transaction)).last
    }

    /// Records the deletions of objects, and forgets old ones.
    func noteDeletion(of objects: [S.Object], in transaction: S.Transaction) throws(StoreError) {
        if objects.isEmpty { return }
        let extents = try Self.transaction(extents, in: transaction)
        let deletions = try Self.transaction(deletions, in: transaction)
        for object in objects { try deletions.upsert([Deletion(id: object.id, number: next(extents).last)]) }
        let extent = try current(extents)
        let forgotten = max(extent.forgotten, extent.last - kept)
        guard forgotten > extent.forgotten else { return }
        try deletions.delete(where: \.number <= forgotten)
        try extents.update([HistoryExtent(id: extent.id, last: extent.last, forgotten: forgotten)])
    }

    private func next(
        _ extents: any StoreTransaction<AnyStore<HistoryExtent>>
    ) throws(StoreError) -> HistoryExtent {
        let extent = try current(extents)
        let next = HistoryExtent(id: extent.id, last: extent.last + 1, forgotten: extent.forgotten)
        try extents.upsert([next])
        return next
    }

    private func current(
        _ extents: any StoreTransaction<AnyStore<HistoryExtent>>
    ) throws(StoreError) -> HistoryExtent {
        try extents.object(withId: schema.name) ?? HistoryExtent(id: schema.name, last: 0, forgotten: 0)
    }

    private static func transaction<Object>(
        _ store: any TransactionalStore<Object>, in transaction: S.Transaction
    ) throws(StoreError) -> any StoreTransaction<AnyStore<Object>> {
        func open(
            _ store: some TransactionalStore<Object>
        ) throws(StoreError) -> any StoreTransaction<AnyStore<Object>> {
            AnyTransaction(try transaction.with(store), of: store)
        }
        return try open(store)
    }

    // MARK: - Reading

    /// Serves the deletions and the extent of the history for reading.
    func serve(on backend: LocalBackend, at path: String, maximumRows: Int?) {
        Self.serve(deletions, Deletion.schema(of: schema), on: backend, at: path + "_deleted", maximumRows)
        Self.serve(extents, HistoryExtent.schema(of: schema), on: backend, at: path + "_history", maximumRows)
    }

    private static func serve<Object>(
        _ store: any TransactionalStore<Object>, _ schema: Schema<Object>, on backend: LocalBackend, at path: String,
        _ maximumRows: Int?
    ) {
        func open(_ store: some TransactionalStore<Object>) {
            let table = Table(store, schema, maximumRows: maximumRows)
            backend.get(path) { await table.respond(to: $0, table.read) }
        }
        open(store)
    }
}
