import Testing

@testable import Presentation

struct KeyDecoderTests {
    @Test(
        "Bytes become keys",
        arguments: [
            ("a", [.character("a")]), ("ß東👍", [.character("ß"), .character("東"), .character("👍")]),
            ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("c")]),
            ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.wordRight]), ("\u{1B}[Z", [.backTab]),
            ("\u{1B}[5~", [.pageUp]), ("\u{1B}[3~", [.delete]), ("\u{1B}[H\u{1B}[F", [.home, .end]),
            ("\u{1B}[1;3D\u{1B}[1;2C", [.wordLeft, .right]),
            ("\u{1B}b\u{1B}f\u{1B}\u{7F}", [.wordLeft, .wordRight, .control("w")]),
            ("\u{1B}x\u{1B}O", [.escape, .character("x"), .escape, .character("O")]),
            ("\u{1B}[;5C\u{1B}[3;5~", [.wordRight, .delete]),
            ("\u{1B}[99~x", [.character("x")]), ("\u{1B}[[Ax", [.character("x")]),
            ("\u{1B}[?2026;2$yx", [.character("x")]), ("\0", []),
        ] as [(String, [Key])])
    func decoding(text: String, keys: [Key]) {
        var whole = KeyDecoder()
        #expect(whole.inputs(from: text.utf8) + whole.finish() == keys.map(TerminalInput.key))
        // The same in pieces of one byte.
        var pieces = KeyDecoder()
        #expect(text.utf8.flatMap { pieces.inputs(from: [$0]) } + pieces.finish() == keys.map(TerminalInput.key))
    }

    @Test("A pasted text is one input, also in pieces, and whatever is in it")
    func pasting() {
        let text = "r\r\u{1B}[Aß\tq"
        let bytes = Array("a\u{1B}[200~\(text)\u{1B}[201~b".utf8)
        let inputs: [TerminalInput] = [.key("a"), .paste(text), .key("b")]
        var whole = KeyDecoder()
        #expect(whole.inputs(from: bytes) == inputs)
        var pieces = KeyDecoder()
        #expect(bytes.flatMap { pieces.inputs(from: [$0]) } == inputs)
    }

    @Test("A pasted text whose end is late comes in parts, and Ctrl-C ends one whose end is lost")
    func latePaste() {
        var decoder = KeyDecoder()
        #expect(decoder.inputs(from: "\u{1B}[200~one".utf8) == [])
        #expect(decoder.finish() == [.paste("one")])
        #expect(!decoder.isUndecided)
        #expect(decoder.inputs(from: "two\u{3}".utf8) == [.paste("two"), .key(.control("c"))])
        #expect(decoder.inputs(from: "r".utf8) == [.key("r")])
        // A part may begin with what is no character.
        #expect(decoder.inputs(from: Array("\u{1B}[200~".utf8) + [0x80]) + decoder.finish() == [.paste("\u{FFFD}")])
        #expect(decoder.inputs(from: "\u{1B}[201~".utf8) == [])
        // It may be one character.
        #expect(decoder.inputs(from: "\u{1B}[200~a".utf8) + decoder.finish() == [.paste("a")])
    }

    @Test("A pause at any place of a pasted text cuts no character, and loses neither the end nor what follows")
    func pauseInPaste() {
        let text = "aß東👍b"
        let bytes = Array("\(text)\u{1B}[201~c".utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            #expect(decoder.inputs(from: "\u{1B}[200~".utf8) == [])
            var inputs = decoder.inputs(from: bytes[..<cut]) + decoder.finish()
            #expect(!decoder.isUndecided)
            inputs += decoder.finish() + decoder.inputs(from: bytes[cut...])
            let pasted = inputs.map { if case let .paste(part) = $0 { part } else { "" } }.joined()
            #expect(pasted == text, "cut at \(cut)")
            #expect(inputs.last == .key("c"), "cut at \(cut)")
        }
    }

    @Test("Of a pasted text that is too long only the beginning is kept, and what follows is not lost")
    func longPaste() {
        let text = String(repeating: "東", count: KeyDecoder.maximumPaste)
        var decoder = KeyDecoder()
        var inputs: [TerminalInput] = []
        for piece in Array("\u{1B}[200~\(text)\u{1B}[201~c".utf8).chunks(of: 1_000) {
            inputs += decoder.inputs(from: piece)
            #expect(decoder.bytes.count <= KeyDecoder.maximumPaste + 2_000)
        }
        let pasted = inputs.map { if case let .paste(part) = $0 { part } else { "" } }.joined()
        #expect(pasted.utf8.count <= KeyDecoder.maximumPaste && text.hasPrefix(pasted))
        #expect(pasted.utf8.count > KeyDecoder.maximumPaste - 4)
        #expect(inputs.last == .key("c"))
        // The next one is whole.
        #expect(decoder.inputs(from: "\u{1B}[200~one\u{1B}[201~".utf8) == [.paste("one")])
    }

    @Test(
        "A pasted text that is as long as it may be is taken before its end has come, and the rest is dropped as it comes"
    )
    func longestPaste() {
        var decoder = KeyDecoder()
        let text = String(repeating: "a", count: KeyDecoder.maximumPaste)
        #expect(decoder.inputs(from: "\u{1B}[200~\(text.dropLast())".utf8) == [])
        #expect(decoder.inputs(from: "a".utf8) == [.paste(text)])
        for _ in 0..<3 {
            #expect(decoder.inputs(from: "bb".utf8) == [])
            #expect(decoder.bytes.isEmpty)
        }
        #expect(decoder.inputs(from: "\u{1B}[201~c".utf8) == [.key("c")])
    }

    @Test("A pause inside a character does not lose it, and a part of one loses nothing that follows")
    func pauseInCharacter() {
        var decoder = KeyDecoder()
        let bytes = Array("東".utf8)
        for byte in bytes.dropLast() { #expect(decoder.inputs(from: [byte]) + decoder.finish() == []) }
        #expect(!decoder.isUndecided)
        #expect(decoder.inputs(from: bytes.suffix(1)) == [.key("東")])
        #expect(decoder.inputs(from: bytes.prefix(2)) + decoder.finish() == [])
        #expect(decoder.inputs(from: "r".utf8) == [.key("r")])
    }

    @Test("Escape alone is known by the silence after it")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.inputs(from: [0x1B]) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.finish() == [.key(.escape)])
        #expect(!decoder.isUndecided)
        #expect(decoder.inputs(from: [0x1B]) == [])
        #expect(decoder.isUndecided)
    }

    @Test("A sequence that is cut off by a pause, or is longer than any key, is left out")
    func unfinishedSequences() {
        var decoder = KeyDecoder()
        #expect(decoder.inputs(from: "\u{1B}[1;".utf8) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.finish() == [])
        #expect(decoder.inputs(from: "r".utf8) == [.key("r")])
        #expect(decoder.inputs(from: "\u{1B}[\(String(repeating: "1", count: 31))".utf8) == [])
        #expect(decoder.inputs(from: "r".utf8) == [.key("r")])
        #expect(decoder.inputs(from: "\u{1B}[\(String(repeating: "1", count: 30))".utf8) == [])
        #expect(decoder.inputs(from: "~r".utf8) == [.key("r")])
    }

    @Test("Any bytes are survived, and nothing is kept for ever")
    func garbage() {
        var random = SystemRandomNumberGenerator()
        var decoder = KeyDecoder()
        for _ in 0..<20_000 {
            _ = decoder.inputs(from: (0..<Int.random(in: 1...8)).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        _ = decoder.finish()
        #expect(!decoder.isUndecided)
        #expect(decoder.inputs(from: "r".utf8) == [.key("r")])
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
