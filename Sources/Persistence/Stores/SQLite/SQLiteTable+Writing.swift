import CSQLite

// All functions here are called in a transaction.

extension SQLiteTable {
    func insert(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        schema.assertOrder(of: objects)
        try write(
            objects, writer.connection.statement(slots.insert, schema.insertion(in: dialect)), by: writer,
            isInsertion: true)
        note(objects, by: writer)
    }

    func update(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        if writesOnlyChanges {
            for object in objects where try !replace(object, by: writer) { throw .missing(id: object.id.printed) }
        } else {
            noteStored(objects.lazy.map { $0.id }, by: writer)
            try write(
                objects, writer.connection.statement(slots.update, schema.updating(in: dialect)), by: writer,
                failingOnNoChange: true)
        }
        note(objects, by: writer)
    }

    func upsert(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        if try readsBeforeUpsert(on: writer.connection) {
            let insert = try writer.connection.statement(slots.insert, schema.insertion(in: dialect))
            for object in objects where try !replace(object, by: writer) { try write([object], insert, by: writer) }
        } else {
            let statement = try upserting(on: writer.connection)
            noteStored(objects.lazy.map { $0.id }, by: writer)
            try write(objects, statement, by: writer)
        }
        note(objects, by: writer)
    }

    @discardableResult
    func delete(ids: some Sequence<Object.ID>, by writer: SQLiteDatabase.Writer) throws(StoreError) -> Int {
        let statement = try writer.connection.statement(
            slots.delete, schema.deleting(in: .sqlite))
        noteStored(ids, by: writer)
        var count = 0
        for id in ids {
            statement.binder.begin()
            statement.binder.bind(id.primitiveValue, at: 1)
            try writer.connection.run(statement)
            count += writer.connection.changes
        }
        writer.countRows(count, of: name, by: statement)
        return count
    }

    func delete(where condition: Condition<Object>, by writer: SQLiteDatabase.Writer) throws(StoreError) -> Int {
        let search = try schema.deleting(where: condition, in: .sqlite)
        let isNeeded = search.rest != nil
        if isNeeded || writer.changes.isObserved(name),
            let objects = try read(Question(condition: condition), isNeeded: isNeeded, by: writer)
        {
            return try delete(ids: objects.lazy.map { $0.id }, by: writer)
        }
        return try run(search.sql, by: writer)
    }

