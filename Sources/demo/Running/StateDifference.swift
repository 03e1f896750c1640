import Presentation

/// The changes from one state to the next, one line for each part: `form.street: "" → "Baker Street"`.
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
        case .dictionary where !isWhole:
            return dictionaryLines(from: entries(of: old), to: entries(of: new), path: path)
        case .collection where !isWhole && min(old.children.count, new.children.count) > 0,
            .set where !isWhole && min(old.children.count, new.children.count) > 0:
            return elementLines(from: old.children.map(\.value), to: new.children.map(\.value), path: path)
        default:
            // Compared in full, shown in short.
            guard "\(before)" != "\(after)" else { return [] }
            let (old, new) = (Description.line(of: before), Description.line(of: after))
            let name = path.isEmpty ? "state" : path
            // If both are long, the new value gets a line of its own.
            return old.count + new.count < 50 ? ["\(name): \(old) → \(new)"] : ["\(name): \(old)", "  → \(new)"]
        }
    }

    // MARK: - Collections

    /// As many changes of one collection are listed; of the others only their number is given.
    private static let limit = 6

    private static func entries(of dictionary: Mirror) -> [String: Any] {
        var entries: [String: Any] = [:]
        for entry in dictionary.children {
            let pair = Array(Mirror(reflecting: entry.value).children)
            if pair.count == 2 { entries[Description.line(of: pair[0].value)] = pair[1].value }
        }
        return entries
    }

    private static func dictionaryLines(from old: [String: Any], to new: [String: Any], path: String) -> [String] {
        shortened(
            Set(old.keys).union(new.keys).sorted().flatMap { key -> [String] in
                switch (old[key], new[key]) {
                case let (before?, after?): lines(from: before, to: after, path: "\(path)[\(key)]")
                case let (nil, after?): ["\(path)[\(key)]: + \(Description.line(of: after))"]
                default: ["\(path)[\(key)]: removed"]
                }
            }, path)
    }

    /// The elements that were removed and added, compared by their descriptions.
    private static func elementLines(from old: [Any], to new: [Any], path: String) -> [String] {
        let (before, after) = (old.map { Description.line(of: $0) }, new.map { Description.line(of: $0) })
        let changes = after.sorted().difference(from: before.sorted())
        guard !changes.isEmpty else { return "\(old)" == "\(new)" ? [] : ["\(path): another order"] }
        return shortened(
            changes.map { change in
                switch change {
                case let .insert(_, element, _): "\(path): + \(element)"
                case let .remove(_, element, _): "\(path): - \(element)"
                }
            }, path)
    }

    private static func shortened(_ lines: [String], _ path: String) -> [String] {
        guard lines.count > limit else { return lines }
        return lines.prefix(limit - 1) + ["\(path): … and \(lines.count - limit + 1) more changes"]
    }
}
