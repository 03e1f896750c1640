import Persistence
import Synchronization

private let lastNumber = Atomic(0)

/// The table of a schema, and the statements that read it.
///
/// No other thread may use the connection that a caller passes.
struct PostgresTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    let schema: Schema<Object>
    /// The types of the columns' parameters.
    let types: [PostgresType]
    /// The constraint that makes ids unique.
    let keyConstraint: ConstraintName
    /// `true` if the table was a partition or a child of another table when the store was made. A write to that one may change it.
    let isPart: Bool
    /// A number that no two stores share.
    let number: Int
    private let reader: PostgresRowReader<Object>
    let statements: (find: String, findAny: String, insert: String, update: String, upsert: String, delete: String)

    init(_ schema: Schema<Object>, keyConstraint: ConstraintName, isPart: Bool) {
        self.schema = schema
        self.keyConstraint = keyConstraint
        self.isPart = isPart
        number = lastNumber.add(1, ordering: .relaxed).newValue
        reader = PostgresRowReader(schema)
        types = schema.columns.map { PostgresType($0.attribute.kind) }
        statements = (
            schema.finding(in: .postgres),
            "SELECT \(schema.quotedColumns) FROM \(schema.quotedName) WHERE \(schema.id.quotedName) = ANY($1)",
            schema.insertion(in: .postgres), schema.updating(in: .postgres),
            schema.upserting(in: .postgres), schema.deleting(in: .postgres)
        )
    }

    // MARK: - Reading

    /// Returns the statement that answers a question; nil if it takes several statements, or one that is too long to be
    /// sent at once.
    func statement(for question: Question<Object>) throws(StoreError) -> PostgresStatement? {
        let erased = question.erased(id: schema.id.attribute.erased)
        let pieces = erased.pieces
        guard pieces.count == 1 else { return nil }
        return try PostgresStatement(search(for: erased.question(for: pieces[0])))
    }

    /// Returns the statement that counts the objects of a question; nil if one statement is not enough.
    func countingStatement(for question: Question<Object>) throws(StoreError) -> PostgresStatement? {
        try PostgresStatement(select("count(*)", question.condition))
    }

    func execute(_ question: Question<Object>, on connection: PostgresConnection, isInTransaction: Bool)
        throws(StoreError) -> [Object]
    {
        if let id = question.soleID(schema.ids) {
            guard let id = Object.ID(primitiveValue: id) else { return [] }
            return try object(withId: id, on: connection).map { [$0] } ?? []
        }
        let erased = question.erased(id: schema.id.attribute.erased)
        let pieces = erased.pieces
        guard pieces.count > 1 else {
            return try execute(erased.question(for: pieces[0]), on: connection, isInTransaction)
        }
        // All pieces must read the same state.
        return try connection.moment(isNeeded: !isInTransaction) { () throws(StoreError) in
            var objects: [Object] = []
            for piece in pieces {
                var piece = erased.question(for: piece)
                piece.limit = question.limit.map { $0 - objects.count }
                // Each piece is all nil, or has none, so its order can be that of PostgreSQL's indexes, which have nil last.
                piece.criteria[0].isNilFirst = !piece.criteria[0].isAscending
                objects += try execute(piece, on: connection, true)
                if objects.count == question.limit { break }
            }
            return objects
        }
    }

    private func search(for question: AnyQuestion) throws(StoreError) -> SQLSearch {
        try SQLSearch(question, in: schema.names, dialect: .postgres)
    }

    private func execute(
        _ question: AnyQuestion, on connection: PostgresConnection, _ isInTransaction: Bool
    ) throws(StoreError) -> [Object] {
        let search = try search(for: question)
        guard let rest = search.rest else {
            return try objects(of: run(search.sql, on: connection))
        }
        let isMatching = try Condition<Object>(erased: rest).compiled()
        guard let limit = question.limit else {
            let all = try objects(of: run(search.sql, on: connection))
            return Array(all.filter(isMatching).dropFirst(question.offset))
        }
        // It is unknown how many rows it takes to fill the page, so they are fetched in batches.
        let (end, isBeyondAll) = question.offset.addingReportingOverflow(limit)
        let wanted = isBeyondAll ? .max : end
        return try connection.moment(isNeeded: !isInTransaction) { () throws(StoreError) in
            _ = try run(
                "DECLARE page NO SCROLL CURSOR FOR \(search.sql.text)", PostgresParameters(search.sql.values),
                on: connection)
            var found: [Object] = []
            var size = min(max(limit, 32), 2_048) * 2
            do throws(StoreError) {
                while found.count < wanted {
                    let batch = try objects(of: connection.run("FETCH \(size) FROM page"))
                    found += batch.filter(isMatching)
                    if batch.count < size { break }
                    size = min(size * 2, 4_096)
                }
            } catch {
                // If a row cannot be read, the transaction may go on, and ask for another page.
                if !connection.hasFailedTransaction, !connection.isLost { try? connection.execute("CLOSE page") }
                throw error
            }
            try connection.run("CLOSE page")
            return Array(found.dropFirst(question.offset).prefix(limit))
        }
    }

    func count(_ question: Question<Object>, on connection: PostgresConnection) throws(StoreError) -> Int {
        let search = try select("count(*)", question.condition)
        if search.rest != nil { return try matching(question.condition, on: connection).count }
        return try run(search.sql, on: connection).integer
    }

    func aggregate(
        _ aggregate: Aggregate<Object>, _ question: Question<Object>, on connection: PostgresConnection
    ) throws(StoreError) -> [[PrimitiveValue]] {
        try aggregate.check()
        let attribute = aggregate.attribute
        let column = try schema.quotedColumn(attribute)
        let isPresent =
            Condition(attribute, .equal, .null).map { question.condition && !$0 } ?? question.condition
        var search: SQLSearch
        switch aggregate.kind {
        case .sum, .average:
            // In SQL, the sum of floating-point numbers depends on their order; here it must not.
            search = try select(attribute.kind == .real ? column : "sum(\(column)), count(\(column))", isPresent)
        case .minimum, .maximum:
            // Not every type has min and max.
            search = try select(column, isPresent)
            search.append(" ORDER BY \(column) \(aggregate.kind == .minimum ? "ASC" : "DESC") LIMIT 1")
        case .distinct:
            search = try select("DISTINCT \(column)", question.condition)
            search.append(" ORDER BY \(column) NULLS FIRST")
        case .counts:
            search = try select("\(column), count(*)", question.condition)
            search.append(" GROUP BY \(column) ORDER BY \(column) NULLS FIRST")
        }
        if search.rest != nil { return try aggregate.rows(of: matching(question.condition, on: connection)) }
        let result = try run(search.sql, on: connection)
        switch aggregate.kind {
        case .sum, .average: return [[try total(aggregate, result)]]
        case .minimum, .maximum: return [[try value(result.first, of: attribute)]]
        case .distinct, .counts:
            var rows = result.rows
            for row in rows.indices { rows[row][0] = try value(rows[row][0], of: attribute) }
            return rows
        }
    }

    private func total(_ aggregate: Aggregate<Object>, _ result: PostgresResult) throws(StoreError) -> PrimitiveValue {
        if aggregate.attribute.kind == .real {
            var sum = ExactSum()
            for row in 0..<result.rowCount { sum.add(result.value(row, 0)) }
            return aggregate.kind == .sum ? try aggregate.total(sum) : sum.average ?? .null
        }
        guard case .integer(let count) = result.value(0, 1), count > 0 else {
            return aggregate.kind == .sum ? try aggregate.total(ExactSum()) : .null
        }
        // The server adds small integers as `bigint`, and others as `numeric`, which may be larger than any kind.
        let number: Int128
        if case .integer(let value) = result.first {
            number = Int128(value)
        } else if let large = result.cell(0, 0).flatMap({ PostgresNumeric($0)?.number }) {
            number = large
        } else {
            throw .outOfRange(reason: "the sum of \(aggregate.attribute)")
        }
        let sum = ExactSum(of: number, count: Int(count))
        return aggregate.kind == .sum ? try aggregate.total(sum) : sum.average ?? .null
    }

    /// Returns the value as the property's type stores it.
    private func value(_ value: PrimitiveValue, of attribute: Attribute<Object>) throws(StoreError) -> PrimitiveValue {
        guard let canonical = value == .null ? .null : attribute.canonical(value) else {
            throw .unreadable(
                table: schema.name, id: nil, column: schema.column(for: attribute)?.name ?? "",
                found: value.description)
        }
        return canonical
    }

    func plan(_ question: Question<Object>, on connection: PostgresConnection) throws(StoreError) -> QueryPlan {
        var steps: [String] = []
        let erased = question.erased(id: schema.id.attribute.erased)
        for piece in erased.pieces {
            let search = try search(for: erased.question(for: piece))
            steps.append(search.sql.text)
            let rows = try run(
                "EXPLAIN " + search.sql.text, PostgresParameters(search.sql.values), on: connection
            ).rows
            for case .text(let step)? in rows.map(\.first) { steps.append(step) }
            if search.rest != nil { steps.append("FILTER in memory by conditions that PostgreSQL does not test") }
        }
        return QueryPlan(steps: steps)
    }

    /// Returns the objects that a statement of the library's user selects; its columns are found by their names.
    ///
    /// - Parameter isInTransaction: `false` if the statement gets a read-only transaction of its own.
    func select(
        _ sql: SQL, on connection: PostgresConnection, isInTransaction: Bool
    ) throws(StoreError) -> [Object] {
        let text = SQL.selecting(schema.quotedColumns, from: try sql.wholeText())
        let parameters = try PostgresParameters(sql.values)
        do throws(StoreError) {
            return try objects(
                of: isInTransaction ? connection.run(text, parameters) : connection.read(text, parameters))
        } catch {
            throw error.about(schema.name)
        }
    }

    // MARK: - Statements

    private func select(_ result: String, _ condition: Condition<Object>) throws(StoreError) -> SQLSearch {
        let beginning = SQLText("SELECT \(result) FROM \(schema.quotedName)", dialect: .postgres)
        return try SQLSearch(beginning, where: condition.erased, in: schema.names)
    }

    func matching(
        _ condition: Condition<Object>, on connection: PostgresConnection
    ) throws(StoreError) -> [Object] {
        try execute(Question(condition: condition), on: connection, isInTransaction: true)
    }

    func run(_ sql: SQLText, on connection: PostgresConnection) throws(StoreError) -> PostgresResult {
        try run(sql.text, PostgresParameters(sql.values), on: connection)
    }

    func run(
        _ text: String, _ parameters: PostgresParameters, on connection: PostgresConnection
    ) throws(StoreError) -> PostgresResult {
        do throws(StoreError) {
            return try connection.run(text, parameters)
        } catch {
            throw error.about(schema.name)
        }
    }

    func objects(of result: PostgresResult) throws(StoreError) -> [Object] {
        try reader.objects(of: result, 0..<result.rowCount)
    }

    func object(of found: FoundRow) throws(StoreError) -> Object {
        try reader.objects(of: found.result, found.row..<found.row + 1)[0]
    }
}

extension PostgresConnection {
    /// Runs `body` so that all its reads see the same committed state.
    fileprivate func moment<Result>(
        isNeeded: Bool, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        isNeeded ? try reading(body) : try body()
    }
}

/// A statement and its parameters.
struct PostgresStatement {
    let text: String
    let parameters: PostgresParameters

    init(text: String, parameters: PostgresParameters) {
        self.text = text
        self.parameters = parameters
    }

    /// Returns nil if a part of the condition is tested in memory, or if the statement is too long to be sent at once.
    init?(_ search: SQLSearch) throws(StoreError) {
        guard search.rest == nil else { return nil }
        text = search.sql.text
        parameters = try PostgresParameters(search.sql.values)
        if !isShort { return nil }
    }

    /// `true` if the statement can be sent at once.
    var isShort: Bool { text.utf8.count + parameters.size <= PostgresConnection.maximumUnreadSize }
}
