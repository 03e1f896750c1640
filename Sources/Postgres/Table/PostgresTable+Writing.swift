import Persistence

// All functions here are called in a transaction.

extension PostgresTable {
    func insert(_ objects: [Object], by writer: PostgresWriter) throws(StoreError) {
        try write(objects, statements.insert, by: writer)
    }

    func update(_ objects: [Object], by writer: PostgresWriter) throws(StoreError) {
        try write(objects, statements.update, by: writer, failingOnNoChange: true)
    }

    func upsert(_ objects: [Object], by writer: PostgresWriter) throws(StoreError) {
        try write(objects, statements.upsert, by: writer)
    }

    @discardableResult
    func delete(ids: [Object.ID], by writer: PostgresWriter) throws(StoreError) -> Int {
        let ids = ids.map(\.primitiveValue).filter { !$0.hasZeroByte }
        guard !ids.isEmpty else { return 0 }
        let results = try send(by: writer) { connection throws(PipelineError) in
            for id in ids { try connection.send(statements.delete, [id], as: [types[0]]) }
        }
        return results.reduce(0) { $0 + $1.changes }
    }

    func delete(where condition: Condition<Object>, by writer: PostgresWriter) throws(StoreError) -> Int {
        let search = try schema.deleting(where: condition, in: .postgres)
        guard search.rest != nil else { return try run(search.sql, by: writer) }
        return try delete(ids: matching(condition, by: writer).map(\.id), by: writer)
    }

    func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>], by writer: PostgresWriter
    ) throws(StoreError) -> Int {
        let search = try schema.updating(where: condition, set: assignments, in: .postgres)
        let setsID = assignments.contains { schema.column(for: $0.attribute)?.name == schema.id.name }
        let isNeeded =
            assignments.isEmpty || setsID || search.rest != nil || !assignments.allSatisfy(\.isOfPlainProperty)
        guard isNeeded else { return try run(search.sql, by: writer) }
        var changes: [Object] = []
        for object in try matching(condition, by: writer) { changes.append(try changed(object, by: assignments)) }
        if !assignments.isEmpty { try update(changes, by: writer) }
        return changes.count
    }

    func merge(
        _ objects: [Object], where condition: Condition<Object>, by writer: PostgresWriter
    ) throws(StoreError) -> MergeResult<Object> {
        var stored = try matching(condition, by: writer)
        let matching = Set(stored.map(\.id))
        // Objects that do not match may be stored with the same ids.
        let others = condition.form == .constant(true) ? [] : objects.map(\.id).filter { !matching.contains($0) }
        if !others.isEmpty { stored += try self.matching(Condition(ids: others), by: writer) }
        let plan = try MergePlan(
            of: objects, into: stored, uniques: schema.uniques, isMatching: { matching.contains($0.id) },
            isSame: schema.isSame)
        try delete(ids: plan.deleted, by: writer)
        if !plan.updated.isEmpty { try update(plan.updated, by: writer) }
        if !plan.inserted.isEmpty { try insert(plan.inserted, by: writer) }
        return plan.result
    }

    private func matching(_ condition: Condition<Object>, by writer: PostgresWriter) throws(StoreError) -> [Object] {
        try writer.read { connection throws(StoreError) in try matching(condition, on: connection) }
    }

    private func run(_ sql: SQLText, by writer: PostgresWriter) throws(StoreError) -> Int {
        let parameters = try PostgresParameters(sql.values)
        return try send(by: writer) { connection throws(PipelineError) in
            try connection.send(sql.text, parameters)
        }.first?.changes ?? 0
    }

    /// Runs a statement, whose parameters are all columns in their order, for each object.
    private func write(
        _ objects: [Object], _ statement: String, by writer: PostgresWriter, failingOnNoChange: Bool = false
    ) throws(StoreError) {
        guard !objects.isEmpty else { return }
        do throws(PipelineError) {
            _ = try writer.write(to: schema.name, failingOnNoChange: failingOnNoChange) {
                connection throws(PipelineError) in
                for object in objects { try connection.send(statement, schema.values(of: object), as: types) }
            }
        } catch {
            switch error.error {
            case .constraint where isOfKey(writer.connection.violation, writer):
                throw .duplicate(id: objects[error.index].id.printed)
            case .missing: throw .missing(id: objects[error.index].id.printed)
            case .constraint where objects.indices.contains(error.index):
                throw schema.unencodable(objects[error.index]) ?? error.error.about(schema.name)
            default: throw error.error.about(schema.name)
            }
        }
    }

    /// Returns true if the constraint that was violated makes the ids unique.
    private func isOfKey(_ violation: ConstraintName?, _ writer: PostgresWriter) -> Bool {
        guard let violation else { return false }
        if violation.schema == keyConstraint.schema, violation.table == keyConstraint.table {
            return violation == keyConstraint
        }
        // Each partition of a table has its own constraint, whose index is a part of the table's.
        let isPart = writer.ask { connection throws(StoreError) in
            try connection.run(
                """
                SELECT count(*) FROM pg_constraint WHERE conrelid = to_regclass($1) AND conname = $2
                AND conindid = pg_partition_root(to_regclass($3))
                """,
                PostgresParameters(
                    [
                        schema.quotedName, keyConstraint.constraint,
                        "\(SQLText.quoted(violation.schema)).\(SQLText.quoted(violation.constraint))",
                    ].map { .primitive(.text($0)) })
            ).integer > 0
        }
        return isPart ?? false
    }

    private func send(
        by writer: PostgresWriter, _ body: (PostgresConnection) throws(PipelineError) -> Void
    ) throws(StoreError) -> [PipelineOutcome] {
        do throws(PipelineError) {
            return try writer.write(to: schema.name, body)
        } catch {
            throw error.error.about(schema.name)
        }
    }
}
