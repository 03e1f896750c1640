import Foundation
import Testing

@testable import Persistence

@Suite("Text")
struct TextPatternTests {
    @Test(
        "Text is found by characters, with or without differences of case and accents",
        arguments: [
            (.startsWith, "The", "The Third Man", [], true),
            (.startsWith, "the", "The Third Man", [], false),
            (.startsWith, "the", "The Third Man", .caseInsensitive, true),
            (.startsWith, "cafe", "cafe\u{301}", [], false),
            (.startsWith, "caf\u{E9}", "cafe\u{301} noir", [], true),
            (.startsWith, "CAFE", "cafe\u{301}", [.caseInsensitive, .diacriticInsensitive], true),
            (.startsWith, "", "", [], true),
            (.startsWith, "é", "étude", [], true),
            (.startsWith, "été", "é", [], false),
            (.startsWith, "Theatre", "The", [], false),
            (.contains, "aé", "Aé", [], false),
            (.startsWith, "line\r", "line\r\nbreak", [], false),
            (.endsWith, "\n", "line\r\n", [], false),
            (.endsWith, "\r\n", "line\r\n", [], true),
            (.endsWith, "Man", "The Third Man", [], true),
            (.contains, "\u{1F1EB}", "\u{1F1EB}\u{1F1F7}", [], false),
            (.contains, "strasse", "Hauptstraße 1", .caseInsensitive, true),
            (.contains, "ΣΊΣΥΦΟΣ", "ο Σίσυφος", .caseInsensitive, true),
            (.contains, "a\u{0}b", "xa\u{0}bx", [], true),
            (.contains, "侍", "七人の侍", [], true),
            (.contains, "%", "100", [], false),
            (.contains, "a_c", "abc", [], false),
            (.equals, "amelie", "Amélie", [.caseInsensitive, .diacriticInsensitive], true),
            (.equals, "amelie", "Amélie", .caseInsensitive, false),
            (.equals, "Amelie", "Amélie", .diacriticInsensitive, true),
            (.equals, "七", "侍", .diacriticInsensitive, false),
            (.equals, "The Third Man", "The Third Man", [], true),
            (.equals, "The", "The Third Man", [], false),
            (.equals, "The Third Man", "The Third Men", [], false),
            (.equals, "the", "The Third Man", .caseInsensitive, false),
            (.equals, "the", "Theatre", .caseInsensitive, false),
            (.startsWith, "tha", "The Third Man", .caseInsensitive, false),
            (.endsWith, "men", "The Third Man", .caseInsensitive, false),
            (.equals, "the", "thé noir", .diacriticInsensitive, false),
            (.startsWith, "Noir", "Café noir", .diacriticInsensitive, false),
            (.endsWith, "Café", "Café noir", .diacriticInsensitive, false),
            (.like, "The%", "The Third Man", [], true),
            (.like, "the%", "The Third Man", [], false),
            (.like, "%The%", "The", [], true),
            (.like, "%b", "ab", [], true),
            (.like, "%ab", "acb", [], false),
            (.like, "the%", "The Third Man", .caseInsensitive, true),
            (.like, "_é", "Thé", [], false),
            (.like, "T_é", "The\u{301}", [], true),
            (.like, "%man", "The Third Man man", [], true),
            (.like, "%éb", "éxb", [], false),
            (.like, "%ab%cd", "abxcxd", [], false),
            (.like, "100\\%", "100%", [], true),
            (.like, "100\\%", "1000", [], false),
            (.like, "a\\b", "a\\b", [], true),
            (.like, "_", "\r\n", [], true),
            (.like, "%a%a%a%a%a%a%a%a%b", String(repeating: "a", count: 500), [], false),
            (.matches, "^Th[ei]", "The", [], true),
            (.matches, "d$", "The Third Man", [], false),
        ] as [(TextMatch.Kind, String, String, TextOptions, Bool)])
    func matching(_ kind: TextMatch.Kind, _ pattern: String, _ text: String, _ options: TextOptions, _ isFound: Bool)
        throws
    {
        let pattern = try TextPattern(TextMatch(kind: kind, pattern: pattern, options: options))
        #expect(pattern.matches(text) == isFound)
    }

    @Test("Scalars that are assumed to be composed are not changed by composing")
    func knownPrecomposed() throws {
        var checked = 0
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), ComposedScalars.contains(scalar), value >= 0x300 else { continue }
            let text = String(Character(scalar))
            #expect(Array(text.precomposedStringWithCanonicalMapping.unicodeScalars) == [scalar])
            #expect(scalar.properties.canonicalCombiningClass == .notReordered)
            checked += 1
        }
        #expect(checked > 30_000)
    }

    @Test("A range of texts holds all that begin with a prefix")
    func prefixRange() throws {
        for prefix in ["a", "The", "\u{D7FF}", "七", "é", "z\u{10FFFE}"] {
            let (lower, upper) = try #require(prefix.prefixRange)
            for rest in ["", "a", "\u{10FFFF}", "zz"] {
                #expect(lower <= prefix + rest && prefix + rest < upper)
            }
        }
        #expect("".prefixRange == nil)
        #expect("\u{10FFFF}".prefixRange == nil)
    }

    @Test("A pattern that is not a regular expression throws an error that says why, on every store")
    func invalidPattern() throws {
        let query = MemoryStore(Film.schema).filter(where: .matches(\.title, "("))
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let observations = [query.observe(), query.asked(of: sqlite).observe()]
        for result in [query.result(), query.asked(of: sqlite).result()] + observations {
            let error = #expect(throws: StoreError.self) { try result.get() }
            guard case .invalidPattern("(", _)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
        }
    }
}
