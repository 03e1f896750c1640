/// SQL, with the values of its parameters apart from it.
struct SQLText: Sendable {
    private(set) var text = ""
    private(set) var values: [SQLValue] = []

    mutating func append(_ sql: String) { text += sql }

    mutating func append(_ value: PrimitiveValue) {
        text += "?"
        values.append(.primitive(value))
    }

    mutating func append(_ pattern: TextPattern) {
        text += "?"
        values.append(.pattern(pattern))
    }

    /// A name, quoted so that it can be nothing but a name.
    static func quoted(_ identifier: String) -> String {
        "\"" + identifier.replacing("\"", with: "\"\"") + "\""
    }
}

extension SQLText {
    /// Appends a condition that is true exactly of the rows whose objects `condition` is true of, and NULL or false of the rest.
    mutating func append<Object>(_ condition: Condition<Object>, in schema: Schema<Object>) throws(StoreError) {
        try append(condition, negated: false, schema)
    }

    private mutating func append<Object>(
        _ condition: Condition<Object>, negated: Bool, _ schema: Schema<Object>
    ) throws(StoreError) {
        switch condition.form {
        case .constant(let value): append(value != negated ? "1" : "0")
        case .not(let condition): try append(condition, negated: !negated, schema)
        case .and(let conditions): try append(conditions[...], negated ? "OR" : "AND", negated: negated, schema)
        case .or(let conditions): try append(conditions[...], negated ? "AND" : "OR", negated: negated, schema)
        case .comparison(let attribute, let comparison, let value):
            try append(attribute, comparison, value, negated: negated, schema)
        case .between(let attribute, let lower, let upper):
            let column = try schema.quotedColumn(attribute)
            append(negated ? "(" : "\(column) BETWEEN ")
            if negated {
                append("\(column) < ")
                append(lower)
                append(" OR \(column) > ")
                append(upper)
                append(attribute.isOptional ? " OR \(column) IS NULL)" : ")")
            } else {
                append(lower)
                append(" AND ")
                append(upper)
            }
        case .membership(let attribute, let values):
            try append(attribute, values, negated: negated, schema)
        case .text(let attribute, let match):
            try append(attribute, match, negated: negated, schema)
        }
    }

    /// Joins conditions two and two, since SQLite limits how deep, and not how long, an expression may be.
    private mutating func append<Object>(
        _ conditions: ArraySlice<Condition<Object>>, _ sign: String, negated: Bool, _ schema: Schema<Object>
    ) throws(StoreError) {
        switch conditions.count {
        case 0: append(sign == "AND" ? "1" : "0")
        case 1: try append(conditions[conditions.startIndex], negated: negated, schema)
        default:
            let middle = conditions.startIndex + conditions.count / 2
            append("(")
            try append(conditions[..<middle], sign, negated: negated, schema)
            append(" \(sign) ")
            try append(conditions[middle...], sign, negated: negated, schema)
            append(")")
        }
    }

    private mutating func append<Object>(
        _ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool,
        _ schema: Schema<Object>
    ) throws(StoreError) {
        let column = try schema.quotedColumn(attribute)
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value == .null { return append("\(column) IS \(isEqual ? "" : "NOT ")NULL") }
            if value.isNaN { return append(isEqual ? "0" : "1") }
            // IS NOT, unlike <>, is true where only one side is NULL.
            append("\(column) \(isEqual ? "=" : attribute.isOptional ? "IS NOT" : "<>") ")
            append(value)
        default:
            if value == .null || value.isNaN { return append(negated ? "1" : "0") }
            append("(\(column) \(negated ? comparison.opposite.rawValue : comparison.rawValue) ")
            append(value)
            // NaN is kept as text, which SQLite orders after every number.
            if attribute.kind == .real || attribute.kind == .date {
                switch (comparison, negated) {
                case (.greater, false), (.greaterOrEqual, false): append(" AND \(column) <= 9e999")
                case (.greater, true), (.greaterOrEqual, true): append(" OR \(column) > 9e999")
                default: break
                }
            }
            append(negated && attribute.isOptional ? " OR \(column) IS NULL)" : ")")
        }
    }

    private mutating func append<Object>(
        _ attribute: Attribute<Object>, _ values: [PrimitiveValue], negated: Bool, _ schema: Schema<Object>
    ) throws(StoreError) {
        let column = try schema.quotedColumn(attribute)
        var members = values.filter { $0 != .null && !$0.isNaN }
        let hasNull = members.count < values.count && values.contains(.null)
        guard !members.isEmpty else {
            return append(hasNull ? "\(column) IS \(negated ? "NOT " : "")NULL" : negated ? "1" : "0")
        }
        // Lists of like length share a statement.
        while members.count < 1024, members.count & (members.count - 1) != 0 {
            members.append(members[members.count - 1])
        }
        append("(\(column) \(negated ? "NOT IN" : "IN") (")
        for (index, value) in members.enumerated() {
            if index > 0 { append(", ") }
            append(value)
        }
        append(")")
        if attribute.isOptional && hasNull != negated { append(" OR \(column) IS NULL") }
        append(")")
    }

    private mutating func append<Object>(
        _ attribute: Attribute<Object>, _ match: TextMatch, negated: Bool, _ schema: Schema<Object>
    ) throws(StoreError) {
        let column = try schema.quotedColumn(attribute)
        if !negated, match.kind == .startsWith, match.options.isEmpty, let (lower, upper) = match.pattern.prefixRange {
            // What the range lets through, an index can find; the pattern then has the last word.
            append("(\(column) >= ")
            append(.text(lower))
            append(" AND \(column) < ")
            append(.text(upper))
            append(" AND ")
            append("\(SQLiteFunctions.matches)(\(column), ")
            append(try TextPattern(match))
            return append("))")
        }
        append("\(negated ? "NOT " : "")\(SQLiteFunctions.matches)(\(column), ")
        append(try TextPattern(match))
        append(")")
    }
}

extension Schema {
    func quotedColumn(_ attribute: Attribute<Object>) throws(StoreError) -> String {
        guard let column = column(for: attribute) else { throw .unknownProperty("\(attribute)", table: name) }
        return SQLText.quoted(column.name)
    }
}

extension String {
    /// The texts between which, in the order of their bytes, all texts lie that start with this one; nil where there is no upper one.
    var prefixRange: (String, String)? {
        let lower = precomposed
        guard let last = lower.unicodeScalars.last else { return nil }
        // Surrogates are no scalars.
        let following = last.value == 0xD7FF ? 0xE000 : last.value + 1
        guard let next = Unicode.Scalar(following) else { return nil }
        var upper = lower.unicodeScalars
        upper.removeLast()
        upper.append(next)
        return (lower, String(upper))
    }
}
