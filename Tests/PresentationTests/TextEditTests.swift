import Testing

@testable import Presentation

struct TextEditTests {
    @Test(
        "Keys edit at the caret, which is marked with a bar",
        arguments: [
            ("ab|cd", "x", "abx|cd"), ("ab|cd", .backspace, "a|cd"), ("ab|cd", .delete, "ab|d"),
            ("ab|cd", .control("d"), "ab|d"), ("|ab", .backspace, "|ab"), ("ab|", .delete, "ab|"),
            ("ab|cd", .left, "a|bcd"), ("|ab", .left, "|ab"), ("ab|cd", .right, "abc|d"), ("ab|", .right, "ab|"),
            ("ab|cd", .home, "|abcd"), ("ab|cd", .control("a"), "|abcd"), ("ab|cd", .end, "abcd|"),
            ("one two  |", .control("w"), "one |"), ("one|two", .control("w"), "|two"), ("|a", .control("w"), "|a"),
            ("one two|", .wordLeft, "one |two"), ("one |two", .wordLeft, "|one two"), ("|", .wordLeft, "|"),
            ("|one two", .wordRight, "one| two"), ("one| two", .wordRight, "one two|"), ("a|", .wordRight, "a|"),
            ("ab|cd", .control("u"), "|cd"), ("ab|cd", .control("k"), "ab|"), ("👩‍👩‍👧東|", .backspace, "👩‍👩‍👧|"),
            ("e|x", "\u{301}", "e\u{301}|x"),
        ] as [(String, Key, String)])
    func keys(before: String, key: Key, after: String) {
        var edit = TextEdit(marked: before)
        let hasEdited = edit.press(key)
        #expect(hasEdited)
        #expect(edit == TextEdit(marked: after))
    }

    @Test("Other keys change nothing", arguments: [Key.enter, .tab, .up, .escape, .pageDown, .control("t")])
    func others(key: Key) {
        var edit = TextEdit(marked: "a|b")
        let hasEdited = edit.press(key)
        #expect(!hasEdited)
        #expect(edit == TextEdit(marked: "a|b"))
    }

    @Test("A field shows the part of its text in which the caret is")
    func window() {
        let text = "0123456789"
        #expect(FieldWindow(text, caret: nil, columns: 10) == FieldWindow(text, caret: 10, columns: 10))
        #expect(FieldWindow(text, caret: nil, columns: 5).text == "…6789")
        #expect(FieldWindow(text, caret: 0, columns: 5).text == "0123…")
        for caret in 0...10 {
            for columns in 1...12 {
                let window = FieldWindow(text, caret: caret, columns: columns)
                #expect(window.text.columns <= columns && window.caret <= columns)
                #expect(!window.text.hasPrefix("…") || window.caret > 0)
            }
        }
    }

    @Test("A field shows its whole text if there is room for it, and else as much as fits beside the caret")
    func widths() {
        let text = "a東b京c"
        for caret in 0...5 {
            for columns in 4...10 {
                let window = FieldWindow(text, caret: caret, columns: columns)
                #expect(window.text.columns <= columns)
                if columns >= 7 { #expect(window == FieldWindow(text, caret: caret, columns: 7)) }
            }
            #expect(FieldWindow(text, caret: caret, columns: 7).text == text)
        }
        #expect(FieldWindow(text, caret: 0, columns: 6).text == "a東b…")
        #expect(FieldWindow(text, caret: 4, columns: 6).text == "…b京c")
        #expect(FieldWindow(text, caret: 4, columns: 4).text == "…京c")
        #expect(FieldWindow(text, caret: 3, columns: 4).text == "…b…")
    }

    @Test("A text of any length is shown in time that grows with its length only", arguments: [0, 10_000, 20_000])
    func longWindow(caret: Int) {
        let text = String(repeating: "x", count: 20_000)
        let start = ContinuousClock.now
        let window = FieldWindow(text, caret: caret, columns: 80)
        #expect(window.text.columns == 80)
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}

extension TextEdit {
    fileprivate init(marked text: String) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        self.init(parts.joined(), caret: parts[0].count)
    }
}
