import Persistence

/// The filters of a query as they are written, before anybody asks what the columns are.
indirect enum FilterTree: Equatable, Sendable {
    case test(FilterTest)
    /// `and(…)` or `or(…)`, perhaps behind a `not.`.
    case join(isAnd: Bool, isNegated: Bool, [FilterTree])
}

/// `column.not.operator.value`
struct FilterTest: Equatable, Sendable {
    enum Operation: Equatable, Sendable {
        case compare(Comparison, String)
        case isDistinct(String)
        case like(String, ignoresCase: Bool)
        case match(String, ignoresCase: Bool)
        case member([String])
        case isNull
        case isBool(Bool)
        case isUnknown
    }

    var column: String
    var isNegated: Bool
    var operation: Operation
}
