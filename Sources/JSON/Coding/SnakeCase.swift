import Foundation

/// The two directions of `JSONDecoder`'s and `JSONEncoder`'s snake-case strategies.
package enum SnakeCase {
    /// `first_name` as `firstName`; underscores at both ends stay.
    package static func camelCased(_ key: String) -> String {
        if let plain = plainCamelCased(key) { return plain }
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let joined = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return key[..<first] + joined + key[key.index(after: last)...]
    }

    /// Converts a key of small letters and single underscores between them, as most are; returns `nil` for any other.
    private static func plainCamelCased(_ key: String) -> String? {
        var key = key
        return key.withUTF8 { bytes in
            var isLetter = false
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"): isLetter = true
                case UInt8(ascii: "_") where isLetter: isLetter = false
                default: return nil
                }
            }
            guard isLetter else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { letters in
                var (count, beginsWord) = (0, false)
                for byte in bytes {
                    if byte == UInt8(ascii: "_") {
                        beginsWord = true
                        continue
                    }
                    letters[count] = beginsWord ? byte - 0x20 : byte
                    (count, beginsWord) = (count + 1, false)
                }
                return count
            }
        }
    }

    /// `firstName` as `first_name`, and `aURLPath` as `a_url_path`.
    static func snakeCased(_ key: String) -> String {
        let bytes = Array(key.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return snakeCasedByFoundation(key) }
        func isUpper(_ place: Int) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[place]) }
        func isLower(_ place: Int) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[place]) }
        // A word begins at a capital that does not follow another one directly, and at the last of several capitals if a
        // lower-case letter comes next.
        var starts: Set<Int> = []
        var place = 1
        while let upper = (place..<max(place, bytes.count)).first(where: isUpper) {
            starts.insert(upper)
            guard let lower = (upper..<bytes.count).first(where: isLower) else { break }
            starts.insert(lower - 1)
            place = lower + 1
        }
        var result = ""
        for (place, byte) in bytes.enumerated() {
            if starts.contains(place) { result.append("_") }
            result.unicodeScalars.append(UnicodeScalar(isUpper(place) ? byte + 0x20 : byte))
        }
        return result
    }

    /// Lets Foundation convert a key that is not ASCII, so that both agree on which letters are capitals.
    private static func snakeCasedByFoundation(_ key: String) -> String {
        struct Named: Encodable {
            let key: String

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: NameKey.self)
                try container.encode(0, forKey: NameKey(key))
            }
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let body = try? encoder.encode(Named(key: key))
        return body.flatMap { try? JSONIndex.read($0) { $0.members.first { _ in true }?.key } } ?? key
    }
}
