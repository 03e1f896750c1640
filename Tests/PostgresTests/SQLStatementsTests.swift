import FeedbackTesting
import Persistence
import Testing

@testable import Postgres

@Suite("Statements in a text", .timeLimit(.minutes(1)))
struct SQLStatementsTests {
    /// A text that takes for ever to read would keep a thread of tasks.
    @Test("Semicolons separate them, but not in quotations, comments, parentheses and bodies", .onOwnThread)
    func semicolons() {
        let texts: [(String, [String])] = [
            ("", []), (" ; ;", []), ("a; b;", ["a", " b"]), ("a 'x;''y'; b", ["a 'x;''y'", " b"]),
            (#""a;b"; c"#, [#""a;b""#, " c"]), (#"E'\'; a'; b"#, [#"E'\'; a'"#, " b"]), ("'a;", ["'a;"]),
            ("-- a; b\nc; d", ["-- a; b\nc", " d"]), ("a -- b; c", ["a -- b; c"]),
            ("/* a; /* b; */ */ c; d", ["/* a; /* b; */ */ c", " d"]), ("a; /* b", ["a", " /* b"]),
            ("$$a;$$; $x$;$$;$x$; $1", ["$$a;$$", " $x$;$$;$x$", " $1"]), ("$$a;", ["$$a;"]),
            ("(a; (b; c)); d", ["(a; (b; c))", " d"]), ("a)); (b;", ["a))", " (b;"]),
            ("BEGIN ATOMIC a; CASE b END; END; c", ["BEGIN ATOMIC a; CASE b END; END", " c"]),
            ("BEGIN; ATOMIC; CASE; END", ["BEGIN", " ATOMIC", " CASE", " END"]),
            ("E'a; b'; c", ["E'a; b'", " c"]), ("''; a", ["''", " a"]),
            // A space or a comment may be between the words that begin a body, and nothing else.
            ("BEGIN /* x */ ATOMIC a; END; b", ["BEGIN /* x */ ATOMIC a; END", " b"]),
            ("BEGIN -- x\nATOMIC a; END; b", ["BEGIN -- x\nATOMIC a; END", " b"]),
            ("BEGIN 'x' ATOMIC a; END; b", ["BEGIN 'x' ATOMIC a", " END", " b"]),
            ("END; BEGIN ATOMIC a; END; b", ["END", " BEGIN ATOMIC a; END", " b"]),
            // A letter beyond ASCII is a part of its name.
            ("BEGIN ATOMIC \u{C0}end; END; b", ["BEGIN ATOMIC \u{C0}end; END", " b"]),
        ]
        for (text, statements) in texts { #expect(Array(SQLStatements(text)) == statements) }
    }

    @Test("The first word that is not in a comment says if a statement controls transactions", .onOwnThread)
    func firstWord() throws {
        for text in [
            "COMMIT", "\t;; end", "-- a\nCOMMIT", "-- a\r-- b\nbegin", "/* a /* b */ */ Rollback", "/**/abort;",
            // libpq would cut it off there.
            "SELECT 1\u{0}",
        ] {
            #expect(throws: StoreError.self) { try SQL(stringLiteral: text).textWithoutTransactionControl() }
        }
        for text in [
            "", "-- COMMIT", "/* COMMIT", "SELECT 1; COMMIT", "commits", "(COMMIT)", "--\nSELECT 'COMMIT'", "\u{1}",
        ] {
            #expect(try SQL(stringLiteral: text).textWithoutTransactionControl() == text)
        }
    }
}
