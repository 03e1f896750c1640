import Presentation

/// Describes values in few words, on one line.
enum Description {
    static func line(of value: Any, limit: Int = 2_000) -> String {
        var text = describe(value, depth: 0)
        if text.count > limit { text = text.prefix(limit) + "…" }
        return text
    }

    private static func describe(_ value: Any, depth: Int) -> String {
        if let text = value as? String { return "\"\(text)\"" }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            return mirror.children.first.map { describe($0.value, depth: depth) } ?? "nil"
        case .enum:
            guard let payload = mirror.children.first else { return ".\(value)" }
            return ".\(payload.label ?? "")(\(list(payload.value, depth: depth)))"
        case .collection, .set, .dictionary:
            if mirror.children.count > 3 || depth > 3 { return mirror.children.count.counting("element", "elements") }
            return "[" + mirror.children.map { describe($0.value, depth: depth + 1) }.joined(separator: ", ") + "]"
        case .tuple:
            return "(" + list(value, depth: depth) + ")"
        case .struct where value is any CustomStringConvertible || mirror.children.isEmpty:
            return "\(value)"
        case .struct where mirror.children.first?.label == "wrappedValue":
            return mirror.children.first.map { describe($0.value, depth: depth) } ?? ""
        case .struct:
            return "\(type(of: value))(" + parts(mirror, depth: depth + 1) + ")"
        default:
            return "\(value)"
        }
    }

    /// The values of an enum's payload, without parentheses of their own.
    private static func list(_ payload: Any, depth: Int) -> String {
        let mirror = Mirror(reflecting: payload)
        return mirror.displayStyle == .tuple ? parts(mirror, depth: depth) : describe(payload, depth: depth)
    }

    private static func parts(_ mirror: Mirror, depth: Int) -> String {
        mirror.children.map { child in
            // A property wrapper has the name of its property after an underscore.
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0.drop { $0 == "_" } }
            return (label.map { "\($0): " } ?? "") + describe(child.value, depth: depth)
        }.joined(separator: ", ")
    }
}
