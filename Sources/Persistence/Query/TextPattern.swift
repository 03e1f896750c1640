import Foundation

/// The differences between texts that a condition ignores.
public struct TextOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `A` equals `a`, by the rules of Unicode and not of a particular language.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// `é` equals `e`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// The text that a condition looks for, and how.
public struct TextMatch: Sendable, Hashable {
    /// The ways to look for a text.
    public enum Kind: Sendable, Hashable {
        /// The whole text is the pattern.
        case equals
        /// The text begins with the pattern.
        case startsWith
        /// The text ends with the pattern.
        case endsWith
        /// The pattern is somewhere in the text.
        case contains
        /// The whole text matches a pattern: `%` stands for any text, `_` for any one character, and `\` makes one of
        /// the three after it stand for itself.
        case like
        /// The regular expression matches somewhere in the text.
        case matches
    }

    /// The way to look for the pattern.
    public let kind: Kind
    /// The text that is looked for.
    public let pattern: String
    /// The differences that are ignored.
    public let options: TextOptions
}

/// A text match that is prepared for many texts. It implements text conditions both in memory and in SQLite.
///
/// Text is compared by characters, as Swift does: `"cafe\u{301}"` starts with `"caf"` but not with `"cafe"`.
// Unchecked, since Regex is not Sendable; one that is made from text has no custom parts, and is never changed here.
@usableFromInline
package final class TextPattern: @unchecked Sendable {
    private enum Search {
        case literal(TextMatch.Kind)
        case like([LikeToken<UInt8>]?, [LikeToken<Character>])
        case regex(Regex<AnyRegexOutput>)
    }

    private let options: TextOptions
    private let search: Search
    private let literal: TextSearch
    /// True if text that is ASCII can be compared byte by byte.
    private let isBytewise: Bool

    init(_ match: TextMatch) throws(StoreError) {
        options = match.options
        let bytes = Array(match.pattern.folded(options).utf8)
        literal = TextSearch(bytes)
        // A carriage return and a line feed make up one character, so their bytes cannot be told apart.
        isBytewise = bytes.allSatisfy { UTF8.isASCII($0) && $0 != 0x0D && $0 != 0x0A }
        switch match.kind {
        case .like:
            let tokens = LikeToken.parse(match.pattern.folded(options))
            search = .like(isBytewise ? tokens.map { $0.map { $0.utf8.first ?? 0 } } : nil, tokens)
        case .matches:
            do {
                search = .regex(try Regex(match.pattern))
            } catch {
                throw .invalidPattern(match.pattern, reason: "\(error)")
            }
        default: search = .literal(match.kind)
        }
    }

    @usableFromInline
    func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches($0) }
    }

    func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch search {
        case .literal(let kind):
            if isBytewise && text.isASCII { return matches(kind, bytes: text) }
            return matches(kind, folded: String(decoding: text, as: UTF8.self).folded(options))
        case .like(let byteTokens, let tokens):
            if let byteTokens, text.allSatisfy({ UTF8.isASCII($0) && $0 != 0x0D }) {
                let ignoringCase = options.contains(.caseInsensitive)
                return LikeToken.matches(byteTokens, text.count) { position, byte in
                    (ignoringCase ? text[position].lowercased : text[position]) == byte
                }
            }
            let characters = Array(String(decoding: text, as: UTF8.self).folded(options))
            return LikeToken.matches(tokens, characters.count) { characters[$0] == $1 }
        case .regex(let regex):
            let text = String(decoding: text, as: UTF8.self).precomposed
            return (try? regex.firstMatch(in: text)) != nil
        }
    }

    // MARK: - Literal text

    private func matches(_ kind: TextMatch.Kind, bytes text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = literal.bytes
        let last = text.count - bytes.count
        guard last >= 0 else { return false }
        switch kind {
        case .equals: return last == 0 && isFound(at: 0, in: text)
        case .startsWith: return isFound(at: 0, in: text)
        case .endsWith: return isFound(at: last, in: text)
        default:
            return literal.find(in: text, ignoringCase: options.contains(.caseInsensitive)) { _ in true }
        }
    }

    private func isFound(at position: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = literal.bytes
        if options.contains(.caseInsensitive) {
            for index in bytes.indices where text[position &+ index].lowercased != bytes[index] { return false }
        } else {
            for index in bytes.indices where text[position &+ index] != bytes[index] { return false }
        }
        return true
    }

    /// Matches text that is already folded; a match must begin and end at bounds of characters.
    private func matches(_ kind: TextMatch.Kind, folded text: String) -> Bool {
        var text = text
        let bytes = literal.bytes
        let last = text.utf8.count - bytes.count
        guard last >= 0 else { return false }
        var boundaries = CharacterBoundaries(text)
        func isWhole(_ position: Int) -> Bool {
            boundaries.contains(position) && boundaries.contains(position + bytes.count)
        }
        return text.withUTF8 { utf8 in
            func isEqual(_ position: Int) -> Bool {
                utf8[position..<position + bytes.count].elementsEqual(bytes)
            }
            return switch kind {
            case .equals: last == 0 && isEqual(0)
            case .startsWith: isEqual(0) && isWhole(0)
            case .endsWith: isEqual(last) && isWhole(last)
            default: literal.find(in: utf8, ignoringCase: false, isWhole)
            }
        }
    }
}
