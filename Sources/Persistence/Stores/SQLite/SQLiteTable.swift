import CSQLite
import Foundation
import Synchronization

/// The numbers of a table's statements, see ``SQLiteConnection/statement(_:_:)``. Stores of the same columns share them.
struct SQLiteTableSlots: Sendable {
    static var count: Int { 5 }

    let find, insert, update, upsert, delete: Int

    init(first: Int) { (find, insert, update, upsert, delete) = (first, first + 1, first + 2, first + 3, first + 4) }
}

/// The table of a schema, and the statements that read it.
///
/// No other thread may use the connection that a caller passes. It is a class, since copying a schema for each call
/// would retain all its parts.
@usableFromInline
final class SQLiteTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    @usableFromInline let schema: Schema<Object>
    @usableFromInline let ids: IDAttributes
    /// The numbers of the statements that are used most, see ``SQLiteConnection/statement(_:_:)``.
    let slots: SQLiteTableSlots
    /// A number that no two stores share.
    let number: Int
    /// The name by which observers know the table.
    let name: String
    /// The first column without an index, or nil.
    let plainColumn: Int?
    /// The columns of the table, as all stores know them.
    let columns: SQLiteTableColumns
    /// True if the table was made with clauses such as `ON CONFLICT REPLACE`; known once the table is prepared.
    let hasConflictClauses = Atomic(false)

    init(_ schema: Schema<Object>, in database: SQLiteDatabase) throws(StoreError) {
        for name in [schema.name] + schema.columns.map(\.name) where name.isEmpty || name.utf8.contains(0) {
            throw .schemaMismatch(table: schema.name, reason: "a name is empty or contains a zero byte")
        }
        self.schema = schema
        ids = schema.ids
        let indexed = Set(schema.indexes.flatMap(\.columns))
        plainColumn = schema.columns.indices.dropFirst().first { !indexed.contains(schema.columns[$0].name) }
        slots = database.slots(for: "\(schema.quotedName) (\(schema.quotedColumns))")
        number = database.makeNumber()
        name = observedName(of: schema.name)
        columns = database.columns(of: name, schema)
    }

    /// The dialect of statements that write.
    var dialect: SQLDialect { hasConflictClauses.load(ordering: .acquiring) ? .sqliteWithConflictClauses : .sqlite }

    // MARK: - Reading

    @inlinable
    func object(withId id: Object.ID, on connection: SQLiteConnection) throws(StoreError) -> Object? {
        var object: Object?
        try find(id, on: connection) { object = $0 }
        return object
    }

    /// Calls `body` with the object that has an id, if there is one.
    // Specialized for the type of the objects.
    @inlinable
    @inline(__always)
    func find(
        _ id: Object.ID, on connection: SQLiteConnection, _ body: (consuming Object) -> Void
    ) throws(StoreError) {
        let statement = try finding(on: connection)
        statement.binder.bind(id.primitiveValue, at: 1)
        let status = statement.step()
        guard status == SQLITE_ROW else { return try end(statement, status, on: connection) }
        let readings = schema.readings
        let mismatch = readings.withSlots { slots in
            let mismatch = readings.read(statement.handle, into: slots)
            if mismatch < 0 { body(schema.rows.take(slots, readings.stride)) }
            return mismatch
        }
        guard mismatch < 0 else { throw unreadable(mismatch, statement) }
        statement.reset()
    }

    /// Returns the statement that finds the row with an id, ready for its parameter.
    @usableFromInline
    func finding(on connection: SQLiteConnection) throws(StoreError) -> SQLiteStatement {
        let statement = try connection.statement(slots.find, schema.finding(in: .sqlite))
        statement.binder.begin()
        return statement
    }

    /// Ends the run of a statement; throws unless `status` says that it has succeeded.
    @usableFromInline
    func end(_ statement: SQLiteStatement, _ status: Int32, on connection: SQLiteConnection) throws(StoreError) {
        let failure = status == SQLITE_DONE ? nil : connection.error(status, of: statement)
        statement.reset()
        if let failure { throw failure }
    }

    @inlinable
    func execute(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> [Object] {
        if let id = question.soleID(ids).flatMap({ Object.ID(primitiveValue: $0) }) {
            var objects: [Object] = []
            try find(id, on: connection) { objects.append($0) }
            return objects
        }
        return try search(question, on: connection)
    }

    @usableFromInline
    func search(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> [Object] {
        let erased = question.erased(id: ids.property)
        var values: [PrimitiveValue] = []
        let shape = QuestionShape(erased, schema.names.positions, values: &values)
        if shape == nil, let parts = erased.parts(maximum: SQLDialect.sqlite.maximumParameters) {
            let objects = try atOneMoment(on: connection) { () throws(StoreError) in
                var objects: [Object] = []
                for part in parts { objects += try execute(search(for: part), part, on: connection) }
                return objects
            }
            let criteria = question.criteria + [SortCriterion(schema.id.attribute)]
            return sortedPage(of: objects, by: criteria, offset: question.offset, limit: question.limit ?? .max)
        }
        let pieces = erased.pieces
        guard pieces.count > 1 else { return try execute(pieces[0], of: erased, shape, values, on: connection) }
        return try atOneMoment(on: connection) { () throws(StoreError) in
            var rest = erased
            var objects = try execute(pieces[0], of: rest, shape, values, on: connection)
            for piece in pieces.dropFirst() {
                rest.limit = question.limit.map { $0 - objects.count }
                if rest.limit == 0 { break }
                objects += try execute(piece, of: rest, shape, values, on: connection)
            }
            return objects
        }
    }

    /// Runs `body` so that its statements read the same state of the database.
    private func atOneMoment<Result>(
        on connection: SQLiteConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if connection.isInTransaction { return try body() }
        try connection.run(.beginReading)
        defer { try? connection.run(.commit) }
        return try body()
    }

    /// Returns a function that answers a question which is asked repeatedly.
    func repeated(
        _ question: Question<Object>
    ) throws(StoreError) -> @Sendable (SQLiteConnection) throws(StoreError) -> [Object] {
        guard question.after == nil, question.condition.erased.cost.parameters <= SQLDialect.sqlite.maximumParameters
        else {
            return { [self] connection throws(StoreError) in try execute(question, on: connection) }
        }
        let erased = question.erased(id: ids.property)
        let search = try search(for: erased)
        return { [self] connection throws(StoreError) in try execute(search, erased, on: connection) }
    }

    private func search(for question: AnyQuestion) throws(StoreError) -> SQLSearch {
        try SQLSearch(question, in: schema.names, dialect: .sqlite)
    }

    /// Returns a part of the answer to a question.
    private func execute(
        _ piece: AnyQuestion.Piece, of question: AnyQuestion, _ shape: QuestionShape?, _ values: [PrimitiveValue],
        on connection: SQLiteConnection
    ) throws(StoreError) -> [Object] {
        if let shape {
            let key = ShapedStatement.Key(store: number, shape: shape, piece: piece)
            if let shaped = try connection.statement(for: key, question, in: schema.names) {
                shaped.bind(values, limit: question.limit, offset: question.offset)
                return try read(shaped.statement, question.limit, on: connection)
            }
        }
        let part = question.question(for: piece)
        return try execute(search(for: part), part, on: connection)
    }

    private func execute(
        _ search: SQLSearch, _ question: AnyQuestion, on connection: SQLiteConnection
    ) throws(StoreError) -> [Object] {
        let statement = try connection.statement(search.sql.text)
        statement.bind(search.sql.values)
        let objects = try read(statement, question.limit, on: connection)
        guard let rest = search.rest else { return objects }
        let found = objects.filter(try Condition(erased: rest).compiled()).dropFirst(question.offset)
        return Array(question.limit.map { found.prefix($0) } ?? found)
    }

    func plan(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> QueryPlan {
        var steps: [String] = []
        let erased = question.erased(id: ids.property)
        let parts = erased.parts(maximum: SQLDialect.sqlite.maximumParameters)
        for part in parts ?? erased.pieces.map({ erased.question(for: $0) }) {
            let search = try search(for: part)
            steps.append(search.sql.text)
            for row in try connection.rows("EXPLAIN QUERY PLAN " + search.sql.text, search.sql.values) {
                if case .text(let step)? = row.last { steps.append(step) }
            }
            if search.rest != nil {
                steps.append("FILTER in memory by conditions that are too deep or too many for SQLite")
            }
        }
        return QueryPlan(steps: steps)
    }

    /// Returns the objects that a statement of the library's user selects; its columns are found by their names.
    func select(_ sql: SQL, on connection: SQLiteConnection) throws(StoreError) -> [Object] {
        // SQLite takes a quoted name that is not a column for a text, unless the name of the table is before it.
        let columns = schema.columns.map { "selected.\($0.quotedName)" }.joined(separator: ", ")
        let statement = try connection.statement(SQL.selecting(columns, from: sql.text))
        try statement.bindAll(sql.values)
        return try read(statement, nil, on: connection)
    }

    // MARK: - Statements

    /// Returns the objects that a statement selects.
    ///
    /// - Parameter limit: The number of objects that are wanted, if not all are.
    private func read(
        _ statement: SQLiteStatement, _ limit: Int?, on connection: SQLiteConnection
    ) throws(StoreError) -> [Object] {
        var objects: [Object] = []
        // Most pages are full.
        if let limit { objects.reserveCapacity(min(limit, 256)) }
        let (status, mismatch) = readAll(statement, &objects)
        let failure =
            switch status {
            case SQLITE_DONE: nil as StoreError?
            case SQLITE_ROW: unreadable(mismatch, statement)
            default: connection.error(status, of: statement)
            }
        statement.clear()
        if let failure { throw failure }
        return objects
    }

    /// Steps through the rows of a statement and appends their objects. Returns the last status, which is that of a row if
    /// the value in a column of it cannot be read.
    private func readAll(
        _ statement: SQLiteStatement, _ objects: inout [Object]
    ) -> (status: Int32, mismatch: Int32) {
        let append = schema.rows.append
        let readings = schema.readings
        var status = statement.step()
        return readings.withSlots { slots in
            while status == SQLITE_ROW {
                let mismatch = readings.read(statement.handle, into: slots)
                if mismatch >= 0 { return (status, mismatch) }
                append(slots, readings.stride, &objects)
                status = sqlite3_step(statement.handle)
            }
            return (status, -1)
        }
    }

    /// Returns the error for the present row of a statement, in which the value of a column cannot be read, and resets the
    /// statement.
    @usableFromInline
    func unreadable(_ column: Int32, _ statement: SQLiteStatement) -> StoreError {
        defer { statement.reset() }
        return unreadable(
            SQLiteColumn(statement.handle, column).primitiveValue, in: schema.columns[Int(column)],
            id: SQLiteColumn(statement.handle, 0).primitiveValue)
    }

    func unreadable(
        _ value: PrimitiveValue, in column: SchemaColumn<Object>?, id: PrimitiveValue?
    ) -> StoreError {
        var found = value.description
        if let column, column.attribute.kind == .uuid, case .text(let text) = value, UUID(uuidString: text) != nil {
            found +=
                " (a UUID in small letters, which no condition would find; mend all of them with \(mending(column)))"
        }
        return .unreadable(
            table: schema.name, id: id == .null ? nil : id?.description, column: column?.name ?? "", found: found)
    }
}
