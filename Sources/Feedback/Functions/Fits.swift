import Foundation

extension String {
    /// Returns true if a text is equal to this one, in which each mark stands for any text.
    package func fits(_ text: String, mark: String) -> Bool {
        let parts = components(separatedBy: mark)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return self == text }
        guard text.hasPrefix(first), text.count >= first.count + last.count, text.hasSuffix(last) else { return false }
        var rest = text.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let match = rest.firstRange(of: part) else { return false }
            rest = rest[match.upperBound...]
        }
        return true
    }
}
