import Testing

@testable import TableBackend

/// A repetition costs 4, a choice or an optional part 1, and each pattern 1 more.
struct PatternCostTests {
    @Test(
        "A pattern that is known to be fast has a cost",
        arguments: [
            ("", 1), ("a.c", 1), ("^a$", 1), ("a*", 5), ("a+", 5), ("a?b", 2), ("a*?", 5), ("a*+b", 5), ("a??b", 2),
            ("a?b*", 6), ("a*b*", 9), ("a*b*c?d?", 11), ("a*[b]*", 9), (#"a*\d*"#, 9), ("a*(b)*", 9), ("(a*)b*", 9),
            // A choice of the whole pattern costs nothing.
            ("a|b|c|d|e|f|g|h|i|j|k|l|m", 1), ("(a|b|c)", 3), ("(?:a|b)c*", 6), ("((a|b)c)d", 2),
            ("a{3}", 1), ("a{1000}", 1), ("a{1,2}", 5), ("a{,2}", 5), ("a{2,}", 5), ("a{2}?b{3}", 1),
            ("(a)*", 5), ("(?:a)", 1), ("(?i)a*", 5), ("[^a]*", 5), (#"[\]]*"#, 5), ("[[:digit:]]*", 5),
            ("[a(b|c)*+?]", 1), (#"\(\*"#, 1), (#"\"#, 1), ("a\r\nb", 1), ("\u{E9}*", 5), ("👨‍👩‍👧*", 5),
        ])
    func fast(pattern: String, cost: Int) {
        #expect(PatternCost.cost(of: pattern) == cost)
    }

    @Test(
        "A pattern that could be slow has none",
        arguments: [
            "a*b*c*", "a*b*c?d?e?", "(a|b|c)(d|e)f*g*", "a**", "a?*", "a{2}*", "a{1,2}{3}", "(a*)*", "(a*b)+", "(a?b)*",
            "(a|b)*", "((a|b)c)*", "(a{2}b)*", "((a*))*", "(*a)", "(?=a)", "(?<n>a)", "x(?i)a", #"(a)\1"#, #"\Qa\E"#,
            "a{1001}", "a{1,1001}", "a{1,2,3}", "a{x}", "a{3", "a{\u{664}}", "[]a]", "[^]a]", "[[a]]", "[[:d1:]]",
            "[[:digit]]", "[[.a.]]", "e\u{301}*", #"[\1]"#,
        ])
    func slow(pattern: String) {
        #expect(PatternCost.cost(of: pattern) == nil)
    }

    @Test("Groups may stand in each other up to a depth that does not overflow the stack")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(PatternCost.cost(of: nested(49)) == 1)
        #expect(PatternCost.cost(of: nested(50)) == nil)
    }
}
