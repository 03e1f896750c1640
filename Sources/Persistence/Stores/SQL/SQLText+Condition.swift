extension SQLText {
    /// Appends a condition that is true exactly of the rows whose objects `condition` is true of, and NULL or false of the rest.
    package mutating func append(_ condition: AnyCondition, in table: SQLNames) throws(StoreError) {
        var writer = SQLConditionWriter(sql: self, table: table)
        try writer.append(condition, negated: false)
        self = writer.sql
    }
}

/// Writes conditions as SQL.
private struct SQLConditionWriter {
    var sql: SQLText
    let table: SQLNames
    /// The attributes that other parts of the same "and" require to be not NULL.
    var present: [AnyAttribute] = []

    private func mayBeNull(_ attribute: AnyAttribute) -> Bool {
        attribute.isOptional && !present.contains(attribute)
    }

    private mutating func append(constant: Bool) {
        sql.append(constant ? sql.dialect.truth.isTrue : sql.dialect.truth.isFalse)
    }

    mutating func append(_ condition: AnyCondition, negated: Bool) throws(StoreError) {
        switch condition.form {
        case .constant(let value): append(constant: value != negated)
        case .not(let condition): try append(condition, negated: !negated)
        case .and(let conditions): try append(conditions, isAnd: !negated, negated: negated)
        case .or(let conditions): try append(conditions, isAnd: negated, negated: negated)
        case .comparison(let attribute, let comparison, let value):
            try append(attribute, comparison, value, negated: negated)
        case .between(let attribute, let lower, let upper):
            let column = try table.column(attribute)
            if !sql.dialect.hasZeroBytes, lower.hasZeroByte || upper.hasZeroByte {
                let bounds = [
                    AnyCondition(.comparison(attribute, .greaterOrEqual, lower)),
                    AnyCondition(.comparison(attribute, .lessOrEqual, upper)),
                ]
                try append(AnyCondition(.and(bounds)), negated: negated)
            } else if negated {
                sql.append("(", column, " < ")
                sql.append(lower)
                sql.append(" OR ", column, " > ")
                sql.append(upper)
                if mayBeNull(attribute) { sql.append(" OR ", column, " IS NULL") }
                sql.append(")")
            } else {
                sql.append(column, " BETWEEN ")
                sql.append(lower)
                sql.append(" AND ")
                sql.append(upper)
            }
        case .membership(let attribute, let values): try append(attribute, in: values, negated: negated)
        case .text(let attribute, let match): try append(attribute, match, negated: negated)
        }
    }

    private mutating func append(
        _ conditions: [AnyCondition], isAnd: Bool, negated: Bool
    ) throws(StoreError) {
        let before = present
        if isAnd {
            for condition in conditions {
                if case .comparison(let attribute, negated ? .equal : .notEqual, .null) = condition.form {
                    present.append(attribute)
                }
            }
        }
        try append(conditions[...], isAnd ? "AND" : "OR", negated: negated)
        present = before
    }

    /// Joins conditions in pairs, since databases limit the depth of an expression, but not its length.
    private mutating func append(
        _ conditions: ArraySlice<AnyCondition>, _ sign: String, negated: Bool
    ) throws(StoreError) {
        switch conditions.count {
        case 0: append(constant: sign == "AND")
        case 1: try append(conditions[conditions.startIndex], negated: negated)
        default:
            let middle = conditions.startIndex + conditions.count / 2
            sql.append("(")
            try append(conditions[..<middle], sign, negated: negated)
            sql.append(" ", sign, " ")
            try append(conditions[middle...], sign, negated: negated)
            sql.append(")")
        }
    }

