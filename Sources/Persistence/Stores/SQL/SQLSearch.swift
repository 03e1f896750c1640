/// A statement for the rows that a question asks for, and the part of its condition that the database cannot test.
package struct SQLSearch: Sendable {
    package private(set) var sql: SQLText
    /// The condition that is tested in memory, or nil. If there is one, the statement has no page.
    package private(set) var rest: AnyCondition?

    /// Makes a statement that begins with `beginning` and continues with the condition.
    package init(_ beginning: SQLText, where condition: AnyCondition, in table: SQLNames) throws(StoreError) {
        sql = beginning
        let dialect = sql.dialect
        try condition.checkDepth()
        let condition = condition.optimized
        if condition.isAlways { return }
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var accepted: [AnyCondition] = []
        var rejected: [AnyCondition] = []
        // An update has values already.
        var total = ConditionCost(tests: 0, parameters: sql.values.count)
        for part in parts {
            var cost = part.cost(in: dialect)
            cost.tests += total.tests
            cost.parameters += total.parameters
            let fits = dialect.allows(cost)
            if fits {
                accepted.append(part)
                total = cost
            }
            // Without the function, the database only narrows text down.
            if !fits || (dialect.textFunction == nil && part.hasText) { rejected.append(part) }
        }
        if !accepted.isEmpty {
            sql.append(" WHERE ")
            try sql.append(AnyCondition(all: accepted), in: table)
        }
        if !rejected.isEmpty {
            for part in rejected { try part.checkColumns(of: table) }
            rest = AnyCondition(all: rejected)
        }
    }

    /// Makes a statement that selects all columns of the rows, sorted, and cut to the page unless there is a ``rest``.
    package init(_ question: AnyQuestion, in table: SQLNames, dialect: SQLDialect) throws(StoreError) {
        try self.init(
            SQLText(table.selection, dialect: dialect), where: question.pagedCondition, in: table)
        sql.append(" ORDER BY ")
        for criterion in question.criteria {
            sql.append(try table.column(criterion.attribute))
            sql.append(criterion.isAscending ? " ASC" : " DESC")
            if criterion.attribute.isOptional {
                sql.append(criterion.isNilFirst ? " NULLS FIRST, " : " NULLS LAST, ")
            } else {
                sql.append(", ")
            }
        }
        sql.append(table.quotedID)
        if rest == nil, question.isPage {
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

extension AnyCondition {
    /// True if all the conditions are. A single one is not joined, since it may have the greatest depth already.
    fileprivate init(all conditions: [AnyCondition]) {
        self = conditions.count == 1 ? conditions[0] : AnyCondition(.and(conditions))
    }

    fileprivate var hasText: Bool {
        switch form {
        case .text: true
        case .not(let condition): condition.hasText
        case .and(let conditions), .or(let conditions): conditions.contains(where: \.hasText)
        default: false
        }
    }
}
