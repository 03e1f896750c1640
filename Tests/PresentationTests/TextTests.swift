import Foundation
import Presentation
import Testing

struct TextTests {
    // MARK: - Safety

    @Test(
        "Characters that a terminal would obey are shown and not sent",
        arguments: [
            ("\u{1B}[2J", "␛[2J"), ("\u{7}", "␇"), ("a\u{8}b", "a␈b"), ("\u{7F}", "␡"), ("\u{9B}31m", "\u{FFFD}31m"),
            ("\0", "␀"), ("\u{202E}gnp.exe", "\u{FFFD}gnp.exe"), ("a\r\nb\nc\td\u{85}e", "a b c d e"),
            ("\u{2028}", " "), ("e\u{1B}\u{301}", "e␛\u{301}"),
        ])
    func safe(text: String, shown: String) {
        #expect(text.safeLine == shown)
    }

    @Test("Every control character is made safe, also inside a longer grapheme")
    func controls() {
        for value in (0...0x9F as ClosedRange<UInt32>).filter({ $0 < 0x20 || $0 >= 0x7F }) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)\u{301}", "👩\u{200D}\(scalar)"] {
                #expect(!text.safeLine.unicodeScalars.contains { $0.properties.generalCategory == .control })
            }
        }
    }

    @Test("Text of any language stays as it is", arguments: ["Zürich", "東京", "👩‍👩‍👧", "हिन्दी", "שלום", "e\u{301}"])
    func harmless(text: String) {
        #expect(text.safeLine == text)
    }

    @Test("Lines stay lines")
    func lines() {
        #expect("a\nb\r\n\nc\u{1B}".safeLines == ["a", "b", "", "c␛"])
    }

    // MARK: - Width

    @Test(
        "Text is as wide as a terminal shows it",
        arguments: [
            ("London", 6), ("Zürich", 6), ("Zu\u{308}rich", 6), ("東京", 4), ("ｱ", 1), ("Ａ", 2), ("한국", 4),
            ("👍", 2), ("👍🏽", 2), ("☝🏽", 2), ("👩‍👩‍👧", 2), ("🇬🇧", 2), ("❤️", 2), ("❤", 1), ("\u{200B}", 0), ("\u{300}", 0),
            ("…", 1), ("", 0), ("हिन्दी", 5), ("น\u{E49}\u{E33}", 2), ("か\u{3099}", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
        ])
    func width(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("Text is cut so that it fits, and never in the middle of a character", arguments: 0...12)
    func fitting(width: Int) {
        for text in ["London", "東京都庁舎", "a👍b👍c👍", "e\u{301}e\u{301}e\u{301}"] {
            #expect(text.fitted(to: width).columns <= width)
            #expect(text.fittedAtEnd(to: width).columns <= width)
        }
        #expect("東京都".fitted(to: 5) == "東京…")
        #expect("London".fitted(to: 6) == "London")
        #expect("London".fittedAtEnd(to: 4) == "…don")
        #expect("London".fitted(to: 1) == "…" && "London".fittedAtEnd(to: 1) == "…")
        #expect("London".fitted(to: 0) == "" && "London".fittedAtEnd(to: 0) == "")
    }

    @Test("Text is broken between words, and inside words that are too long")
    func wrapping() {
        #expect("one two three".wrapped(to: 8) == ["one two", "three"])
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("one two three".wrapped(to: 6) == ["one", "two", "three"])
        #expect("東京".wrapped(to: 0) == ["東", "京"])
        #expect("abcdefghij".wrapped(to: 4) == ["abcd", "efgh", "ij"])
        #expect("東京都".wrapped(to: 5) == ["東京", "都"])
        #expect("a b c d e f g".wrapped(to: 8) == ["a b c d", "e f g"])
        #expect("".wrapped(to: 5) == [""])
    }

    // MARK: - Phrasing

    @Test(
        "Numbers are grouped the same way everywhere",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func grouping(number: Int, text: String) {
        #expect(number.grouped == text)
    }

    @Test(
        "A date is whole, however far away it is",
        arguments: [
            (1_795_242_240, "2026-11-21 06:24 UTC"), (317_369_000_000, "12027-01-09"),
            (-100_000_000_000, "-1199-02-26"),
        ])
    func dates(seconds: TimeInterval, start: String) {
        let text = Date(timeIntervalSince1970: seconds).inWords
        #expect(text.hasPrefix(start))
        #expect(text.wholeMatch(of: /-?\d{4,}-\d\d-\d\d \d\d:\d\d UTC/) != nil)
    }

    @Test("One is singular")
    func counting() {
        #expect([0, 1, 2].map { $0.counting("city", "cities") } == ["0 cities", "1 city", "2 cities"])
    }
}
