/// A statement of SQL, for questions that the query language cannot express. Values in it are bound, and never become
/// part of the text.
///
///     films.select("SELECT * FROM films WHERE budget > \(least) ORDER BY random() LIMIT 3")
///     try database.execute("UPDATE films SET title = trim(title) WHERE year = \(year)")
///
/// An array is bound as its JSON, which SQLite reads with `json_each`: `id IN (SELECT value FROM json_each(\(ids)))`.
///
/// A statement neither begins nor ends a transaction, and has no parameters other than the values in it. On SQLite, it
/// attaches no file, and makes a temporary table or changes a setting by a `PRAGMA` only in a ``Migration``.
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text before each value, and after the last one.
    private let pieces: [String]
    package let values: [SQLValue]

    public init(stringLiteral text: String) {
        pieces = [text]
        values = []
    }

    public init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
        values = stringInterpolation.values
    }

    /// The statement for SQLite. Its parameters have no numbers, so that a parameter of the user's own is one more.
    var text: String { text { _ in "?" } }

    /// The statement, with the placeholders of a dialect.
    package func text(in dialect: SQLDialect) -> String { text(dialect.placeholder) }

    private func text(_ placeholder: (Int) -> String) -> String {
        var text = pieces[0]
        for (index, piece) in pieces.enumerated().dropFirst() { text += placeholder(index) + piece }
        return text
    }

    /// Returns a statement that selects columns from the rows of another one, which may end with semicolons or a comment.
    package static func selecting(_ columns: String, from selection: String) -> String {
        var selection = selection
        while let last = selection.last, last == ";" || last.isWhitespace { selection.removeLast() }
        return "SELECT \(columns) FROM (\(selection)\n) AS selected"
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces = [""]
        fileprivate var values: [SQLValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { pieces[pieces.count - 1] += literal }

        /// Binds a value.
        public mutating func appendInterpolation<Value: Primitive>(_ value: Value) {
            appendInterpolation(value.primitiveValue)
        }

        /// Binds a value, or NULL. Without this function, the compiler would warn of an optional in a text.
        public mutating func appendInterpolation<Value: Primitive>(_ value: Value?) {
            appendInterpolation(value.primitiveValue)
        }

        /// Binds a value in the form in which a store keeps it, for example a value of a row.
        public mutating func appendInterpolation(_ value: PrimitiveValue) {
            pieces.append("")
            values.append(.primitive(value))
        }

        /// Inserts the name of a table or a column, quoted.
        public mutating func appendInterpolation(name: String) { pieces[pieces.count - 1] += SQLText.quoted(name) }
    }
}
