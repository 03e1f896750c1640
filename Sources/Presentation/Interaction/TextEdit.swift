/// A text that is edited with keys, and the place of the caret in it.
struct TextEdit: Equatable, Sendable {
    private var characters: [Character]
    /// The number of characters before the caret.
    private(set) var caret: Int

    /// - Parameter caret: The number of characters before the caret; by default at the end.
    init(_ text: String, caret: Int? = nil) {
        characters = Array(text)
        self.caret = min(max(0, caret ?? characters.count), characters.count)
    }

    var text: String { String(characters) }

    /// Applies a key.
    ///
    /// - Returns: True if the key edits texts or moves the caret; other keys change nothing.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case let .character(character): insert([character])
        case .backspace: delete(from: caret - 1, to: caret)
        case .delete, .control("d"): delete(from: caret, to: caret + 1)
        case .control("w"): delete(from: wordStart, to: caret)
        case .control("u"): delete(from: 0, to: caret)
        case .control("k"): delete(from: caret, to: characters.count)
        case .left, .control("b"): caret = max(0, caret - 1)
        case .right, .control("f"): caret = min(characters.count, caret + 1)
        case .wordLeft: caret = wordStart
        case .wordRight: caret = wordEnd
        case .home, .control("a"): caret = 0
        case .end, .control("e"): caret = characters.count
        default: return false
        }
        return true
    }

    /// Inserts text at the caret, on one line and without control characters.
    mutating func paste(_ text: String) {
        insert(
            text.compactMap { character in
                if character.isNewline || character == "\t" { return " " }
                return character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : character
            })
    }

    private mutating func insert(_ new: [Character]) {
        // Characters may join, as a letter and the accent after it do, so the characters before the caret are counted
        // again.
        let before = String(characters[..<caret] + new)
        characters = Array(before + String(characters[caret...]))
        caret = min(before.count, characters.count)
    }

    private mutating func delete(from start: Int, to end: Int) {
        let (start, end) = (max(0, start), min(characters.count, end))
        characters.removeSubrange(start..<end)
        caret = start
    }

    /// The start of the word before the caret.
    private var wordStart: Int {
        let before = characters[..<caret]
        let word = before.lastIndex { !$0.isWhitespace } ?? 0
        return before[..<word].lastIndex { $0.isWhitespace }.map { $0 + 1 } ?? 0
    }

    /// The end of the word after the caret.
    private var wordEnd: Int {
        let after = characters[caret...]
        let word = after.firstIndex { !$0.isWhitespace } ?? characters.count
        return after[word...].firstIndex { $0.isWhitespace } ?? characters.count
    }
}
