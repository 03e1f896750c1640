import Foundation

/// The two directions of `JSONDecoder`'s and `JSONEncoder`'s snake-case strategies.
enum SnakeCase {
    /// `first_name` as `firstName`; underscores at both ends stay.
    static func camelCased(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let joined = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return key[..<first] + joined + key[key.index(after: last)...]
    }
}
