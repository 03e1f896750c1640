import Foundation

/// A value as lines, one for each of its parts: `form.street` and `"Baker Street"`.
///
/// Lines can be kept, and compared with those of another state or of another run.
public struct ValueLines: Equatable, Sendable {
    /// The parts by their paths; the path of the whole is empty.
    public private(set) var lines: [Line]

    /// One part of a value.
    public struct Line: Equatable, Sendable {
        /// The path of the part, such as `form.street`.
        public let path: String
        /// The text of the part.
        public let text: String

        /// Makes a line.
        public init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// Makes a value of lines that were kept.
    public init(_ lines: [Line]) { self.lines = lines }

    /// The texts by their paths.
    public var byPath: [String: String] { Dictionary(lines.map { ($0.path, $0.text) }, uniquingKeysWith: { $1 }) }

    /// Makes the lines of a value.
    ///
    /// - Parameters:
    ///   - names: Names unpredictable identifiers by the order in which they appear.
    ///   - isSecret: Returns true if this is the name of a secret. The part with the name is not shown, nor are the
    ///     values of an enum's case with the name, nor those that stand beside such a case:
    ///     `.edit(.password, "hunter2")`.
    ///   - redacted: Returns a text or a key without the secrets in it.
    public init(
        _ tree: ValueTree, names: inout IdentifierNames, isSecret: (_ name: String) -> Bool = { _ in false },
        redacted: (_ text: String) -> String = { $0 }
    ) {
        lines = []
        add(tree, path: "", &names, isSecret, redacted, isHidden: false)
    }

    private mutating func add(
        _ tree: ValueTree, path: String, _ names: inout IdentifierNames, _ isSecret: (String) -> Bool,
        _ redacted: (String) -> String, isHidden: Bool
    ) {
        if isHidden, tree.children.isEmpty {
            lines.append(Line(path: path, text: "<redacted>"))
            return
        }
        lines.append(Line(path: path, text: names.replacing(in: redacted(tree.text))))
        // The parts of an enum's case and of a tuple belong together.
        let belongTogether = tree.text.hasPrefix(".") || tree.text == "()"
        let isHidden =
            isHidden || Self.isSecretCase(tree, isSecret)
            || (belongTogether && tree.children.contains { Self.isSecretCase($0, isSecret) })
        for (index, child) in tree.children.enumerated() {
            // A hidden dictionary does not show its keys.
            let label = isHidden && tree.text.hasSuffix(":]") ? "\(index)" : names.replacing(in: redacted(child.label))
            let isIndex = !label.isEmpty && label.utf8.allSatisfy { 48...57 ~= $0 }
            let next = isIndex ? "\(path)[\(label)]" : path.isEmpty ? label : "\(path).\(label)"
            // The name of a case tells no more than the program's source.
            let isName = child.children.isEmpty && Self.isSecretCase(child, isSecret)
            add(
                child, path: next, &names, isSecret, redacted,
                isHidden: !isName && (isHidden || (!isIndex && isSecret(child.label))))
        }
    }

    private static func isSecretCase(_ tree: ValueTree, _ isSecret: (String) -> Bool) -> Bool {
        tree.text.hasPrefix(".") && isSecret(String(tree.text.dropFirst()))
    }
}

// MARK: - Differences

extension ValueLines {
    /// The difference of one value from another.
    public struct Difference: Equatable, Sendable {
        /// The lines that are new or have another text.
        public var changed: [Line]
        /// The paths that are no longer there.
        public var removed: [String]

        /// Makes a difference.
        public init(changed: [Line] = [], removed: [String] = []) {
            self.changed = changed
            self.removed = removed
        }

        /// True if nothing has changed.
        public var isEmpty: Bool { changed.isEmpty && removed.isEmpty }
    }

    /// The changes that lead from `old` to these lines.
    public func difference(from old: ValueLines) -> Difference {
        var known = old.byPath
        let changed = lines.filter { known.removeValue(forKey: $0.path) != $0.text }
        return Difference(changed: changed, removed: old.lines.map(\.path).filter { known[$0] != nil })
    }

    /// Returns the lines after changes. New lines are at the end.
    public func applying(_ difference: Difference) -> ValueLines {
        var changed = Dictionary(difference.changed.map { ($0.path, $0.text) }, uniquingKeysWith: { $1 })
        let removed = Set(difference.removed)
        let kept = lines.filter { !removed.contains($0.path) }.map { line in
            changed.removeValue(forKey: line.path).map { Line(path: line.path, text: $0) } ?? line
        }
        return ValueLines(kept + difference.changed.filter { changed[$0.path] != nil })
    }
}

extension ValueLines.Line: CustomStringConvertible {
    public var description: String { path.isEmpty ? text : "\(path): \(text)" }
}

extension ValueLines.Difference: CustomStringConvertible {
    /// One line for each change.
    public var description: String {
        (changed.map { "\($0)" } + removed.map { "\($0): removed" }).joined(separator: "\n")
    }
}

// MARK: - Identifiers

/// Names for identifiers that differ in each run: `UUID 1` is the first that appeared.
public struct IdentifierNames: Sendable {
    private var names: [String: Int] = [:]

    /// Makes an empty set of names.
    public init() {}

    /// Returns the text with all UUIDs in it replaced by their names.
    public mutating func replacing(in text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count >= 36 else { return text }
        var result: [UInt8] = []
        var start = 0
        while start < bytes.count {
            if Self.isUUID(bytes, at: start) {
                let key = String(decoding: bytes[start..<(start + 36)], as: UTF8.self).lowercased()
                let number = names[key] ?? names.count + 1
                names[key] = number
                result += "UUID \(number)".utf8
                start += 36
            } else {
                result.append(bytes[start])
                start += 1
            }
        }
        return result.count == bytes.count ? text : String(decoding: result, as: UTF8.self)
    }

    private static func isUUID(_ bytes: [UInt8], at start: Int) -> Bool {
        guard start + 36 <= bytes.count else { return false }
        for offset in 0..<36 {
            let byte = bytes[start + offset]
            switch offset {
            case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
            default:
                guard (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte) else {
                    return false
                }
            }
        }
        return true
    }
}
