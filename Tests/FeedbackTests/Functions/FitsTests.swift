import Feedback
import Testing

struct FitsTests {
    @Test(
        "A mark stands for any text, also for none; everything else stands for itself",
        arguments: [
            ("ab", ["ab"], ["", "a", "abc", "xab"]),
            ("*", ["", "a", "*"], []),
            ("a*c", ["ac", "abc", "acac"], ["a", "c", "abd", "bbc", "xac"]),
            ("ab*ba", ["abba", "abxba"], ["aba", "ab", "ba"]),
            ("a*", ["a", "ab"], ["", "ba"]),
            ("*a", ["a", "ba"], ["", "ab"]),
            ("a*b*c", ["abc", "axbyc", "abbc"], ["ac", "acb", "bac"]),
            ("a*b*b*c", ["abbc", "abxbc"], ["abc"]),
            ("a*b*d*c", ["abdc", "axbxdxc"], ["adbc", "abc", "adc"]),
            ("a**c", ["ac", "abc"], ["a"]),
        ] as [(String, [String], [String])])
    func marks(pattern: String, fitting: [String], others: [String]) {
        for text in fitting { #expect(pattern.fits(text, mark: "*"), "\(text)") }
        for text in others { #expect(!pattern.fits(text, mark: "*"), "\(text)") }
    }
}
