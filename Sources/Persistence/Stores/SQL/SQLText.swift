/// SQL in one dialect, together with the values of its parameters.
package struct SQLText: Sendable {
    package private(set) var text = ""
    package private(set) var values: [SQLValue] = []
    package let dialect: SQLDialect

    package init(_ text: String = "", dialect: SQLDialect) {
        self.text = text
        self.dialect = dialect
        // Most statements fit, so that the text is copied only once.
        self.text.reserveCapacity(text.utf8.count + 256)
    }

    package mutating func append(_ sql: String) { text += sql }

    /// Appends several texts; that is faster than to interpolate them into one.
    mutating func append(_ first: String, _ second: String, _ third: String = "") {
        text += first
        text += second
        text += third
    }

    package mutating func append(_ value: PrimitiveValue) { append(.primitive(value)) }

    package mutating func append(_ value: SQLValue) {
        values.append(value)
        text += dialect.nextPlaceholder ?? dialect.placeholder(values.count)
    }

    /// Returns a name quoted for SQL, so that it can only be read as a name.
    package static func quoted(_ identifier: String) -> String {
        // Quotes are found by bytes, since a quote with a combining mark after it is one character that does not equal
        // a quote.
        var quoted: [UInt8] = [0x22]
        for byte in identifier.utf8 { quoted += byte == 0x22 ? [0x22, 0x22] : [byte] }
        return String(decoding: quoted + [0x22], as: UTF8.self)
    }
}

/// The value of a parameter. Values are always bound, and never become part of the text.
package enum SQLValue: Sendable {
    case primitive(PrimitiveValue)
    case pattern(TextPattern)
    /// Values of one kind, none of them NULL, for dialects with a ``SQLDialect/listFunction``.
    case list([PrimitiveValue], PrimitiveKind)
}

extension Schema {
    package func quotedColumn(_ attribute: Attribute<Object>) throws(StoreError) -> String {
        try names.column(attribute.erased)
    }
}
