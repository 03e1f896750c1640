import Testing

@testable import Persistence

@Suite("Short texts, which are compared as two numbers")
struct ShortTextTests {
    @Test("A text has at most 15 bytes")
    func length() {
        #expect(ShortText("") != nil && ShortText("123456789012345") != nil && ShortText("1234567890123é") != nil)
        #expect(ShortText("1234567890123456") == nil && ShortText("12345678901234é") == nil)
    }

    @Test("Texts are equal if their bytes are, also if they end with zeros")
    func equality() {
        let texts = ["", "\0", "\0\0", "a", "a\0", "b", "123456789012345", "123456789012346", "abcdefgh", "abcdefgi"]
        for (index, text) in texts.enumerated() {
            for (other, otherText) in texts.enumerated() {
                #expect((ShortText(text) == ShortText(otherText)) == (index == other))
            }
        }
    }

    private enum Many: String, Primitive, CaseIterable {
        case a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q
    }

    private enum Long: String, Primitive, CaseIterable {
        case short
        case long = "a text of more than 15 bytes"
    }

    @Test("Of an enum the first 16 cases are known, if their texts are short")
    func known() {
        #expect(KnownTexts<Many>()?.entries.map(\.value) == Array(Many.allCases.dropLast()))
        #expect(KnownTexts<Long>()?.entries.map(\.value) == [.short])
        #expect(KnownTexts<String>() == nil && KnownTexts<Grade>() == nil)
    }
}
