import Testing

@testable import Persistence

@Suite("The statement with which a SQLite table was made")
struct SQLiteDefinitionTests {
    @Test(
        "A clause about conflicts is found behind whatever is in quotes or comments",
        arguments: [
            "\"a\" INTEGER", "\"on \"\" conflict\" INTEGER", "'a'", "'it''s'", "`a` INTEGER", "[a] INTEGER",
            "/* a */ a", "-- a\na",
            "a CHECK (a - b / c > 0)",
        ])
    func behindQuotes(_ beginning: String) {
        #expect(SQLiteDefinition("CREATE TABLE t (\(beginning) UNIQUE ON CONFLICT FAIL)").hasConflictClause)
        #expect(SQLiteDefinition("CREATE TABLE t (\(beginning) UNIQUE on/**/conflict FAIL)").hasConflictClause)
        #expect(!SQLiteDefinition("CREATE TABLE t (\(beginning) UNIQUE)").hasConflictClause)
    }

    @Test(
        "What only looks like one is none",
        arguments: [
            "\"ON CONFLICT\"", "'ON CONFLICT'", "`ON CONFLICT`", "[ON CONFLICT]", "/* ON CONFLICT */", "-- ON CONFLICT",
            "ON_CONFLICT", "ON DELETE CASCADE", "CONFLICT ON", "ONCONFLICT", "éON CONFLICT", "ON1 CONFLICT",
            "ON$ CONFLICT",
            "'ON CONFLICT", "/* ON CONFLICT", "ON \"a\" a CONFLICT",
        ])
    func others(_ text: String) {
        #expect(!SQLiteDefinition("CREATE TABLE t (a \(text)").hasConflictClause)
    }
}
