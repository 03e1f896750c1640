import CSQLite

/// The objects of a table that a transaction changes, while they are few.
protocol SQLiteEditing: AnyObject {
    /// Returns the changes as they are at the end of the transaction; nil if they are too many.
    func result(on connection: SQLiteConnection) throws(StoreError) -> TableEdit?
}

final class SQLiteEdit<Object: Identifiable & Sendable>: SQLiteEditing where Object.ID: Primitive {
    /// The greatest number of versions of objects that are kept. To read more of them again by their ids would cost as
    /// much as most answers.
    private static var maximum: Int { 32 }

    private let table: SQLiteTable<Object>
    private var versions: [Object]? = []

    init(_ table: SQLiteTable<Object>) { self.table = table }

    func note(_ objects: [Object]) {
        guard let count = versions?.count else { return }
        if count + objects.count > Self.maximum { versions = nil } else { versions?.append(contentsOf: objects) }
    }

    func result(on connection: SQLiteConnection) throws(StoreError) -> TableEdit? {
        guard let versions else { return nil }
        var ids: [PrimitiveValue] = []
        var present: [Object] = []
        // The rows are read again, since a batch may have been undone, and since a property may change a little when it
        // is stored.
        for version in versions {
            let id = version.id.primitiveValue
            if ids.contains(id) { continue }
            ids.append(id)
            if let object = try table.object(withId: version.id, on: connection) { present.append(object) }
        }
        return TableEdit(touched: ObservedObjects(versions), present: ObservedObjects(present))
    }
}

// MARK: - In a transaction

extension SQLiteDatabase.Writer {
    /// Prepares to record the changes of the transaction that has just begun.
    func beginChanges() throws(StoreError) {
        ownRows = SQLiteDatabase.OwnRows(firstChange: connection.totalChanges)
        if connection.dataVersion != dataVersion {
            try connection.noteOtherSchema()
            changes.noteOtherWriters()
        }
        if !changes.isEmpty { allRows.begin(on: connection) }
    }

    /// Completes the record of the changes, before they are committed.
    func endChanges() {
        guard failure == nil else { return }
        noteTriggers()
        for (name, edit) in edits where changes.concerns(name) {
            do throws(StoreError) {
                if let edit = try edit.result(on: connection) { changes.note(edit, of: name) }
            } catch {
                // A row cannot be read. Without an edit, the queries that the changes concern ask again.
            }
        }
        changes.willCommit()
    }

    /// Ends the record of the changes, whether or not the transaction has succeeded.
    func stopCounting() {
        allRows.end(on: connection)
        edits = [:]
    }

    /// Records the number of rows of a table that a statement has changed, without those that triggers have changed.
    func countRows(_ count: Int, of table: String, by statement: SQLiteStatement) {
        ownRows.count += count
        if !changes.isEmpty { ownRows.byTable[table, default: 0] += count }
        if statement.targets.tables.count > 1 { ownRows.triggerTargets.formUnion(statement.targets.tables) }
    }

    /// Records the tables whose rows a trigger or a foreign key has changed, or has left as they were.
    private func noteTriggers() {
        let count = connection.totalChanges - ownRows.firstChange
        if count == ownRows.count { return }
        if ownRows.hasFailedStep { return changes.noteAnything() }
        // SQLite does not report the rows of tables without row ids. A query that is not observed yet may be before the
        // transaction has ended.
        let reported = changes.isEmpty ? [:] : allRows.byTable
        let isComplete = !changes.isEmpty && count == allRows.total
        let tables = isComplete ? Set(reported.keys) : ownRows.triggerTargets
        for table in tables.union(ownRows.byTable.keys) {
            let own = ownRows.byTable[table] ?? 0
            let isUnchanged = reported[table] ?? 0 == own && (isComplete || own > 0)
            if !isUnchanged { changes.noteAnything(table: table) }
        }
    }

    /// Records versions of changed objects, before or after the change.
    func note<Object>(_ objects: [Object], of table: SQLiteTable<Object>) {
        // To an observer of another store, the same rows may be other objects.
        if table.columns.differ { return changes.noteAnything(table: table.name) }
        changes.note(table: table.name, objects)
        let edit = edits[table.name] as? SQLiteEdit<Object> ?? SQLiteEdit(table)
        edit.note(objects)
        edits[table.name] = edit
    }
}
