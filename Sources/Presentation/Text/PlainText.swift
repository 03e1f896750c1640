/// Text without markup, as people read it.
public enum PlainText {
    /// Returns the text of a piece of HTML, with paragraphs, line breaks and the bullets of lists.
    ///
    ///     PlainText.of(html: "<p>Fish &amp; chips<br>at <a href=\"…\">six</a></p>")     // "Fish & chips\nat six"
    ///
    /// Links and mentions are their texts. Content that a page does not show (scripts, comments, spans of the class
    /// `invisible`) is left out. Invalid HTML is read too. The time is proportional to the length.
    public static func of(html: String) -> String {
        // Most texts have no markup, and are returned as they are.
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return html
        }
        var reader = HTMLReader(Array(html.utf8))
        return reader.text()
    }
}

/// Reads HTML byte by byte.
private struct HTMLReader {
    private let html: [UInt8]
    private var index = 0
    private var output: [UInt8] = []
    /// The line breaks that come before the next text.
    private var breaks = 0
    private var hasSpace = false
    /// The open `span` elements: true if one is hidden, and if an ellipsis follows it.
    private var spans: [(isHidden: Bool, isEllipsis: Bool)] = []
    private var hidden = 0
    private var preformatted = 0

    init(_ html: [UInt8]) {
        self.html = html
        output.reserveCapacity(html.count)
    }

    mutating func text() -> String {
        while index < html.count {
            switch html[index] {
            case UInt8(ascii: "<"): tag()
            case UInt8(ascii: "&"): reference()
            default:
                append(html[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    // MARK: - Output

    private mutating func append(_ byte: UInt8) {
        guard hidden == 0 else { return }
        let isBreak = byte == 0x0A || byte == 0x0D
        if preformatted > 0, isBreak {
            breaks += byte == 0x0A ? 1 : 0
        } else if byte == 0x20 || byte == 0x09 || isBreak {
            if preformatted > 0 { flush(); output.append(0x20) } else { hasSpace = true }
        } else {
            flush()
            output.append(byte)
        }
    }

    private mutating func append(_ text: some Sequence<UInt8>) {
        guard hidden == 0 else { return }
        flush()
        output.append(contentsOf: text)
    }

    /// Writes the white space that was collected.
    private mutating func flush() {
        if !output.isEmpty {
            if breaks > 0 {
                output.append(contentsOf: repeatElement(0x0A, count: min(breaks, 2)))
            } else if hasSpace {
                output.append(0x20)
            }
        }
        breaks = 0
        hasSpace = false
    }

    // MARK: - Tags

    private mutating func tag() {
        if starts(with: "<!--") {
            skip(through: "-->")
            return
        }
        var start = index + 1
        let isEnd = start < html.count && html[start] == UInt8(ascii: "/")
        if isEnd { start += 1 }
        guard start < html.count, isLetter(html[start]) || html[start] == UInt8(ascii: "!") else {
            // A bare < is text.
            append(html[index])
            index += 1
            return
        }
        var end = start
        var quote: UInt8?
        while end < html.count {
            let byte = html[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        let inside = html[start..<end]
        index = min(end + 1, html.count)
        let name = String(decoding: inside.prefix { isLetter($0) || isDigit($0) }, as: UTF8.self).lowercased()
        apply(name, isEnd: isEnd, inside)
    }

    private mutating func apply(_ name: String, isEnd: Bool, _ tag: ArraySlice<UInt8>) {
        switch name {
        case "br": breaks += 1
        case "p", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6": breaks = max(breaks, 2)
        case "div", "ul", "ol", "tr": breaks = max(breaks, 1)
        case "li":
            breaks = max(breaks, 1)
            if !isEnd { append("• ".utf8) }
        case "pre":
            breaks = max(breaks, 2)
            preformatted = max(0, preformatted + (isEnd ? -1 : 1))
        case "script", "style":
            if !isEnd { skip(through: "</" + name); skip(through: ">") }
        case "span": isEnd ? endSpan() : beginSpan(tag)
        default: break
        }
    }

    private mutating func beginSpan(_ tag: ArraySlice<UInt8>) {
        let classes = value(of: "class", in: tag).split(whereSeparator: isSpace)
        let span = (
            isHidden: classes.contains { $0.elementsEqual("invisible".utf8) },
            isEllipsis: classes.contains { $0.elementsEqual("ellipsis".utf8) }
        )
        spans.append(span)
        if span.isHidden { hidden += 1 }
    }

    /// Returns the value of an attribute of a tag; an empty one if the tag does not have it.
    private func value(of attribute: String, in tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = tag.drop { !isSpace($0) }
        while true {
            rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: "/") }
            guard !rest.isEmpty else { return [] }
            let name = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
            rest = rest.dropFirst(max(1, name.count)).drop(while: isSpace)
            var value: ArraySlice<UInt8> = []
            if rest.first == UInt8(ascii: "="), !name.isEmpty {
                rest = rest.dropFirst().drop(while: isSpace)
                if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest.dropFirst(value.count + 2)
                } else {
                    value = rest.prefix { !isSpace($0) }
                    rest = rest.dropFirst(value.count)
                }
            }
            if name.elementsEqual(attribute.utf8, by: { lowercase($0) == $1 }) { return value }
        }
    }

    private mutating func endSpan() {
        guard let span = spans.popLast() else { return }
        if span.isEllipsis { append("…".utf8) }
        if span.isHidden { hidden -= 1 }
    }

    // MARK: - References

    private mutating func reference() {
        let start = index + 1
        var end = start
        while end < html.count, isLetter(html[end]) || isDigit(html[end]) || html[end] == UInt8(ascii: "#") { end += 1 }
        let name = html[start..<end]
        guard let text = HTMLReference.text(String(decoding: name, as: UTF8.self)) else {
            append(html[index])
            index += 1
            return
        }
        index = end < html.count && html[end] == UInt8(ascii: ";") ? end + 1 : end
        append(text.utf8)
    }

    // MARK: - Bytes

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { html[index...].starts(with: $0) }
    }

    /// Moves behind the next occurrence of a text, in lower or upper case; to the end if there is none.
    private mutating func skip(through text: String) {
        let wanted = Array(text.utf8)
        while index < html.count {
            if html[index...].prefix(wanted.count).elementsEqual(wanted, by: { lowercase($0) == $1 }) {
                index += wanted.count
                return
            }
            index += 1
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
    private func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
    private func lowercase(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}
