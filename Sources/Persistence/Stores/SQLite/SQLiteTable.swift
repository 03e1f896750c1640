import CSQLite

/// The table of a schema: the statements that read and write it.
///
/// Everything here happens on a connection that the caller has to itself; what writes is inside of a transaction.
struct SQLiteTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    let schema: Schema<Object>
    private let name: String
    private let columns: String
    private let id: String
    private let slots: (find: Int, insert: Int, update: Int, upsert: Int, delete: Int)

    init(_ schema: Schema<Object>, in database: SQLiteDatabase) {
        self.schema = schema
        name = SQLText.quoted(schema.name)
        id = SQLText.quoted(schema.id.name)
        columns = schema.columns.map { SQLText.quoted($0.name) }.joined(separator: ", ")
        slots = (
            database.makeSlot(), database.makeSlot(), database.makeSlot(), database.makeSlot(), database.makeSlot()
        )
    }

    // MARK: - Reading

    func object(withId id: Object.ID, on connection: SQLiteConnection) throws(StoreError) -> Object? {
        let statement = try connection.statement(slots.find, "SELECT \(columns) FROM \(name) WHERE \(self.id) = ?")
        statement.binder.begin()
        statement.binder.bind(id.primitiveValue, at: 1)
        return try read(statement, on: connection).first
    }

    func execute(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> [Object] {
        if let id = question.soleID(schema.ids) {
            guard let id = Object.ID(primitiveValue: id) else { return [] }
            return try object(withId: id, on: connection).map { [$0] } ?? []
        }
        let search = try search(question, for: columns)
        let statement = try connection.statement(search.sql.text)
        defer { statement.clear() }
        statement.bind(search.sql.values)
        // A query without values asks for all objects, and how many these are seldom changes much.
        let isSteady = search.sql.values.isEmpty
        let objects = try read(statement, on: connection, expecting: isSteady ? statement.lastCount : 0)
        statement.lastCount = objects.count
        guard let rest = search.rest else { return objects }
        let found = objects.filter { rest.passes($0) }.dropFirst(question.offset)
        return Array(question.limit.map { found.prefix($0) } ?? found)
    }

    func count(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> Int {
        let everything = Question(condition: question.condition)
        let search = try search(everything, for: "count(*)")
        if search.rest != nil { return try execute(everything, on: connection).count }
        return try connection.integer(search.sql.text, search.sql.values)
    }

    func plan(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> QueryPlan {
        let search = try search(question, for: columns)
        let rows = try connection.rows("EXPLAIN QUERY PLAN " + search.sql.text, search.sql.values)
        let rest = search.rest == nil ? [] : ["FILTER in memory what is nested too deep for SQLite"]
        return QueryPlan(steps: [search.sql.text] + rows.compactMap { $0.last ?? nil } + rest)
    }

    private func read(
        _ statement: SQLiteStatement, on connection: SQLiteConnection, expecting count: Int = 0
    ) throws(StoreError) -> [Object] {
        var objects: [Object] = []
        if count > 0 { objects.reserveCapacity(count) }
        var failure: StoreError?
        do throws(RowMismatch) {
            let status =
                statement.binder.status == SQLITE_OK
                ? try schema.read(statement.handle, &objects) : statement.binder.status
            if status != SQLITE_DONE { failure = connection.error(status) }
        } catch {
            let found = SQLiteColumn(statement.handle, Int32(error.column)).primitiveValue
            failure = .unreadable(
                table: schema.name, column: schema.columns[error.column].name, found: found.description)
        }
        statement.reset()
        if let failure { throw failure }
        return objects
    }

    // MARK: - Searching

    /// A SELECT, and what of its condition SQLite could not take.
    private struct Search {
        var sql: SQLText
        var rest: Filter<Object>?
    }

    private func search(_ question: Question<Object>, for result: String) throws(StoreError) -> Search {
        var search = try search(
            question.pagedCondition(id: schema.id.attribute), after: "SELECT \(result) FROM \(name)")
        guard result == columns else { return search }
        search.sql.append(" ORDER BY ")
        for criterion in question.criteria {
            search.sql.append(try schema.quotedColumn(criterion.attribute))
            search.sql.append(criterion.order == .ascending ? " ASC" : " DESC")
            if criterion.attribute.isOptional {
                search.sql.append(criterion.nilPlace == .first ? " NULLS FIRST, " : " NULLS LAST, ")
            } else {
                search.sql.append(", ")
            }
        }
        search.sql.append(id)
        if search.rest == nil, question.limit != nil || question.offset > 0 {
            search.sql.append(" LIMIT ")
            search.sql.append(.integer(Int64(question.limit ?? -1)))
            search.sql.append(" OFFSET ")
            search.sql.append(.integer(Int64(question.offset)))
        }
        return search
    }

    /// Appends the parts of a condition that SQLite can take; the rest is for memory.
    private func search(_ condition: Condition<Object>, after text: String) throws(StoreError) -> Search {
        let condition = condition.optimized
        var search = Search(sql: SQLText())
        search.sql.append(text)
        if case .constant(true) = condition.form { return search }
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var accepted: [Condition<Object>] = []
        var rejected: [Condition<Object>] = []
        var size = 0
        for part in parts {
            let cost = part.cost
            if cost.depth <= 16, size + cost.size <= 10_000 {
                accepted.append(part)
                size += cost.size
            } else {
                rejected.append(part)
            }
        }
        if !accepted.isEmpty {
            search.sql.append(" WHERE ")
            try search.sql.append(.all(of: accepted), in: schema)
        }
        if !rejected.isEmpty {
            for part in rejected { try part.checkColumns(of: schema) }
            search.rest = try Filter(.all(of: rejected))
        }
        return search
    }
}

// MARK: - Writing

extension SQLiteTable {
    func insert(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        let statement = try writer.connection.statement(
            slots.insert, "INSERT INTO \(name) (\(columns)) VALUES (\(parameters))")
        try write(objects, statement, by: writer)
        note(objects, by: writer)
    }

    func update(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        let changes = schema.columns.indices.dropFirst().map {
            "\(SQLText.quoted(schema.columns[$0].name)) = ?\($0 + 1)"
        }
        let statement = try writer.connection.statement(
            slots.update,
            // A table of nothing but ids still needs something to set.
            "UPDATE \(name) SET \(changes.isEmpty ? "\(id) = ?1" : changes.joined(separator: ", ")) WHERE \(id) = ?1")
        try noteStored(objects, by: writer)
        try write(objects, statement, by: writer, failingOnNoChange: true)
        note(objects, by: writer)
    }

    func upsert(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        let changes = schema.columns.dropFirst().map { SQLText.quoted($0.name) }.map { "\($0) = excluded.\($0)" }
        let statement = try writer.connection.statement(
            slots.upsert,
            "INSERT INTO \(name) (\(columns)) VALUES (\(parameters)) ON CONFLICT (\(id)) DO "
                + (changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))"))
        try noteStored(objects, by: writer)
        try write(objects, statement, by: writer)
        note(objects, by: writer)
    }

    func delete(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        let statement = try writer.connection.statement(slots.delete, "DELETE FROM \(name) WHERE \(id) = ?")
        try noteStored(objects, by: writer)
        for object in objects {
            statement.binder.begin()
            statement.binder.bind(object.id.primitiveValue, at: 1)
            try writer.connection.run(statement)
        }
    }

    func delete(where condition: Condition<Object>, by writer: SQLiteDatabase.Writer) throws(StoreError) -> Int {
        let search = try search(condition, after: "DELETE FROM \(name)")
        if search.rest != nil || writer.watches.areThere(for: schema.name) {
            let objects = try execute(Question(condition: condition), on: writer.connection)
            try delete(objects, by: writer)
            return objects.count
        }
        let statement = try writer.connection.statement(search.sql.text)
        defer { statement.clear() }
        statement.bind(search.sql.values)
        try writer.connection.run(statement)
        return writer.connection.changes
    }

    private var parameters: String { Array(repeating: "?", count: schema.columns.count).joined(separator: ", ") }

    /// Runs a statement, whose parameters are all columns in their order, for each object.
    private func write(
        _ objects: [Object], _ statement: SQLiteStatement, by writer: SQLiteDatabase.Writer,
        failingOnNoChange: Bool = false
    ) throws(StoreError) {
        let connection = writer.connection
        let stride = MemoryLayout<Object>.stride
        let count = objects.count
        let failure = objects.withUnsafeBytes { objects -> (index: Int, error: StoreError)? in
            guard var object = objects.baseAddress else { return nil }
            for index in 0..<count {
                schema.bind(object, statement.binder)
                do throws(StoreError) {
                    try connection.run(statement)
                    if failingOnNoChange, connection.changes == 0 { throw .missing(id: "") }
                } catch {
                    return (index, error)
                }
                object += stride
            }
            return nil
        }
        switch failure {
        case (let index, .duplicate)?: throw .duplicate(id: "\(objects[index].id)")
        case (let index, .missing)?: throw .missing(id: "\(objects[index].id)")
        case (_, let error)?: throw error
        case nil: return
        }
    }

    // MARK: - For those who watch

    private func note(_ objects: [Object], by writer: SQLiteDatabase.Writer) {
        if writer.watches.areThere(for: schema.name) { writer.watches.note(table: schema.name, objects) }
    }

    /// Notes what is about to be overwritten or deleted.
    private func noteStored(_ objects: [Object], by writer: SQLiteDatabase.Writer) throws(StoreError) {
        guard writer.watches.areThere(for: schema.name) else { return }
        for object in objects {
            if let stored = try self.object(withId: object.id, on: writer.connection) {
                writer.watches.note(table: schema.name, [stored])
            }
        }
    }
}
