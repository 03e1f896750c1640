/// The differences between SQL databases that concern conditions and queries.
package struct SQLDialect: Sendable {
    /// Returns the placeholder of the parameter with this number; the first one has the number 1.
    package var placeholder: @Sendable (Int) -> String
    /// The placeholder of one more parameter; nil if each needs its number.
    package var nextPlaceholder: String?
    /// The literals of true and false.
    package var truth: (isTrue: String, isFalse: String)
    /// The operator that is true if two values differ, also if one of them is NULL.
    package var isDistinct: String
    /// The literal of infinity, the largest number. Only NaN comes after it.
    package var infinity: String
    /// The function that tests a column, its first argument, with a ``TextPattern``, its second; nil if there is none.
    /// Then text is matched in memory, and the database only narrows the rows down.
    package var textFunction: String?
    /// The function that returns the place of a text, its second argument, in a column, its first; zero if the text
    /// does not occur.
    package var positionFunction: String
    /// The function that makes rows of a list, its argument; nil if a list cannot be a parameter.
    package var listFunction: String?
    /// True if text may have zero bytes.
    package var hasZeroBytes: Bool
    /// The words after `INSERT` or `UPDATE` that make a statement fail if a constraint forbids it, whatever the table's
    /// definition says; empty if no definition says anything else.
    package var conflictClause = ""
    /// The largest number of parameters of one statement.
    package var maximumParameters: Int
    /// The largest number of single tests in a condition.
    package var maximumTests: Int
    /// The largest depth of expressions, as joined by ``SQLText``.
    package var maximumDepth: Int

    package init(
        placeholder: @escaping @Sendable (Int) -> String, truth: (isTrue: String, isFalse: String), isDistinct: String,
        infinity: String, textFunction: String?, positionFunction: String, listFunction: String?, hasZeroBytes: Bool,
        maximumParameters: Int, maximumTests: Int = .max, maximumDepth: Int
    ) {
        self.placeholder = placeholder
        self.truth = truth
        self.isDistinct = isDistinct
        self.infinity = infinity
        self.textFunction = textFunction
        self.positionFunction = positionFunction
        self.listFunction = listFunction
        self.hasZeroBytes = hasZeroBytes
        self.maximumParameters = maximumParameters
        self.maximumTests = maximumTests
        self.maximumDepth = maximumDepth
    }

    // The time in which SQLite plans a statement grows with the square of the number of tests: 2 s for 4,000, two minutes
    // for 32,000.
    static let sqlite: SQLDialect = {
        var dialect = SQLDialect(
            placeholder: { "?\($0)" }, truth: ("1", "0"), isDistinct: "IS NOT", infinity: "9e999",
            textFunction: SQLiteFunctions.matches, positionFunction: "instr", listFunction: nil, hasZeroBytes: true,
            maximumParameters: 32_000, maximumTests: 4_000, maximumDepth: 16)
        // For each parameter with a number, SQLite searches a list of all: a second for 32,000 of them.
        dialect.nextPlaceholder = "?"
        return dialect
    }()

    /// The same for a table whose definition has clauses such as `ON CONFLICT REPLACE`, which `OR ABORT` overrules.
    ///
    /// SQLite then also overrules such words in the triggers of the table, so other tables do without.
    static let sqliteWithConflictClauses: SQLDialect = {
        var dialect = sqlite
        dialect.conflictClause = " OR ABORT"
        return dialect
    }()

    /// The length up to which each value of a list is a parameter.
    static var maximumSeparateValues: Int { 1_024 }

    /// Returns the number of parameters for a list of this length. Lists are padded to a power of two, so that lists of
    /// similar length share a prepared statement.
    func parameterCount(ofList count: Int) -> Int {
        if isOneParameter(listOf: count) { return 1 }
        guard count < Self.maximumSeparateValues else { return count }
        return 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
    }

    /// Returns true if a list of this length is one parameter.
    func isOneParameter(listOf count: Int) -> Bool { listFunction != nil && count > Self.maximumSeparateValues }
}
