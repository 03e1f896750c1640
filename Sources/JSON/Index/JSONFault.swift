/// A body that is not JSON as it is accepted here: the reason, and the offset of the byte at which it was found.
public struct JSONFault: Error, Hashable, Sendable {
    public var reason: String
    /// The offset of a byte of the body; `nil` if the fault is the whole body's, such as its encoding.
    public var offset: Int?

    public init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONFault: CustomStringConvertible {
    public var description: String { offset.map { "\(reason) (byte \($0))" } ?? reason }
}

/// A place in a body: line and column, counted from one as editors show them, and the text around it.
public struct JSONPlace: Hashable, Sendable {
    public var line: Int
    /// Counted in bytes.
    public var column: Int
    /// The text at the place, on one line, at most 60 characters.
    public var excerpt: String

    public init(line: Int, column: Int, excerpt: String) {
        self.line = line
        self.column = column
        self.excerpt = excerpt
    }

    /// The place of the byte at an offset.
    public init(of offset: Int, in body: some Sequence<UInt8>) {
        var (line, column) = (1, 1)
        var (position, isPastEnd) = (0, true)
        var around: [UInt8] = []
        for byte in body {
            if position >= offset + Self.reach {
                isPastEnd = false
                break
            }
            if position < offset {
                (line, column) = byte == UInt8(ascii: "\n") ? (line + 1, 1) : (line, column + 1)
            }
            if position + Self.lead >= offset { around.append(byte) }
            position += 1
        }
        // Not cut in the middle of a character, as far as there are whole ones.
        let start = around.prefix(4).firstIndex { $0 & 0xC0 != 0x80 } ?? 0
        var text = String(decoding: around[start...], as: UTF8.self)
        if !isPastEnd, text.last == "\u{FFFD}" { text.removeLast() }
        self.init(
            line: line, column: column,
            excerpt: String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 }))
    }

    /// How many bytes of the excerpt stand before the place, and how many after.
    private static let lead = 20
    private static let reach = 40
}
