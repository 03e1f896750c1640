/// Describes a value in a few words, on one line: of a long list, only the number of its elements.
///
/// The time that it takes does not depend on the value's size. A ``ValueTree`` describes all of a value.
package enum ValueSummary {
    /// - Parameter limit: The number of characters after which the text is cut off.
    package static func line(of value: Any, limit: Int = 2_000) -> String {
        var text = ""
        write(value, to: &text, depth: 0, limit: limit)
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    private static func write(_ value: Any, to text: inout String, depth: Int, limit: Int) {
        guard text.utf8.count <= limit else { return }
        if let string = value as? String {
            text += "\"\(string.prefix(limit))\""
            return
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let some = mirror.children.first else { return text += "nil" }
            write(some.value, to: &text, depth: depth, limit: limit)
        case .enum:
            guard let payload = mirror.children.first else { return text += "." + ValueTree.description(of: value) }
            text += ".\(payload.label ?? "")("
            let parts = Mirror(reflecting: payload.value)
            if parts.displayStyle == .tuple {
                writeParts(of: parts, to: &text, depth: depth + 1, limit: limit)
            } else {
                write(payload.value, to: &text, depth: depth + 1, limit: limit)
            }
            text += ")"
        case .collection, .set, .dictionary:
            let count = mirror.children.count
            if count > 3 || depth > 3 { return text += count.counting("element", "elements") }
            text += "["
            writeParts(of: mirror, to: &text, depth: depth + 1, limit: limit)
            text += "]"
        case .tuple:
            text += "("
            writeParts(of: mirror, to: &text, depth: depth + 1, limit: limit)
            text += ")"
        case .struct where !mirror.children.isEmpty && !(value is any CustomStringConvertible):
            // A property wrapper is described by its value.
            if let first = mirror.children.first, first.label == "wrappedValue" {
                return write(first.value, to: &text, depth: depth, limit: limit)
            }
            text += "\(type(of: value))("
            writeParts(of: mirror, to: &text, depth: depth + 1, limit: limit)
            text += ")"
        case .class, .foreignReference:
            text += "\(type(of: value))"
        default:
            text += (ValueTree.leaf(value) ?? ValueTree.description(of: value)).prefix(limit)
        }
    }

    private static func writeParts(of mirror: Mirror, to text: inout String, depth: Int, limit: Int) {
        for (index, child) in mirror.children.enumerated() {
            guard text.utf8.count <= limit else { return }
            if index > 0 { text += ", " }
            // A property wrapper has the name of its property after an underscore.
            if let label = child.label, !label.hasPrefix(".") { text += "\(label.drop { $0 == "_" }): " }
            write(child.value, to: &text, depth: depth, limit: limit)
        }
    }
}