    func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>], by writer: SQLiteDatabase.Writer
    ) throws(StoreError) -> Int {
        let search = try schema.updating(where: condition, set: assignments, in: dialect)
        let setsID = assignments.contains { ids.contains($0.attribute.erased) }
        let isNeeded =
            assignments.isEmpty || setsID || search.rest != nil || !assignments.allSatisfy(\.isOfPlainProperty)
        if isNeeded || writer.changes.isObserved(name),
            let objects = try read(Question(condition: condition), isNeeded: isNeeded, by: writer)
        {
            var changes: [Object] = []
            for object in objects { changes.append(try changed(object, by: assignments)) }
            if !assignments.isEmpty { try update(changes, by: writer) }
            return changes.count
        }
        return try run(search.sql, by: writer)
    }

    /// Reads the objects that a write by condition is about.
    ///
    /// - Parameter isNeeded: False if they are read only to be told to observers. If one of their rows cannot be read then,
    ///   the result is nil, and the observers are told that anything may have changed: such a row can still be written.
    private func read(
        _ question: Question<Object>, isNeeded: Bool, by writer: SQLiteDatabase.Writer
    ) throws(StoreError) -> [Object]? {
        do throws(StoreError) {
            return try execute(question, on: writer.connection)
        } catch {
            guard case .unreadable = error, !isNeeded else { throw error }
            writer.changes.noteAnything(table: name)
            return nil
        }
    }

    func merge(
        _ objects: [Object], where condition: Condition<Object>, by writer: SQLiteDatabase.Writer
    ) throws(StoreError) -> MergeResult<Object> {
        var stored = try execute(Question(condition: condition), on: writer.connection)
        let matching = Set(stored.map { $0.id })
        if !condition.erased.isAlways {
            // Objects that do not match may be stored with the same ids.
            for object in objects where !matching.contains(object.id) {
                if let other = try self.object(withId: object.id, on: writer.connection) { stored.append(other) }
            }
        }
        let plan = try MergePlan(
            of: objects, into: stored, uniques: schema.uniques, isMatching: { matching.contains($0.id) },
            isSame: schema.isSame)
        try delete(ids: plan.deleted, by: writer)
        if !plan.updated.isEmpty { try update(plan.updated, by: writer) }
        if !plan.inserted.isEmpty { try insert(plan.inserted, by: writer) }
        return plan.result
    }

    // MARK: - Changed columns

    /// True if an update first reads the row, and then writes only the columns that change.
    ///
    /// SQLite rewrites an index if one of its columns is set, even to the same value.
    private var writesOnlyChanges: Bool { !schema.indexes.isEmpty && canWriteOnlyChanges }

    private var canWriteOnlyChanges: Bool { schema.columns.count <= ColumnSet.capacity }

    /// Returns true if an upsert first reads the row, also since the table has triggers: SQLite's own upsert overrules words
    /// in them such as `OR REPLACE`, and the columns that they set.
    private func readsBeforeUpsert(on connection: SQLiteConnection) throws(StoreError) -> Bool {
        if writesOnlyChanges || !canWriteOnlyChanges { return canWriteOnlyChanges }
        let upsert = try upserting(on: connection)
        // The actions of foreign keys are triggers without a name, and take long for a column that need not be written.
        return upsert.targets.hasTriggers || upsert.targets.tables.count > 1
    }

    private func upserting(on connection: SQLiteConnection) throws(StoreError) -> SQLiteStatement {
        try connection.statement(slots.upsert, schema.upserting(in: dialect))
    }

    /// Replaces the object with the same id; returns false if there is none.
    private func replace(_ object: Object, by writer: SQLiteDatabase.Writer) throws(StoreError) -> Bool {
        let connection = writer.connection
        let stored: Object?
        do throws(StoreError) {
            stored = try self.object(withId: object.id, on: connection)
        } catch .unreadable {
            // A row that cannot be read can still be overwritten, and may belong to any answer.
            writer.changes.noteAnything(table: name)
            try write([object], connection.statement(slots.update, schema.updating(in: dialect)), by: writer)
            return true
        }
        guard let stored else { return false }
        if writer.changes.isObserved(name) { writer.note([stored], of: self) }
        var changes = schema.changes(from: stored, to: object)
        // If nothing has changed, a column without an index is set to its own value, so that the triggers of the table
        // run.
        if changes.isEmpty, let plainColumn { changes.insert(plainColumn) }
        let statement = try connection.statement(slots.update, changes, schema.updating(changes.columns, in: dialect))
        withUnsafePointer(to: object) { schema.bind(UnsafeRawPointer($0), changes, statement.binder) }
        do throws(StoreError) {
            try connection.run(statement)
        } catch {
            throw schema.unencodable(object) ?? error
        }
        writer.countRows(connection.changes, of: name, by: statement)
        return true
    }

    /// Runs a statement whose rows are not observed; returns how many rows it changed.
    private func run(_ sql: SQLText, by writer: SQLiteDatabase.Writer) throws(StoreError) -> Int {
        writer.changes.note(table: name)
        let statement = try writer.connection.statement(sql.text)
        defer { statement.clear() }
        statement.bind(sql.values)
        try writer.connection.run(statement)
        writer.countRows(writer.connection.changes, of: name, by: statement)
        return writer.connection.changes
    }

    /// Runs a statement, whose parameters are all columns in their order, for each object.
    private func write(
        _ objects: [Object], _ statement: SQLiteStatement, by writer: SQLiteDatabase.Writer,
        failingOnNoChange: Bool = false, isInsertion: Bool = false
    ) throws(StoreError) {
        let connection = writer.connection
        let stride = MemoryLayout<Object>.stride
        let count = objects.count
        // A trigger can leave a row out.
        var changes = 0
        let failure = objects.withUnsafeBytes { objects -> (index: Int, error: StoreError)? in
            guard var object = objects.baseAddress else { return nil }
            for index in 0..<count {
                schema.bind(object, statement.binder)
                do throws(StoreError) {
                    try connection.run(statement)
                    changes += connection.changes
                    if failingOnNoChange, connection.changes == 0 { throw .missing(id: "") }
                } catch {
                    return (index, error)
                }
                object += stride
            }
            return nil
        }
        switch failure {
        case (let index, .missing)?: throw .missing(id: objects[index].id.printed)
        case (let index, let error)?:
            let object = objects[index]
            // Any unique column may have been checked before the key, and a trigger may have broken a key of another table.
            if isInsertion, case .constraint(let reason) = error, reason.hasPrefix("UNIQUE"),
                try isStored(object.id, on: connection)
            {
                throw .duplicate(id: object.id.printed)
            }
            throw schema.unencodable(object) ?? error
        case nil: writer.countRows(changes, of: name, by: statement)
        }
    }

    private func isStored(_ id: Object.ID, on connection: SQLiteConnection) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try object(withId: id, on: connection) != nil
        } catch .unreadable {
            // A row that cannot be read is there.
            return true
        }
    }

    // MARK: - For observers

    private func note(_ objects: [Object], by writer: SQLiteDatabase.Writer) {
        writer.changes.note(table: name)
        if writer.changes.isObserved(name) { writer.note(objects, of: self) }
    }

    /// Records the objects that are about to be overwritten or deleted.
    private func noteStored(_ ids: some Sequence<Object.ID>, by writer: SQLiteDatabase.Writer) {
        writer.changes.note(table: name)
        guard writer.changes.isObserved(name) else { return }
        for id in ids {
            do throws(StoreError) {
                if let stored = try object(withId: id, on: writer.connection) {
                    writer.note([stored], of: self)
                }
            } catch {
                // A row that cannot be read can still be overwritten, and may belong to any answer.
                writer.changes.noteAnything(table: name)
            }
        }
    }
}
