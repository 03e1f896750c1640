import Presentation

/// The changes from one state to the next, one line for each part: `form.street: "" → "Baker Street"`.
enum StateDifference {
    static func lines(from before: Any, to after: Any) -> [String] {
        lines(from: before, to: after, path: "")
    }

    private static func lines(from before: Any, to after: Any, path: String) -> [String] {
        let (old, new) = (Mirror(reflecting: before), Mirror(reflecting: after))
        guard type(of: before) == type(of: after), old.displayStyle == new.displayStyle else {
            return valueLines(from: before, to: after, path: path)
        }
        switch new.displayStyle {
        case .struct where !new.children.isEmpty && !(after is any CustomStringConvertible), .tuple:
            return zip(old.children, new.children).flatMap { old, new in
                let label = String((new.label ?? "").drop { $0 == "_" || $0 == "." })
                return lines(from: old.value, to: new.value, path: path.isEmpty ? label : "\(path).\(label)")
            }
        case .optional where old.children.count == 1 && new.children.count == 1,
            .enum where old.children.count == 1 && old.children.first?.label == new.children.first?.label:
            let label = new.displayStyle == .enum ? new.children.first?.label : nil
            return payloadLines(
                from: old, to: new, path: label.map { path.isEmpty ? $0 : "\(path).\($0)" } ?? path, before, after)
        case .collection where old.children.count == new.children.count:
            let changes = zip(old.children, new.children).enumerated().flatMap { index, pair in
                lines(from: pair.0.value, to: pair.1.value, path: "\(path)[\(index)]")
            }
            // If many differ, elements have moved rather than changed.
            guard changes.count > limit else { return changes }
            return elementLines(from: old.children.map(\.value), to: new.children.map(\.value), path: path)
        case .dictionary:
            return dictionaryLines(from: entries(of: old), to: entries(of: new), path: path)
        case .collection where min(old.children.count, new.children.count) > 0,
            .set where min(old.children.count, new.children.count) > 0:
            return elementLines(from: old.children.map(\.value), to: new.children.map(\.value), path: path)
        default:
            return valueLines(from: before, to: after, path: path)
        }
    }

    private static func valueLines(from before: Any, to after: Any, path: String) -> [String] {
        // All parts are compared, as descriptions may leave out some, and the short descriptions are shown.
        let (oldParts, newParts) = (ValueTree(before), ValueTree(after))
        guard oldParts != newParts else { return [] }
        var (old, new) = (ValueSummary.line(of: before), ValueSummary.line(of: after))
        if old == new { (old, new) = (oldParts.line, newParts.line) }
        let name = path.isEmpty ? "state" : path
        // If both are long, the new value gets a line of its own.
        return old.count + new.count < 50 ? ["\(name): \(old) → \(new)"] : ["\(name): \(old)", "  → \(new)"]
    }

    /// Returns the changes inside of an enum's payload or an optional value, if the short description of the whole does
    /// not show the change.
    private static func payloadLines(
        from old: Mirror, to new: Mirror, path: String, _ before: Any, _ after: Any
    ) -> [String] {
        let whole = valueLines(from: before, to: after, path: path)
        guard ValueSummary.line(of: before) == ValueSummary.line(of: after) || whole.count > 1,
            let old = old.children.first?.value, let new = new.children.first?.value
        else { return whole }
        return lines(from: old, to: new, path: path)
    }

    // MARK: - Collections

    /// The number of changes of one collection that are listed. For the rest, only their number is given.
    private static let limit = 6

    private static func entries(of dictionary: Mirror) -> [String: Any] {
        var entries: [String: Any] = [:]
        for entry in dictionary.children {
            let pair = Array(Mirror(reflecting: entry.value).children)
            if pair.count == 2 { entries[whole(pair[0].value)] = pair[1].value }
        }
        return entries
    }

    private static func dictionaryLines(from old: [String: Any], to new: [String: Any], path: String) -> [String] {
        shortened(
            Set(old.keys).union(new.keys).sorted().flatMap { key -> [String] in
                switch (old[key], new[key]) {
                case let (before?, after?): lines(from: before, to: after, path: "\(path)[\(key)]")
                case let (nil, after?): ["\(path)[\(key)]: + \(ValueSummary.line(of: after))"]
                default: ["\(path)[\(key)]: removed"]
                }
            }, path)
    }

    /// Returns the lines for the elements that were removed and added.
    private static func elementLines(from old: [Any], to new: [Any], path: String) -> [String] {
        let (before, after) = (counted(old), counted(new))
        let removed = old.filter { after[whole($0), default: 0] < before[whole($0), default: 0] }
        let added = new.filter { before[whole($0), default: 0] < after[whole($0), default: 0] }
        guard !removed.isEmpty || !added.isEmpty else {
            return old.map(whole) == new.map(whole) ? [] : ["\(path): another order"]
        }
        return shortened(
            removed.map { "\(path): - \(ValueSummary.line(of: $0))" }
                + added.map { "\(path): + \(ValueSummary.line(of: $0))" },
            path)
    }

    /// Counts each element, by its parts.
    private static func counted(_ elements: [Any]) -> [String: Int] {
        elements.reduce(into: [:]) { $0[whole($1), default: 0] += 1 }
    }

    private static func whole(_ value: Any) -> String { ValueTree(value).line }

    private static func shortened(_ lines: [String], _ path: String) -> [String] {
        guard lines.count > limit else { return lines }
        return lines.prefix(limit - 1) + ["\(path): … and \(lines.count - limit + 1) more changes"]
    }
}
