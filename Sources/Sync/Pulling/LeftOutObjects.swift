import Feedback
import Persistence

/// The objects of a table that were left out of the server's answers, since they cannot be read.
///
/// They are kept in the database, since a pull does not fetch an object again that has not changed.
final class LeftOutObjects: Sendable {
    let all: Property<[UnreadableObject]>
    private let known: MutableProperty<[UnreadableObject]>
    /// `true` if the database may have entries.
    private let isUsed: Locked<Bool>
    private let table: String
    private let store: SQLiteStore<UnreadableObject>

    init(of table: String, in outbox: Outbox) throws(StoreError) {
        store = try SQLiteStore(UnreadableObject.schema, in: outbox.database)
        self.table = table
        do throws(StoreError) {
            known = MutableProperty(try store.answer(Self.query(store, table)))
        } catch {
            guard case .unreadable = error else { throw error }
            // The file is damaged. The next pulls compare all objects.
            let cursors = try SQLiteStore(PullCursor.schema, in: outbox.database)
            try store.perform { transaction throws(StoreError) in
                try transaction.delete(where: .always)
                try transaction.with(cursors).delete(where: .always)
            }
            known = MutableProperty([])
        }
        all = Property(known)
        isUsed = Locked(!known.value.isEmpty)
    }

    private static func query(
        _ store: SQLiteStore<UnreadableObject>, _ table: String
    ) -> Query<SQLiteStore<UnreadableObject>> {
        store.filter(where: \.table == table).sorted(by: \.id)
    }

    /// Records an answer in the transaction that merges it.
    ///
    /// - Parameter ids: The objects that can be read now, or are gone, unless they are left out again; nil for all.
    func note<ID: Primitive, Object>(
        _ leftOut: [UnreadableObject], answering ids: [ID]?, in transaction: SQLiteTransaction<Object>
    ) throws(StoreError) {
        if leftOut.isEmpty, !isUsed.withLock(\.self) { return }
        isUsed.withLock { $0 = true }
        let rows = try transaction.with(store)
        if let ids {
            // Not read before: there may be many.
            let answered = Set(ids.compactMap(\.primitiveValue.postgresText).map { "\(table)/\($0)" })
            try rows.delete(ids: Array(answered.subtracting(leftOut.map(\.id))))
        } else {
            try rows.delete(where: \.table == table)
        }
        try rows.upsert(leftOut)
    }

    /// Shows what was recorded. Call it after the transaction.
    func refresh() throws(StoreError) {
        let query = Self.query(store, table)
        guard isUsed.withLock(\.self), try store.answer(query) != known.value else { return }
        var failure: StoreError?
        // The value is read in the property's own turn, since another transaction may have ended meanwhile.
        known.modify { value in
            do throws(StoreError) { value = try store.answer(query) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Throws if one of these objects was left out: a write would be based on an object that was never seen.
    func check(_ ids: some Sequence<some Primitive>) throws(StoreError) {
        let all = all.value
        if all.isEmpty { return }
        let objects = Dictionary(all.map { ($0.objectID, $0) }, uniquingKeysWith: { $1 })
        for id in ids {
            if let object = id.primitiveValue.postgresText.flatMap({ objects[$0] }) { throw object.error }
        }
    }
}

extension UnreadableObject {
    fileprivate static let schema = Schema(
        "outbox_unreadable",
        { (_: String, table, id, column, found) in
            UnreadableObject(table: table, objectID: id, column: column, found: found)
        },
        Column("id", \.id), Column("table", \.table), Column("object", \.objectID), Column("column", \.column),
        Column("found", \.found))
}
