import Presentation

/// A piece of an HTML page. Texts and the values of attributes are escaped when it is written, so text from any source
/// is safe.
indirect enum HTML: Equatable, Sendable {
    case text(String)
    case element(String, [Attribute], [HTML])
    /// A drawing, as SVG.
    case picture(Picture)

    struct Attribute: Equatable, Sendable {
        let name: String
        /// `nil` for an attribute without a value, such as `disabled`.
        let value: String?
    }

    var string: String {
        var string = ""
        write(to: &string)
        return string
    }

    private func write(to string: inout String) {
        switch self {
        case let .text(text):
            string.append(contentsOf: text.escapedForHTML)
        case let .picture(picture):
            string.append(contentsOf: picture.svg)
        case let .element(tag, attributes, children):
            string.append("<\(tag)")
            for attribute in attributes {
                string.append(" \(attribute.name)")
                if let value = attribute.value { string.append("=\"\(value.escapedForHTML)\"") }
            }
            string.append(">")
            if Self.voidTags.contains(tag) { return }
            for child in children { child.write(to: &string) }
            string.append("</\(tag)>")
        }
    }

    private static let voidTags: Set = ["input", "br", "hr", "img", "meta", "link"]
}

extension HTML {
    static func element(
        _ tag: String, id: String? = nil, class classes: String? = nil,
        attributes: KeyValuePairs<String, String?> = [:],
        _ children: HTML...
    ) -> HTML {
        element(tag, id: id, class: classes, attributes: attributes, children)
    }

    /// - Parameter attributes: One whose value is `nil` is left out; one whose value is empty has only a name.
    static func element(
        _ tag: String, id: String? = nil, class classes: String? = nil,
        attributes: KeyValuePairs<String, String?> = [:],
        _ children: [HTML]
    ) -> HTML {
        let named = [("id", id), ("class", classes)] + attributes.map { ($0.key, $0.value) }
        return .element(
            tag,
            named.compactMap { name, value in
                value.map { Attribute(name: name, value: $0.isEmpty && name != "value" ? nil : $0) }
            },
            children)
    }

    /// Returns a text with a direction of its own, so that a text from a server does not change the direction of the
    /// text around it.
    static func isolated(_ text: String, class classes: String? = nil) -> HTML {
        element("bdi", class: classes, .text(text))
    }
}

extension String {
    /// The text in which the characters with a meaning in HTML are escaped, and those that HTML forbids are replaced.
    var escapedForHTML: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || "&<>\"'".utf8.contains($0) }) else { return self }
        var escaped = ""
        escaped.reserveCapacity(utf8.count + 16)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}": escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
