/// A statement for the rows that a question asks for, and the part of its condition that the database cannot test.
package struct SQLSearch<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    package private(set) var sql: SQLText
    /// The condition that is tested in memory, or nil. If there is one, the statement has no page.
    package private(set) var rest: Condition<Object>?

    /// Makes a statement that begins with `text` and continues with the condition.
    package init(
        _ text: String, where condition: Condition<Object>, in schema: Schema<Object>, dialect: SQLDialect
    ) throws(StoreError) {
        try self.init(SQLText(text, dialect: dialect), where: condition, in: schema)
    }

    /// Makes a statement that begins with `beginning` and continues with the condition.
    package init(
        _ beginning: SQLText, where condition: Condition<Object>, in schema: Schema<Object>
    ) throws(StoreError) {
        sql = beginning
        let dialect = sql.dialect
        try condition.checkDepth()
        let condition = condition.optimized
        if case .constant(true) = condition.form { return }
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var accepted: [Condition<Object>] = []
        var rejected: [Condition<Object>] = []
        // An update has values already.
        var size = sql.values.count
        for part in parts {
            let cost = part.cost(in: dialect)
            let fits = cost.depth <= dialect.maximumDepth && size + cost.size <= dialect.maximumParameters
            if fits {
                accepted.append(part)
                size += cost.size
            }
            // Without the function, the database only narrows text down.
            if !fits || (dialect.textFunction == nil && part.hasText) { rejected.append(part) }
        }
        if !accepted.isEmpty {
            sql.append(" WHERE ")
            try sql.append(.all(of: accepted), in: schema)
        }
        if !rejected.isEmpty {
            for part in rejected { try part.checkColumns(of: schema) }
            rest = .all(of: rejected)
        }
    }

    /// Makes a statement that selects the `columns` of the rows, sorted, and cut to the page unless there is a
    /// ``rest``.
    package init(
        _ columns: String, _ question: Question<Object>, in schema: Schema<Object>, dialect: SQLDialect
    ) throws(StoreError) {
        let condition = question.pagedCondition(id: schema.id.attribute)
        try self.init("SELECT \(columns) FROM \(schema.quotedName)", where: condition, in: schema, dialect: dialect)
        sql.append(" ORDER BY ")
        for criterion in question.criteria {
            sql.append(try schema.quotedColumn(criterion.attribute))
            sql.append(criterion.order == .ascending ? " ASC" : " DESC")
            if criterion.attribute.isOptional {
                sql.append(criterion.nilPlace == .first ? " NULLS FIRST, " : " NULLS LAST, ")
            } else {
                sql.append(", ")
            }
        }
        sql.append(schema.id.quotedName)
        if rest == nil, question.limit != nil || question.offset > 0 {
            sql.append(" LIMIT ")
            // SQLite has no `LIMIT ALL`, so "no limit" is the largest integer.
            sql.append(.integer(question.limit.map { Int64($0) } ?? .max))
            sql.append(" OFFSET ")
            sql.append(.integer(Int64(question.offset)))
        }
    }
}

extension SQLSearch {
    /// Appends SQL to the statement.
    package mutating func append(_ text: String) { sql.append(text) }
}

extension Condition {
    var hasText: Bool {
        switch form {
        case .text: true
        case .not(let condition): condition.hasText
        case .and(let conditions), .or(let conditions): conditions.contains(where: \.hasText)
        default: false
        }
    }
}
