import CSQLite

/// What SQLite calls back for: the text conditions, which mean in SQL exactly what they mean in memory.
enum SQLiteFunctions {
    /// Whether a text matches a pattern: `feedback_matches(text, pattern)`. False of NULL.
    static let matches = "feedback_matches"

    /// The name under which SQLite hands a pattern through, by address.
    static var patternType: UnsafePointer<CChar> {
        UnsafeRawPointer(("feedback pattern" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }

    static func register(with connection: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            connection, matches, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, arguments in
                guard let arguments, sqlite3_value_type(arguments[0]) == SQLITE_TEXT,
                    let pattern = sqlite3_value_pointer(arguments[1], SQLiteFunctions.patternType)
                else { return sqlite3_result_int(context, 0) }
                let start = sqlite3_value_text(arguments[0])
                let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(arguments[0])))
                let matches = Unmanaged<TextPattern>.fromOpaque(pattern)._withUnsafeGuaranteedRef { $0.matches(text) }
                sqlite3_result_int(context, matches ? 1 : 0)
            }, nil, nil, nil)
    }
}
