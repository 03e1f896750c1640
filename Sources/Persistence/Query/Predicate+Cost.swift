extension Predicate {
    /// How deep and how large the predicate is as an expression that joins two parts at a time.
    var cost: (depth: Int, size: Int) {
        switch form {
        case .constant, .comparison, .between, .text: return (1, 1)
        case .membership(_, let values): return (1, max(1, values.count))
        case .not(let predicate): return predicate.cost
        case .and(let predicates), .or(let predicates):
            var cost = (depth: 0, size: 0)
            for predicate in predicates {
                let part = predicate.cost
                cost = (max(cost.depth, part.depth), cost.size + part.size)
            }
            let levels = Int.bitWidth - max(0, predicates.count - 1).leadingZeroBitCount
            return (cost.depth + levels, cost.size)
        }
    }

    /// Fails where a property has no column.
    func checkColumns(of schema: Schema<Object>) throws(StoreError) where Object: Identifiable, Object.ID: Primitive {
        switch form {
        case .constant: return
        case .comparison(let attribute, _, _), .membership(let attribute, _), .between(let attribute, _, _),
            .text(let attribute, _):
            _ = try schema.quotedColumn(attribute)
        case .not(let predicate): try predicate.checkColumns(of: schema)
        case .and(let predicates), .or(let predicates):
            for predicate in predicates { try predicate.checkColumns(of: schema) }
        }
    }
}
