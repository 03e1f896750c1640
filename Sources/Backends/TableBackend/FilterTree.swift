import Persistence

/// The parsed filters of a query, before their columns are known.
indirect enum FilterTree: Equatable, Sendable {
    case test(FilterTest)
    /// `and(…)` or `or(…)`, or the same after a `not.`.
    case join(isAnd: Bool, isNegated: Bool, [FilterTree])
}

/// A test of one column: `column.not.operator.value`.
struct FilterTest: Equatable, Sendable {
    enum Comparison: String, Sendable {
        case equal = "eq"
        case notEqual = "neq"
        case less = "lt"
        case lessOrEqual = "lte"
        case greater = "gt"
        case greaterOrEqual = "gte"
        case like
        case ilike
        case match
        case imatch

        var allowsQuantifier: Bool { self != .notEqual }
    }

    /// Compares with any or with all elements of an array.
    enum Quantifier: String, Sendable {
        case any = "(any)"
        case all = "(all)"
    }

    enum Operation: Equatable, Sendable {
        case compare(Comparison, String)
        case quantified(Comparison, Quantifier, [String])
        case isDistinct(String)
        case member([String])
        case isNull
        case isNotNull
        case isBool(Bool)
        case isUnknown
        /// An operator that no type of column has, by its name in SQL.
        case other(String)
    }

    var column: String
    var isNegated: Bool
    var operation: Operation

    static let otherOperators = [
        "cs": "@>", "cd": "<@", "ov": "&&", "sl": "<<", "sr": ">>", "nxr": "&<", "nxl": "&>", "adj": "-|-",
    ]
}
