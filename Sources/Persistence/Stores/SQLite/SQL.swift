/// A statement of SQLite's SQL, for what the query language does not say. Values in it are bound, and never become part of the text.
///
///     films.select("SELECT * FROM films WHERE budget > \(least) ORDER BY random() LIMIT 3")
///     try database.execute("UPDATE films SET title = trim(title) WHERE year = \(year)")
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    let text: String
    let values: [SQLValue]

    public init(stringLiteral text: String) {
        self.text = text
        values = []
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        values = stringInterpolation.values
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var values: [SQLValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Binds a value.
        public mutating func appendInterpolation<Value: Primitive>(_ value: Value) {
            text += "?"
            values.append(.primitive(value.primitiveValue))
        }

        /// Binds a value as a store keeps it, for example one of a row.
        public mutating func appendInterpolation(_ value: PrimitiveValue) {
            text += "?"
            values.append(.primitive(value))
        }

        /// Inserts the name of a table or a column, quoted.
        public mutating func appendInterpolation(name: String) { text += SQLText.quoted(name) }
    }
}
