import Presentation

/// What has changed from one state to the next, one line for each part: `form.street: "" → "Baker Street"`.
enum StateDifference {
    static func lines(from before: Any, to after: Any) -> [String] {
        lines(from: before, to: after, path: "")
    }

    private static func lines(from before: Any, to after: Any, path: String) -> [String] {
        let (old, new) = (Mirror(reflecting: before), Mirror(reflecting: after))
        let isWhole = type(of: before) != type(of: after) || old.displayStyle != new.displayStyle
        switch new.displayStyle {
        case .struct where !isWhole && !new.children.isEmpty && !(after is any CustomStringConvertible),
            .tuple where !isWhole:
            return zip(old.children, new.children).flatMap { old, new in
                let label = String((new.label ?? "").drop { $0 == "_" || $0 == "." })
                return lines(from: old.value, to: new.value, path: path.isEmpty ? label : "\(path).\(label)")
            }
        case .collection where !isWhole && old.children.count == new.children.count:
            return zip(old.children, new.children).enumerated().flatMap { index, pair in
                lines(from: pair.0.value, to: pair.1.value, path: "\(path)[\(index)]")
            }
        default:
            // Compared in full, shown in short.
            guard "\(before)" != "\(after)" else { return [] }
            let (old, new) = (Description.line(of: before), Description.line(of: after))
            let name = path.isEmpty ? "state" : path
            // What was there is known from before; what is there now gets a line of its own where both are long.
            return old.count + new.count < 50 ? ["\(name): \(old) → \(new)"] : ["\(name): \(old)", "  → \(new)"]
        }
    }
}
