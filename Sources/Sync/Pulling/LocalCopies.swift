import Feedback
import Persistence

/// The local copies of objects of the server.
struct LocalCopies<Object: Identifiable & Sendable> where Object.ID: Primitive {
    var objects: [Object]
    /// The ids of the copies that cannot be read: the file is damaged, or another version of the program has stored them.
    var damaged: Set<Object.ID> = []
    /// `true` if some of the table's copies cannot be read.
    var areDamaged = false
}

extension OutboxTables {
    /// Returns the copies in a part of the table, in the transaction that replaces them by the server's.
    ///
    /// A copy with an id that cannot be read, or that no condition finds, is removed at once.
    func copies(
        _ all: Query<SQLiteStore<Object>>, of schema: Schema<Object>
    ) throws(StoreError) -> LocalCopies<Object> {
        do throws(StoreError) {
            return LocalCopies(objects: try objects.execute(all))
        } catch {
            guard case .unreadable = error else { throw error }
        }
        var copies = LocalCopies<Object>(objects: [], areDamaged: true)
        let key = schema.id.name
        for row in try objects.rows("SELECT \(name: key) FROM \(name: schema.name)") {
            guard let id = Object.ID(primitiveValue: row[0]),
                let isID = Condition(schema.id.attribute, .equal, id.primitiveValue),
                try objects.count(Query(store: all.store, condition: isID)) > 0
            else {
                try objects.execute("DELETE FROM \(name: schema.name) WHERE \(name: key) IS \(row[0])")
                continue
            }
            do throws(StoreError) {
                copies.objects += try objects.execute(all.filter(where: isID))
            } catch {
                guard case .unreadable = error else { throw error }
                copies.damaged.insert(id)
            }
        }
        return copies
    }
}

extension SyncedStore {
    /// Throws `StoreError.unreadable(table:id:column:found:)` if a local object cannot be read. All are read once, since a
    /// pull of changes would mend only those that have changed on the server.
    func checkCopies() async throws(StoreError) {
        if isChecked.withLock(\.self) { return }
        var last: Object?
        repeat {
            last = try await local.all().page(after: last, limit: 1_000).result().last
        } while last != nil
        isChecked.withLock { $0 = true }
    }
}

extension SQLiteTransaction {
    /// Returns the object with an id; nil if there is none, or if the file is damaged and it cannot be read.
    func readable(_ id: Object.ID) throws(StoreError) -> Object? {
        do throws(StoreError) {
            return try object(withId: id)
        } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }
}

extension SQLiteStore {
    /// Returns the object with an id; nil if there is none, or if the file is damaged and it cannot be read.
    func readable(_ id: Object.ID) throws(StoreError) -> Object? {
        do throws(StoreError) {
            return try find(id)
        } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }
}
