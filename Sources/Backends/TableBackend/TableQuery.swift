import Persistence

/// The query of a URL, read for a table.
struct TableQuery<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private(set) var condition: Condition<Object> = .always
    private(set) var criteria: [SortCriterion<Object>] = []
    private(set) var range: RowRange
    /// The columns of the answer.
    private(set) var columns: [SelectedColumn]
    /// The columns to write; nil for those that the rows have.
    private(set) var keys: [Int]?

    /// Reads the percent-decoded items of a query.
    init(_ items: [(name: String, value: String)], schema: Schema<Object>) throws(TableRejection) {
        var filters: [FilterTree] = []
        var (limit, offset): (String?, String?)
        columns = schema.columns.indices.map { SelectedColumn(name: schema.columns[$0].name, position: $0) }
        for (name, value) in items {
            switch name {
            case "order": criteria = try Self.criteria(value, in: schema)
            case "limit": limit = value
            case "offset": offset = value
            case "select": columns = try SelectedColumn.list(value, in: schema)
            case "and", "or", "not.and", "not.or":
                filters.append(try FilterScanner.join(name, value))
            case "columns":
                let names = try FilterScanner.terms(value, of: "columns parameter (\(value))").map { $0[0] }
                keys = try schema.positions(ofKeys: names)
            case "on_conflict": try Self.checkConflict(value, in: schema)
            default:
                let column = name.hasPrefix("\"") ? try FilterScanner.terms(name, of: "column (\(name))")[0][0] : name
                filters.append(try FilterScanner.test(of: column, value))
            }
        }
        range = try RowRange(limit: limit, offset: offset)
        var conditions: [Condition<Object>] = []
        for filter in filters { conditions.append(try filter.condition(in: schema)) }
        guard filters.reduce(0, { $0 + $1.patternCost }) <= PatternCost.limitOfRequest else { throw .slowPatterns }
        condition = .all(of: conditions)
    }

    private static func checkConflict(_ value: String, in schema: Schema<Object>) throws(TableRejection) {
        let names = try FilterScanner.terms(value, of: "on_conflict parameter (\(value))").map { $0[0] }
        for name in names where schema.attribute(named: name) == nil {
            throw TableRejection(status: 400, code: "42703", message: "column \"\(name)\" does not exist")
        }
        guard names == [schema.id.name] else {
            throw TableRejection(
                status: 400, code: "42P10",
                message: "there is no unique or exclusion constraint matching the ON CONFLICT specification")
        }
    }

    private static func criteria(
        _ text: String, in schema: Schema<Object>
    ) throws(TableRejection) -> [SortCriterion<Object>] {
        let item = "order (\(text))"
        var criteria: [SortCriterion<Object>] = []
        for term in try FilterScanner.terms(text, of: item) {
            guard let attribute = schema.attribute(named: term[0]) else {
                throw .unknownColumn(term[0], of: schema.name)
            }
            var words = term.dropFirst()
            var order = SortCriterion<Object>.Order.ascending
            if words.first == "asc" || words.first == "desc" {
                order = words.removeFirst() == "asc" ? .ascending : .descending
            }
            // In PostgreSQL, NULL is greater than every value.
            var place = order == .ascending ? SortCriterion<Object>.NilPlace.last : .first
            if words.first == "nullsfirst" || words.first == "nullslast" {
                place = words.removeFirst() == "nullsfirst" ? .first : .last
            }
            if let word = words.first {
                throw .unreadable(item, "unexpected \"\(word)\", expecting asc, desc, nullsfirst or nullslast")
            }
            criteria.append(SortCriterion(attribute, order, nil: place))
        }
        return criteria
    }
}

/// A column of an answer, under its own name or another one: `id` or `number:id`.
struct SelectedColumn: Equatable, Sendable {
    let name: String
    /// The position in the schema.
    let position: Int

    /// The greatest number of columns of an answer besides those that the table has.
    private static let greatestCount = 100

    static func list<Object>(_ text: String, in schema: Schema<Object>) throws(TableRejection) -> [SelectedColumn] {
        let item = "select parameter (\(text))"
        for (feature, sign) in [("casts", "::"), ("embedding and aggregates", "("), ("paths into JSON", "->")]
        where text.contains(sign) {
            throw .notServed(feature)
        }
        if text.isEmpty { return [] }
        var columns: [SelectedColumn] = []
        for term in try FilterScanner.terms(text, of: item, separator: ":") {
            guard let name = term.last, term.count <= 2 else {
                throw .unreadable(item, "expecting the name of a column, or another name for it and a colon before it")
            }
            if name == "*", term.count == 1 {
                columns += schema.columns.indices.map {
                    SelectedColumn(name: schema.columns[$0].name, position: $0)
                }
            } else if let position = schema.position(of: name) {
                columns.append(SelectedColumn(name: term[0], position: position))
            } else {
                throw .unknownColumn(name, of: schema.name)
            }
        }
        // Each would be written for each row, so that a short request could ask for an answer of any size.
        guard columns.count <= schema.columns.count + greatestCount else {
            throw .unreadable(item, "expecting at most \(greatestCount) columns besides those of the table")
        }
        var names: Set<String> = []
        for column in columns where !names.insert(column.name).inserted {
            throw .unreadable(item, "column \"\(column.name)\" is selected more than once")
        }
        return columns
    }
}

extension Schema {
    func position(of name: String) -> Int? { columns.firstIndex { $0.name == name } }

    /// Returns the positions of the columns with these names.
    func positions(ofKeys names: [String]) throws(TableRejection) -> [Int] {
        var positions: [Int] = []
        for name in names {
            guard let position = position(of: name) else { throw .unknownKey(name, of: self.name) }
            if !positions.contains(position) { positions.append(position) }
        }
        return positions
    }
}
