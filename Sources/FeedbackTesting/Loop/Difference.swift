import Presentation

/// Describes how two values differ, line by line, for a person to read.
///
///       State(
///         cities: [
///     -     "London"
///     +     "Paris"
///         ]
///       )
struct Difference: CustomStringConvertible {
    private var lines: [String]

    init(expected: some Any, actual: some Any) {
        var before = Self.lines(of: expected)
        var after = Self.lines(of: actual)
        if before == after {
            // The descriptions of some parts hide the difference.
            before = Self.lines(of: expected, label: nil, depth: 0, usesDescriptions: false)
            after = Self.lines(of: actual, label: nil, depth: 0, usesDescriptions: false)
        }
        guard before != after else {
            let nans = before.filter { $0.hasSuffix(" nan") }
            self.lines =
                nans.isEmpty
                ? ["They differ, but their descriptions are equal:", ""] + before.prefix(20)
                : ["They differ, as a NaN does not equal itself:", ""] + nans.prefix(20)
            return
        }
        let isCut = Self.cut(&before, &after)
        let changes = after.difference(from: before)
        let removed = Set(changes.removals.map(\.offset))
        let inserted = Set(changes.insertions.map(\.offset))
        var lines: [(text: String, isChange: Bool)] = []
        var old = 0
        var new = 0
        while old < before.count || new < after.count {
            if removed.contains(old) {
                lines.append(("- " + before[old], true))
                old += 1
            } else if inserted.contains(new) {
                lines.append(("+ " + after[new], true))
                new += 1
            } else {
                lines.append(("  " + after[new], false))
                old += 1
                new += 1
            }
        }
        if isCut {
            // The lines that were cut off may begin like the last changes.
            let isChange = lines.map(\.isChange)
            if let first = isChange.firstIndex(of: true), let last = isChange.lastIndex(of: false), last > first {
                lines.removeSubrange((last + 1)...)
            }
        }
        self.lines = Self.withoutDistantLines(lines)
        if isCut { self.lines.append("  … There are further differences.") }
    }

    var description: String { lines.joined(separator: "\n") }

    // MARK: - Describing one value

    /// One line for each leaf, indented by depth; sets and dictionaries in the order of their descriptions.
    static func lines(of value: some Any) -> [String] {
        lines(of: value, label: nil, depth: 0, usesDescriptions: true)
    }

    /// Values that are nested deeper are described by their type.
    private static let maximumDepth = 64

    /// - Parameter usesDescriptions: False to take apart also the types that have a description of their own.
    private static func lines(of value: Any, label: String?, depth: Int, usesDescriptions: Bool) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        let prefix = indent + (label.map { "\($0): " } ?? "")
        let mirror = Mirror(reflecting: value)
        if let text = leaf(value, mirror, usesDescriptions) { return [prefix + text] }
        if depth > maximumDepth { return [prefix + "\(type(of: value))"] }
        if mirror.displayStyle == .optional, let some = mirror.children.first?.value {
            return lines(of: some, label: label, depth: depth, usesDescriptions: usesDescriptions)
        }
        let (opening, closing) = brackets(of: value, mirror)
        if mirror.children.isEmpty {
            return [prefix + opening + (mirror.displayStyle == .dictionary ? ":" : "") + closing]
        }
        if mirror.displayStyle == .dictionary {
            let entries = mirror.children.map { entryLines(of: $0.value, depth: depth + 1, usesDescriptions) }
            let sorted = entries.sorted { $0.lexicographicallyPrecedes($1) }
            return [prefix + opening] + sorted.joined() + [indent + closing]
        }
        var parts = mirror.children.map { child in
            lines(
                of: child.value, label: partLabel(child.label, mirror), depth: depth + 1,
                usesDescriptions: usesDescriptions)
        }
        if mirror.displayStyle == .set {
            parts.sort { $0.lexicographicallyPrecedes($1) }
        }
        return [prefix + opening] + parts.joined() + [indent + closing]
    }

    /// One entry of a dictionary, as a literal has it: `"London": 3`.
    private static func entryLines(of entry: Any, depth: Int, _ usesDescriptions: Bool) -> [String] {
        let pair = Mirror(reflecting: entry).children.map(\.value)
        guard pair.count == 2 else {
            return lines(of: entry, label: nil, depth: depth, usesDescriptions: usesDescriptions)
        }
        let key = lines(of: pair[0]).map { $0.drop { $0 == " " } }.joined(separator: " ")
        return lines(of: pair[1], label: key, depth: depth, usesDescriptions: usesDescriptions)
    }

    private static func leaf(_ value: Any, _ mirror: Mirror, _ usesDescriptions: Bool) -> String? {
        switch mirror.displayStyle {
        case .optional: return mirror.children.isEmpty ? "nil" : nil
        case .enum where mirror.children.isEmpty: return ".\(value)"
        // Objects are not taken apart: they may refer to each other in a circle.
        case .class, .foreignReference:
            return value is any CustomStringConvertible ? "\(value)" : "\(type(of: value))"
        case nil where mirror.children.isEmpty: break
        case .struct, nil: if !usesDescriptions, !mirror.children.isEmpty { return nil }
        default: return nil
        }
        // The lines of a text are shown as they are.
        if let line = value as? Substring { return String(line) }
        if let text = ValueTree.leaf(value) { return text }
        // A type with a description of its own reads best in its own words.
        return mirror.displayStyle == nil || value is any CustomStringConvertible ? "\(value)" : nil
    }

    private static func brackets(of value: Any, _ mirror: Mirror) -> (String, String) {
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: return ("[", "]")
        case .tuple: return ("(", ")")
        case .enum:
            let name = mirror.children.first?.label ?? "\(value)"
            return (".\(name)(", ")")
        default: return ("\(type(of: value))(", ")")
        }
    }

    private static func partLabel(_ label: String?, _ mirror: Mirror) -> String? {
        guard let label else { return nil }
        // Elements, and the payload of an enum, have no label of their own: a mirror makes one up.
        return label.hasPrefix(".") || mirror.displayStyle == .enum ? nil : label
    }

    // MARK: - Shortening

    /// Cuts off what comes more than a thousand lines after the first difference, unless it is the same in both: the time in
    /// which the fewest changes are found grows with the square of their number.
    ///
    /// - Returns: True if something was cut off.
    private static func cut(_ before: inout [String], _ after: inout [String]) -> Bool {
        let start = zip(before, after).prefix { $0 == $1 }.count
        let end = zip(before.dropFirst(start).reversed(), after.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let limit = start + 1_000
        guard max(before.count, after.count) - end > limit else { return false }
        before.removeSubrange(min(limit, before.count)...)
        after.removeSubrange(min(limit, after.count)...)
        return true
    }

    private static func withoutDistantLines(_ lines: [(text: String, isChange: Bool)]) -> [String] {
        let context = 3
        let changed = lines.indices.filter { lines[$0].isChange }
        var shown = Set<Int>()
        for index in changed { shown.formUnion(index - context...index + context) }
        var result: [String] = []
        for index in lines.indices {
            if shown.contains(index) {
                result.append(lines[index].text)
            } else if result.last != "  …" {
                result.append("  …")
            }
        }
        return result
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case let .insert(offset, _, _), let .remove(offset, _, _): offset
        }
    }
}
