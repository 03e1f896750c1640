import Persistence

extension SQLDialect {
    static let postgres = SQLDialect(
        placeholder: { "$\($0)" }, truth: ("TRUE", "FALSE"), isDistinct: "IS DISTINCT FROM",
        infinity: "'Infinity'::float8", textFunction: nil, positionFunction: "strpos", listFunction: "unnest",
        hasZeroBytes: false, maximumParameters: 32_000, maximumDepth: 64)
}
