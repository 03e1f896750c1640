import Foundation
import Persistence
import Testing

@testable import Sync

struct PostgRESTPatternTests {
    @Test(
        "PostgreSQL finds every text that Swift finds, whether or not it knows the case of other letters than ASCII's",
        arguments: [false, true])
    func superset(knowsUnicode: Bool) async throws {
        let texts = RandomFilms.texts + [#"a\c"#, "a_c"]
        let store = MemoryStore(Film.schema)
        let films = texts.enumerated().map { number, text in
            Film.fixture(id: .fixture(UInt32(number)), title: text.precomposedStringWithCanonicalMapping)
        }
        try await store.insert(films)
        var found = 0
        let beginnings = texts.map { String($0.prefix(2)) }
        for pattern in texts + beginnings + ["%", "_", #"a\%c"#, #"a\_c"#, #"a\\c"#, "%_", #"\"#, "T_e%"] {
            for condition in Self.conditions(pattern) {
                guard case let .text(_, match) = condition.form, let remote = PostgRESTPattern(match) else { continue }
                for film in try await store.filter(where: condition).result() {
                    found += 1
                    #expect(
                        Server(knowsUnicode: knowsUnicode).finds(remote, in: film.title),
                        "\(remote) in \(film.title.debugDescription) for \(match)")
                }
            }
        }
        #expect(found > 1_000)
    }

    private static func conditions(_ pattern: String) -> [Condition<Film>] {
        [TextOptions(), .caseInsensitive].flatMap { options -> [Condition<Film>] in
            [
                .equals(\.title, pattern, options), .startsWith(\.title, pattern, options),
                .endsWith(\.title, pattern, options), .contains(\.title, pattern, options),
                .like(\.title, pattern, options),
            ]
        }
    }
}

/// How PostgREST and PostgreSQL compare text: code point by code point.
private struct Server {
    let knowsUnicode: Bool

    func finds(_ pattern: PostgRESTPattern, in text: String) -> Bool {
        let text = text.unicodeScalars.map { $0 }
        switch pattern.operation {
        case .equal: return text == pattern.text.unicodeScalars.map { $0 }
        case .match: return true
        case .like, .ilike:
            let ignoresCase = pattern.operation == .ilike
            let fold = { (scalar: Unicode.Scalar) in ignoresCase ? lowercased(scalar) : scalar }
            // PostgREST makes a percent sign of every asterisk, before PostgreSQL looks for escapes.
            let pattern = pattern.text.unicodeScalars.map { $0 == "*" ? "%" : $0 }
            return isLike(text.map(fold)[...], pattern.map(fold)[...])
        }
    }

    private func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "%": return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
        case "_": return !text.isEmpty && isLike(text.dropFirst(), rest)
        case "\\": return text.first == rest.first && isLike(text.dropFirst(), rest.dropFirst())
        default: return text.first == first && isLike(text.dropFirst(), rest)
        }
    }

    /// One code point for one, as the C library does it.
    private func lowercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard scalar.isASCII || knowsUnicode else { return scalar }
        let lowercased = scalar.properties.lowercaseMapping.unicodeScalars
        return lowercased.count == 1 ? lowercased.first ?? scalar : scalar
    }
}
