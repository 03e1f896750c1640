extension Condition {
    /// The depth and the size of the condition in SQLite's dialect.
    var cost: (depth: Int, size: Int) { cost(in: .sqlite) }

    /// Returns the depth of the condition, as an expression that joins two parts at a time, and its size: the greatest
    /// number of its parameters.
    func cost(in dialect: SQLDialect) -> (depth: Int, size: Int) {
        switch form {
        case .constant, .comparison: return (1, 1)
        case .between: return (1, 2)
        // The bounds of the texts that start with the pattern, and the pattern.
        case .text(_, let match): return (1, match.kind == .startsWith ? 3 : 1)
        case .membership(_, let values):
            return (1, dialect.parameterCount(ofList: values.count))
        case .not(let condition): return condition.cost(in: dialect)
        case .and(let conditions), .or(let conditions):
            var cost = (depth: 0, size: 0)
            for condition in conditions {
                let part = condition.cost(in: dialect)
                cost = (max(cost.depth, part.depth), cost.size + part.size)
            }
            let levels = Int.bitWidth - max(0, conditions.count - 1).leadingZeroBitCount
            return (cost.depth + levels, cost.size)
        }
    }

    /// Throws if a property has no column.
    func checkColumns(of schema: Schema<Object>) throws(StoreError) where Object: Identifiable, Object.ID: Primitive {
        switch form {
        case .constant: return
        case .comparison(let attribute, _, _), .membership(let attribute, _), .between(let attribute, _, _),
            .text(let attribute, _):
            _ = try schema.quotedColumn(attribute)
        case .not(let condition): try condition.checkColumns(of: schema)
        case .and(let conditions), .or(let conditions):
            for condition in conditions { try condition.checkColumns(of: schema) }
        }
    }
}
