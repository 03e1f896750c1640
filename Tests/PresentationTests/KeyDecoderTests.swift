import Testing

@testable import Presentation

struct KeyDecoderTests {
    @Test(
        "Bytes become keys",
        arguments: [
            ("a", [.character("a")]), ("ß東👍", [.character("ß"), .character("東"), .character("👍")]),
            ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("c")]),
            ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.right]), ("\u{1B}[Z", [.backTab]),
            ("\u{1B}[5~", [.pageUp]), ("\u{1B}[3~", [.delete]), ("\u{1B}[H\u{1B}[F", [.home, .end]),
            ("\u{1B}[99~x", [.character("x")]), ("\u{1B}[?2026;2$yx", [.character("x")]), ("\0", []),
        ] as [(String, [Key])])
    func decoding(text: String, keys: [Key]) {
        var whole = KeyDecoder()
        #expect(whole.keys(from: text.utf8) + whole.finish() == keys)
        // The same in pieces of one byte.
        var pieces = KeyDecoder()
        #expect(text.utf8.flatMap { pieces.keys(from: [$0]) } + pieces.finish() == keys)
    }

    @Test("Escape alone is known by the silence after it")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: [0x1B]) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.finish() == [.escape])
        #expect(!decoder.isUndecided)
    }

    @Test("Any bytes are survived, and nothing is kept for ever")
    func garbage() {
        var random = SystemRandomNumberGenerator()
        var decoder = KeyDecoder()
        for _ in 0..<20_000 {
            _ = decoder.keys(from: (0..<Int.random(in: 1...8)).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        _ = decoder.finish()
        #expect(!decoder.isUndecided)
        #expect(decoder.keys(from: "r".utf8) == ["r"])
    }
}
