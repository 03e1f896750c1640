/// The statement with which a table was made.
struct SQLiteDefinition {
    private let text: String

    init(_ text: String) { self.text = text }

    /// True if a constraint of the table has a clause such as `ON CONFLICT REPLACE`.
    var hasConflictClause: Bool {
        // Without quotes, `ON` is never a name.
        let words = words
        return zip(words, words.dropFirst()).contains { $0 == "ON" && $1 == "CONFLICT" }
    }

    /// The words of the statement in capitals, without comments and whatever is in quotes.
    private var words: [String] {
        var words: [String] = []
        var rest = Array(text.utf8)[...]
        /// Drops everything up to and including `end`.
        func drop(through end: String) {
            let end = Array(end.utf8)
            while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
            rest = rest.dropFirst(end.count)
        }
        while let first = rest.first {
            let word = rest.prefix { $0.isPartOfWord }
            if !word.isEmpty {
                words.append(String(decoding: word, as: UTF8.self).uppercased())
                rest = rest.dropFirst(word.count)
            } else if rest.starts(with: "--".utf8) {
                drop(through: "\n")
            } else if rest.starts(with: "/*".utf8) {
                drop(through: "*/")
            } else {
                rest.removeFirst()
                switch first {
                // A quote within quotes is doubled, and so ends one quoted text and begins another.
                case UInt8(ascii: "'"): drop(through: "'")
                case UInt8(ascii: "\""): drop(through: "\"")
                case UInt8(ascii: "`"): drop(through: "`")
                case UInt8(ascii: "["): drop(through: "]")
                default: continue
                }
            }
        }
        return words
    }
}

extension UInt8 {
    fileprivate var isPartOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
