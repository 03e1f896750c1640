/// Text from any source, made safe to show on a terminal.
extension String {
    /// The text on one line, without anything that a terminal would obey: control characters are shown as symbols
    /// (`␛`), marks that reverse the direction of text as `�`; line breaks and tabs become spaces.
    public var safeLine: String {
        guard unicodeScalars.contains(where: { !$0.isSafe }) else { return self }
        var safe = ""
        for character in self {
            // A carriage return and a line feed are one character.
            if character.isNewline || character == "\t" {
                safe.append(" ")
            } else {
                for scalar in character.unicodeScalars { safe.unicodeScalars.append(scalar.safe) }
            }
        }
        return safe
    }

    /// The lines of the text, each one safe.
    public var safeLines: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { String($0).safeLine }
    }
}

extension Unicode.Scalar {
    fileprivate var isSafe: Bool { safe == self }

    fileprivate var safe: Unicode.Scalar {
        switch value {
        case 0...0x1F: Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        // The C1 control characters; the separators of lines and paragraphs; the marks of text direction.
        case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: "\u{FFFD}"
        default: self
        }
    }
}
