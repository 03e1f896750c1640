// MARK: - Counts, sums and other answers about many objects

extension SQLiteTable {
    func count(_ question: Question<Object>, on connection: SQLiteConnection) throws(StoreError) -> Int {
        let search = try select("count(*)", question)
        if search.rest != nil { return try matching(question, on: connection).count }
        return try connection.integer(search.sql.text, search.sql.values)
    }

    func aggregate(
        _ aggregate: Aggregate<Object>, _ question: Question<Object>, on connection: SQLiteConnection
    ) throws(StoreError) -> [[PrimitiveValue]] {
        try aggregate.check()
        let column = try schema.quotedColumn(aggregate.attribute)
        let kind = SQLiteFunctions.number(of: aggregate.attribute.kind)
        var search: SQLSearch
        switch aggregate.kind {
        case .sum: search = try select("\(SQLiteFunctions.sum)(\(column), \(kind))", question)
        case .average: search = try select("\(SQLiteFunctions.average)(\(column), \(kind))", question)
        case .minimum: search = try select("min(\(column))", question)
        case .maximum: search = try select("max(\(column))", question)
        case .distinct:
            search = try select("DISTINCT \(column)", question)
            search.append(" ORDER BY \(column)")
        case .counts:
            search = try select("\(column), count(*)", question)
            search.append(" GROUP BY \(column) ORDER BY \(column)")
        }
        if search.rest != nil { return try aggregate.rows(of: matching(question, on: connection)) }
        let rows = try connection.rows(search.sql.text, search.sql.values)
        if aggregate.kind == .sum || aggregate.kind == .average {
            return try rows.map { row throws(StoreError) in
                if case .text(let text) = row[0], text != Double.nanText {
                    throw .outOfRange(reason: "the sum of \(aggregate.attribute)")
                }
                return [aggregate.number(row[0])]
            }
        }
        var result: [[PrimitiveValue]] = []
        for row in rows {
            guard let value = value(row[0], of: aggregate.attribute) else {
                throw unreadable(row[0], in: schema.column(for: aggregate.attribute), id: nil)
            }
            result.append([value] + row.dropFirst())
        }
        return result
    }

    /// Returns a value as the property's type stores it; nil if it is not one, or if no condition would find it.
    private func value(_ stored: PrimitiveValue, of attribute: Attribute<Object>) -> PrimitiveValue? {
        if stored == .null { return .null }
        let value = attribute.canonical(stored)
        if case .uuid(let uuid)? = value, stored != .text(uuid.uuidString) { return nil }
        return value
    }

    /// Makes a statement about all objects that match, without order and page.
    private func select(_ result: String, _ question: Question<Object>) throws(StoreError) -> SQLSearch {
        try SQLSearch(
            SQLText("SELECT \(result) FROM \(schema.quotedName)", dialect: .sqlite), where: question.condition.erased,
            in: schema.names)
    }

    private func matching(
        _ question: Question<Object>, on connection: SQLiteConnection
    ) throws(StoreError) -> [Object] {
        try execute(Question(condition: question.condition), on: connection)
    }
}
