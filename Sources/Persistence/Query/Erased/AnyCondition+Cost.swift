/// The things in a condition that a database limits.
struct ConditionCost {
    /// The depth of the expression.
    var depth = 1
    /// The number of single tests.
    var tests = 1
    /// The greatest number of parameters.
    var parameters = 1
}

extension SQLDialect {
    /// Returns whether a condition is within the limits.
    func allows(_ cost: ConditionCost) -> Bool {
        cost.depth <= maximumDepth && cost.tests <= maximumTests && cost.parameters <= maximumParameters
    }
}

extension AnyCondition {
    /// The cost of the condition in SQLite's dialect.
    var cost: ConditionCost { cost(in: .sqlite) }

    /// Returns the cost of the condition as an expression that joins two parts at a time.
    func cost(in dialect: SQLDialect) -> ConditionCost {
        switch form {
        case .constant, .comparison: return ConditionCost()
        case .between: return ConditionCost(parameters: 2)
        // The bounds of the texts that start with the pattern, and the pattern.
        case .text(_, let match): return ConditionCost(parameters: match.kind == .startsWith ? 3 : 1)
        case .membership(_, let values):
            return ConditionCost(parameters: dialect.parameterCount(ofList: values.count))
        case .not(let condition): return condition.cost(in: dialect)
        case .and(let conditions), .or(let conditions):
            var cost = ConditionCost(tests: 0, parameters: 0)
            for condition in conditions {
                let part = condition.cost(in: dialect)
                cost.depth = max(cost.depth, part.depth)
                cost.tests += part.tests
                cost.parameters += part.parameters
            }
            cost.depth += Int.bitWidth - max(0, conditions.count - 1).leadingZeroBitCount
            return cost
        }
    }

    /// Throws if a property has no column.
    func checkColumns(of table: SQLNames) throws(StoreError) {
        switch form {
        case .constant: return
        case .comparison(let attribute, _, _), .membership(let attribute, _), .between(let attribute, _, _),
            .text(let attribute, _):
            _ = try table.column(attribute)
        case .not(let condition): try condition.checkColumns(of: table)
        case .and(let conditions), .or(let conditions):
            for condition in conditions { try condition.checkColumns(of: table) }
        }
    }
}
