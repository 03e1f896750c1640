import Foundation
import Persistence

/// A pattern for the server that every matching text fits, and possibly others.
///
/// Swift compares characters, and ignores case by the rules of Unicode. The server compares code points, and ignores
/// case by the rules of its locale. The pattern has a `*` wherever the two could differ, and the store filters the
/// answer.
struct PostgRESTPattern: Equatable, Sendable {
    enum Operation: String, Sendable {
        case equal = "eq"
        case like
        case ilike
        case match
    }

    let operation: Operation
    let text: String

    /// Returns nil if no pattern is certain to fit every matching text.
    init?(_ match: TextMatch) {
        if match.options.contains(.diacriticInsensitive) { return nil }
        let ignoresCase = match.options.contains(.caseInsensitive)
        let pattern = match.pattern.precomposed
        let literal = pattern.map(LikeToken.literal)
        switch match.kind {
        case .equals where !ignoresCase:
            guard pattern.isSendable else { return nil }
            (operation, text) = (.equal, pattern)
            return
        case .matches:
            guard let plain = Self.plainRegex(pattern) else { return nil }
            (operation, text) = (.match, plain)
            return
        case .equals: text = Self.text(literal, ignoresCase)
        case .startsWith: text = Self.text(literal + [.any], ignoresCase)
        case .endsWith: text = Self.text([.any] + literal, ignoresCase)
        case .contains: text = Self.text([.any] + literal + [.any], ignoresCase)
        case .like: text = Self.text(LikeToken.parse(pattern), ignoresCase)
        }
        operation = ignoresCase ? .ilike : .like
    }

    /// `true` if the pattern fits every text.
    var fitsAll: Bool { text == "*" && operation != .match && operation != .equal }

    // MARK: - Machinery

    private static func text(_ tokens: [LikeToken<Character>], _ ignoresCase: Bool) -> String {
        var text = ""
        for token in tokens {
            if case .literal(let character) = token, isSure(character, ignoresCase) {
                if "%_\\".contains(character) { text.append("\\") }
                text.append(character)
            } else if text.last != "*" {
                // One character in Swift, which a `_` stands for, can be several code points on the server.
                text.append("*")
            }
        }
        return text
    }

    /// Returns true if the server finds the character in every text in which Swift does.
    private static func isSure(_ character: Character, _ ignoresCase: Bool) -> Bool {
        // PostgREST reads every asterisk as a percent sign.
        guard character != "*", String(character).isSendable else { return false }
        if ignoresCase {
            guard let byte = character.asciiValue else { return false }
            return !lettersOfOthers.contains(Character(UnicodeScalar(byte | 0x20)))
                || !(character.isLetter)
        }
        // A combining mark would join the asterisk.
        return "*\(character)*".count == 3
    }

    /// The letters that other characters equal or contain if case is ignored, such as ﬁ, ß and the Kelvin sign.
    static let lettersOfOthers: Set<Character> = Set("afhijklnstwy")

    /// Returns a regular expression that has no special character but a leading `^`, and so means the same on the
    /// server; nil for others.
    private static func plainRegex(_ pattern: String) -> String? {
        let rest = pattern.hasPrefix("^") ? pattern.dropFirst() : pattern[...]
        let isPlain = rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == " ") }
        return isPlain && !rest.isEmpty ? pattern : nil
    }
}

extension String {
    /// `true` if the text can be part of a URL: networking refuses characters that could end a line of the request.
    var isSendable: Bool { !utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } }
}
