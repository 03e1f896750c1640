import Persistence

/// What the query of a URL asks of a table.
struct TableQuery<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private(set) var condition: Condition<Object> = .always
    private(set) var criteria: [SortCriterion<Object>] = []
    private(set) var limit: Int?
    private(set) var offset = 0
    /// The columns to answer with; `nil` for all.
    private(set) var columns: [String]?
    /// The keys of a written row that count; `nil` for all.
    private(set) var keys: [String]?

    /// Reads the items of a query, as they are when they are percent-decoded.
    init(_ items: [(name: String, value: String)], schema: Schema<Object>) throws(TableRejection) {
        var conditions: [Condition<Object>] = []
        for (name, value) in items {
            switch name {
            case "order":
                criteria = try Self.criteria(value, in: schema)
            case "limit":
                limit = try Self.count(value, of: name)
            case "offset":
                offset = try Self.count(value, of: name)
            case "select":
                columns = try Self.columns(value, in: schema)
            case "and", "or", "not.and", "not.or":
                conditions.append(try FilterScanner.join(name, value).condition(in: schema))
            case "columns":
                keys = try Self.columns(value, in: schema)
            case "on_conflict":
                guard value == schema.id.name else {
                    throw TableRejection(
                        status: 400, code: "42P10",
                        message: "there is no unique or exclusion constraint matching the ON CONFLICT specification")
                }
            default:
                let column = name.hasPrefix("\"") ? try FilterScanner.terms(name, of: "column (\(name))")[0][0] : name
                conditions.append(try FilterScanner.test(of: column, value).condition(in: schema))
            }
        }
        condition = .all(of: conditions)
    }

    private static func count(_ text: String, of name: String) throws(TableRejection) -> Int {
        guard let count = Int(text), count >= 0 else {
            throw .unreadable("\(name) parameter (\(text))", "expecting a number from 0 on")
        }
        return count
    }

    private static func columns(_ text: String, in schema: Schema<Object>) throws(TableRejection) -> [String]? {
        let item = "select parameter (\(text))"
        var columns: [String] = []
        for term in try FilterScanner.terms(text, of: item) {
            guard term.count == 1 else { throw .unreadable(item, "this server knows columns only") }
            if term[0] == "*" {
                columns += schema.columns.map(\.name)
            } else if schema.attribute(named: term[0]) != nil {
                columns.append(term[0])
            } else {
                throw .unknownColumn(term[0], of: schema.name)
            }
        }
        return columns
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
            // PostgreSQL holds NULL to be greater than everything.
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