    private mutating func append(
        _ attribute: AnyAttribute, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool
    ) throws(StoreError) {
        let column = try table.column(attribute)
        if !sql.dialect.hasZeroBytes, let start = value.beforeZeroByte {
            // No stored text equals this one. The texts before it are those up to and including its part before the
            // zero byte.
            switch comparison {
            case .equal, .notEqual: return append(constant: (comparison == .notEqual) != negated)
            case .less, .lessOrEqual: return try append(attribute, .lessOrEqual, start, negated: negated)
            case .greater, .greaterOrEqual: return try append(attribute, .greater, start, negated: negated)
            }
        }
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value == .null { return sql.append(column, isEqual ? " IS NULL" : " IS NOT NULL") }
            if value.isNaN { return append(constant: !isEqual) }
            sql.append(column, " ", isEqual ? "=" : mayBeNull(attribute) ? sql.dialect.isDistinct : "<>")
            sql.append(" ")
            sql.append(value)
        default:
            if value == .null || value.isNaN { return append(constant: negated) }
            sql.append("(", column, " ")
            sql.append((negated ? comparison.opposite : comparison).rawValue, " ")
            sql.append(value)
            // A database orders NaN after every number, but in a condition every ordering comparison with NaN is false.
            if attribute.kind == .real || attribute.kind == .date {
                switch (comparison, negated) {
                case (.greater, false), (.greaterOrEqual, false):
                    sql.append(" AND ", column, " <= ")
                    sql.append(sql.dialect.infinity)
                case (.greater, true), (.greaterOrEqual, true):
                    sql.append(" OR ", column, " > ")
                    sql.append(sql.dialect.infinity)
                default: break
                }
            }
            if negated && mayBeNull(attribute) { sql.append(" OR ", column, " IS NULL") }
            sql.append(")")
        }
    }

    private mutating func append(
        _ attribute: AnyAttribute, in values: [PrimitiveValue], negated: Bool
    ) throws(StoreError) {
        let column = try table.column(attribute)
        let hasZeroBytes = sql.dialect.hasZeroBytes
        var members = values.filter { $0 != .null && !$0.isNaN && (hasZeroBytes || !$0.hasZeroByte) }
        let hasNull = values.contains(.null)
        guard !members.isEmpty else {
            return hasNull ? sql.append("\(column) IS \(negated ? "NOT " : "")NULL") : append(constant: negated)
        }
        sql.append("(\(column) \(negated ? "NOT IN" : "IN") (")
        if let function = sql.dialect.listFunction, sql.dialect.isOneParameter(listOf: values.count) {
            // PostgreSQL hashes the rows of a subquery. In a prepared statement, it may compare each row with each value
            // of an array (`= ANY`).
            sql.append("SELECT \(function)(")
            sql.append(.list(members, attribute.kind))
            sql.append(")")
        } else {
            let count = sql.dialect.parameterCount(ofList: members.count)
            members += repeatElement(members[members.count - 1], count: count - members.count)
            for (index, value) in members.enumerated() {
                if index > 0 { sql.append(", ") }
                sql.append(value)
            }
        }
        sql.append(")")
        if mayBeNull(attribute) && hasNull != negated { sql.append(" OR \(column) IS NULL") }
        sql.append(")")
    }

    private mutating func append(
        _ attribute: AnyAttribute, _ match: TextMatch, negated: Bool
    ) throws(StoreError) {
        let column = try table.column(attribute)
        guard let function = sql.dialect.textFunction else {
            return negated ? append(constant: true) : appendNarrowing(column, match)
        }
        let range = !negated && match.kind == .startsWith && match.options.isEmpty ? match.pattern.prefixRange : nil
        if let range {
            // An index finds the range; the pattern then tests each text in it.
            sql.append("(\(column) >= ")
            sql.append(.text(range.lower))
            sql.append(" AND \(column) < ")
            sql.append(.text(range.upper))
            sql.append(" AND ")
        }
        sql.append("\(negated ? "NOT " : "")\(function)(\(column), ")
        sql.append(.pattern(try TextPattern(match)))
        sql.append(range == nil ? ")" : "))")
    }

    /// Appends a condition that is true of all texts that match, and of some others.
    private mutating func appendNarrowing(_ column: String, _ match: TextMatch) {
        let pattern = PrimitiveValue.text(match.pattern.precomposed)
        guard match.options.isEmpty, match.kind != .like, match.kind != .matches else { return append(constant: true) }
        if pattern.hasZeroByte && !sql.dialect.hasZeroBytes { return append(constant: false) }
        switch match.kind {
        case .equals:
            sql.append("\(column) = ")
            sql.append(pattern)
        case .startsWith:
            guard let range = match.pattern.prefixRange else { return append(constant: true) }
            sql.append("(\(column) >= ")
            sql.append(.text(range.lower))
            sql.append(" AND \(column) < ")
            sql.append(.text(range.upper))
            sql.append(")")
        default:
            sql.append("\(sql.dialect.positionFunction)(\(column), ")
            sql.append(pattern)
            sql.append(") > 0")
        }
    }
}

extension PrimitiveValue {
    /// The part of a text before its first zero byte, or nil if it has none.
    fileprivate var beforeZeroByte: PrimitiveValue? {
        guard case .text(let text) = self else { return nil }
        let utf8 = text.utf8
        return utf8.firstIndex(of: 0).map { .text(String(text[..<$0])) }
    }

    package var hasZeroByte: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}

extension String {
    /// Two composed texts that bound, in the order of their bytes, all texts that start with this one; nil if there is
    /// no upper bound.
    var prefixRange: (lower: String, upper: String)? {
        let lower = precomposed
        guard let last = lower.unicodeScalars.last else { return nil }
        var start = lower.unicodeScalars
        start.removeLast()
        var next = last.value
        while true {
            // Surrogates are not scalars.
            next = next == 0xD7FF ? 0xE000 : next + 1
            guard let scalar = Unicode.Scalar(next) else { return nil }
            let upper = String(start + [scalar])
            // Composing must not change the upper bound.
            if ComposedScalars.contains(scalar) || upper.precomposed.utf8.elementsEqual(upper.utf8) {
                return (lower, upper)
            }
        }
    }
}
