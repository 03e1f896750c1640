// The statements of a table that are the same for every SQL store. Their parameters are the columns, in their order.

extension Schema {
    /// Selects the row with an id, the one parameter.
    package func finding(in dialect: SQLDialect) -> String {
        "SELECT \(quotedColumns) FROM \(quotedName) WHERE \(id.quotedName) = \(dialect.placeholder(1))"
    }

    package func insertion(in dialect: SQLDialect) -> String {
        let parameters = columns.indices.map { dialect.placeholder($0 + 1) }
        return
            "INSERT\(dialect.conflictClause) INTO \(quotedName) (\(quotedColumns)) VALUES (\(parameters.joined(separator: ", ")))"
    }

    package func updating(in dialect: SQLDialect) -> String {
        updating(Array(columns.indices.dropFirst()), in: dialect)
    }

    /// Updates some of the columns. Each parameter has the number of its column, from 1.
    package func updating(_ changed: [Int], in dialect: SQLDialect) -> String {
        let changes = changed.map { "\(columns[$0].quotedName) = \(dialect.placeholder($0 + 1))" }
        let id = "\(id.quotedName) = \(dialect.placeholder(1))"
        // A table with only an id still needs a column to set.
        return
            "UPDATE\(dialect.conflictClause) \(quotedName) SET \(changes.isEmpty ? id : changes.joined(separator: ", ")) WHERE \(id)"
    }

    package func upserting(in dialect: SQLDialect) -> String {
        let changes = columns.dropFirst().map { "\($0.quotedName) = excluded.\($0.quotedName)" }
        return insertion(in: dialect) + " ON CONFLICT (\(id.quotedName)) DO "
            + (changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes.joined(separator: ", "))")
    }

    /// Deletes the row with an id, the one parameter.
    package func deleting(in dialect: SQLDialect) -> String {
        "DELETE FROM \(quotedName) WHERE \(id.quotedName) = \(dialect.placeholder(1))"
    }

    // MARK: - By a condition

    package func deleting(
        where condition: Condition<Object>, in dialect: SQLDialect
    ) throws(StoreError) -> SQLSearch {
        try SQLSearch(SQLText("DELETE FROM \(quotedName)", dialect: dialect), where: condition.erased, in: names)
    }

    package func updating(
        where condition: Condition<Object>, set assignments: [Assignment<Object>], in dialect: SQLDialect
    ) throws(StoreError) -> SQLSearch {
        var sql = SQLText("UPDATE\(dialect.conflictClause) \(quotedName) SET ", dialect: dialect)
        // SQLite takes the last of several values for a column, and PostgreSQL none.
        var values: [(column: String, value: PrimitiveValue)] = []
        for assignment in assignments {
            let column = try quotedColumn(assignment.attribute)
            values.removeAll { $0.column == column }
            values.append((column, assignment.value))
        }
        for (index, value) in values.enumerated() {
            sql.append("\(index > 0 ? ", " : "")\(value.column) = ")
            sql.append(value.value)
        }
        return try SQLSearch(sql, where: condition.erased, in: names)
    }
}
