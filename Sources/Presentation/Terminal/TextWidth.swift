/// The width of text on a terminal, in columns. East Asian characters and emoji take two.
///
/// Terminals differ in details; this follows the Unicode properties that most of them do.
extension Character {
    /// 0, 1 or 2, and more for a syllable of several letters, such as in Hindi.
    public var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.value < 0x300 { return first.value < 0x20 || 0x7F...0x9F ~= first.value ? 0 : 1 }
        // The variation selector asks for an emoji.
        if unicodeScalars.contains(where: { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }) { return 2 }
        return unicodeScalars.reduce(0) { $0 + $1.columns }
    }
}

extension StringProtocol {
    /// The number of columns that the text takes.
    public var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns as much of the text as fits, with an ellipsis if that is not all of it.
    public func fitted(to width: Int) -> String {
        guard columns > width else { return String(self) }
        guard width > 0 else { return "" }
        var result = ""
        var used = 0
        for character in self {
            guard used + character.columns <= width - 1 else { break }
            used += character.columns
            result.append(character)
        }
        return result + "…"
    }

    /// Returns as much of the end of the text as fits, with an ellipsis in front if that is not all of it.
    public func fittedAtEnd(to width: Int) -> String {
        guard columns > width else { return String(self) }
        guard width > 0 else { return "" }
        var result: [Character] = []
        var used = 0
        for character in reversed() {
            guard used + character.columns <= width - 1 else { break }
            used += character.columns
            result.append(character)
        }
        return "…" + String(result.reversed())
    }

    /// Returns the text, followed by spaces up to a width.
    public func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - columns))
    }

    /// Returns the text in lines of at most `width` columns, broken between words if possible.
    public func wrapped(to width: Int) -> [String] {
        let width = Swift.max(2, width)
        var lines: [String] = []
        var line = ""
        var used = 0
        func breakLine() {
            lines.append(line)
            line = ""
            used = 0
        }
        for word in split(separator: " ") {
            if used > 0 {
                if used + 1 + word.columns <= width {
                    line += " "
                    used += 1
                } else {
                    breakLine()
                }
            }
            for character in word {
                if used + character.columns > width { breakLine() }
                line.append(character)
                used += character.columns
            }
        }
        breakLine()
        return lines
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // The vowels and the last consonants of Hangul are drawn into the syllable of the first one.
        if 0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value { return 0 }
        return isEastAsianWide ? 2 : 1
    }

    /// The blocks whose characters take two columns (Unicode's East Asian Width, wide and full-width).
    fileprivate var isEastAsianWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
