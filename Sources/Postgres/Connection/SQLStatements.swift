import Persistence

/// The statements in a text, which semicolons separate. A semicolon in parentheses, or in the body of a function that is
/// written in SQL (`BEGIN ATOMIC … END`), does not end a statement.
struct SQLStatements: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View
    /// The number of parentheses that are open.
    private var parentheses = 0
    /// The number of bodies and `CASE` expressions that are open. Each ends with `END`.
    private var blocks = 0
    /// The word before the current place, in capital letters; empty if something else is before it.
    private var lastWord = ""

    init(_ text: String) { rest = text[...].utf8 }

    mutating func next() -> String? {
        while !rest.isEmpty {
            let start = rest
            var end = rest.startIndex
            lastWord = ""
            while let byte = rest.first, byte != UInt8(ascii: ";") || parentheses > 0 || blocks > 0 { end = skip(byte) }
            let statement = String(Substring(start[start.startIndex..<end]))
            rest = rest.dropFirst()
            if statement.contains(where: { !$0.isWhitespace }) { return statement }
        }
        return nil
    }

    /// Skips a byte, or the whole word, quotation or comment that it begins; returns the end.
    private mutating func skip(_ byte: UInt8) -> Substring.UTF8View.Index {
        let previous = lastWord
        let start = rest
        // Spaces and comments may be between two words.
        var isSpace = false
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): skip(past: [byte], from: 1)
        case UInt8(ascii: "E") where rest.starts(with: "E'".utf8), UInt8(ascii: "e") where rest.starts(with: "e'".utf8):
            skipEscaped()
        case _ where Self.isOfName(byte):
            rest = rest.drop { Self.isOfName($0) || $0 == UInt8(ascii: "$") }
            lastWord = String(Substring(start[..<rest.startIndex])).uppercased()
            note(lastWord, after: previous)
            return rest.startIndex
        case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
            Self.dropLine(&rest)
            isSpace = true
        case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
            Self.dropComment(&rest)
            isSpace = true
        case UInt8(ascii: "("), UInt8(ascii: ")"):
            parentheses = byte == UInt8(ascii: "(") ? parentheses + 1 : Swift.max(0, parentheses - 1)
            rest = rest.dropFirst()
        case UInt8(ascii: "$"):
            if let tag = dollarTag { skip(past: tag, from: tag.count) } else { rest = rest.dropFirst() }
        default:
            isSpace = byte == UInt8(ascii: " ") || (9...13).contains(byte)
            rest = rest.dropFirst()
        }
        // A word after a point is the name of a column, as one after AS is.
        if !isSpace { lastWord = byte == UInt8(ascii: ".") ? "." : "" }
        return rest.startIndex
    }

    /// Counts the blocks that a word begins or ends.
    private mutating func note(_ word: String, after previous: String) {
        switch (word, previous) {
        case (_, "AS"), (_, "."): return
        case ("ATOMIC", "BEGIN"): blocks += 1
        case ("CASE", _) where blocks > 0: blocks += 1
        case ("END", _) where blocks > 0: blocks -= 1
        default: return
        }
    }

    /// The opening tag of a dollar-quoted string, such as `$$` or `$body$`.
    private var dollarTag: [UInt8]? {
        let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "$") }
        let beginsWithDigit = name.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        guard !beginsWithDigit, name.allSatisfy({ Self.isOfName($0) && $0 != UInt8(ascii: "$") }),
            rest.dropFirst(1 + name.count).first == UInt8(ascii: "$")
        else { return nil }
        return Array(rest.prefix(name.count + 2))
    }

    /// Returns true for the bytes of names and numbers.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80 || Character(UnicodeScalar(byte)).isLetter
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Skips a quotation in which a backslash escapes the next byte, such as `E'it\'s'`.
    private mutating func skipEscaped() {
        rest = rest.dropFirst(2)
        while let byte = rest.first, byte != UInt8(ascii: "'") {
            rest = rest.dropFirst(byte == UInt8(ascii: "\\") ? 2 : 1)
        }
        rest = rest.dropFirst()
    }

    private mutating func skip(past end: [UInt8], from start: Int) {
        rest = rest.dropFirst(start)
        while !rest.isEmpty, !rest.starts(with: end) { rest = rest.dropFirst() }
        rest = rest.dropFirst(end.count)
    }
}

extension SQL {
    /// Returns the text of a statement of the library's user; throws if it has a zero byte, at which libpq would cut it
    /// off.
    func wholeText() throws(StoreError) -> String {
        let text = text(in: .postgres)
        guard !text.utf8.contains(0) else { throw .refused(reason: "a statement of SQL cannot have a zero byte") }
        return text
    }

    /// Returns the text of a statement of the library's user; throws if it would begin or end a transaction or
    /// savepoint.
    ///
    /// The server accepts one statement at a time, so checking its first word is enough. In blocks and procedures the
    /// server refuses such statements itself.
    func textWithoutTransactionControl() throws(StoreError) -> String {
        let text = try wholeText()
        let word = SQLStatements.firstWord(of: text).uppercased()
        let controlling = ["ABORT", "BEGIN", "COMMIT", "END", "PREPARE", "RELEASE", "ROLLBACK", "SAVEPOINT", "START"]
        guard !controlling.contains(word) else {
            throw .refused(reason: "\(word) is not for statements of SQL; use the store's transaction function")
        }
        return text
    }
}

extension SQLStatements {
    /// Returns the first word of a text that is not in a comment.
    fileprivate static func firstWord(of text: String) -> String {
        var rest = text[...].utf8
        while let byte = rest.first {
            if rest.starts(with: "--".utf8) {
                dropLine(&rest)
            } else if rest.starts(with: "/*".utf8) {
                dropComment(&rest)
            } else if byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        let word = rest.prefix { UInt8(ascii: "A") <= $0 & 0xDF && $0 & 0xDF <= UInt8(ascii: "Z") }
        return String(Substring(word))
    }

    /// Drops a comment that ends with its line.
    private static func dropLine(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }

    /// Drops a comment, which may contain other comments.
    private static func dropComment(_ rest: inout Substring.UTF8View) {
        var depth = 0
        repeat {
            if rest.starts(with: "/*".utf8) {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "*/".utf8) {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        } while depth > 0 && !rest.isEmpty
    }
}
