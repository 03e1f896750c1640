import Foundation
import Persistence
import Sync

/// Makes films and queries for them, out of few enough values that queries find something, and with all that is awkward in a
/// URL, in JSON, or in the comparison of text. The same seed gives the same.
struct RandomFilms: RandomObjects {
    var numbers: SeededNumbers

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

    // MARK: - Values

    static let texts = [
        "", "The", "the", "The Third Man", "THE THIRD MAN", "The\u{301}", "Thé", "Amélie", "Ame\u{301}lie", "Amelie",
        "Straße", "STRASSE", "strasse", "Σίσυφος", "ΣΊΣΥΦΟΣ", "100%", "100_", "100\\", "a_c", "abc", "a%c", "a*c", "*",
        "\\*",
        "O'Brien", "\"quoted\"", "\"", "\\", "a,b", "(a)", "a.b", "a:b", "a&b=c", "a+b", " a ", "null", "not.eq.1",
        "eq.null", "{a}", "'; DROP TABLE films; --", "line\r\nbreak", "line\n", "\u{301}x", "🎬", "🎬🍿",
        "👩‍👩‍👧", "👩", "🇫🇷🇩🇪", "🇫🇷", "🇷", "七人の侍", "か\u{3099}ぎ", "q\u{323}\u{307}", "q\u{307}\u{323}", "Å", "\u{212B}",
        "한글", "\u{1112}\u{1161}\u{11AB}글", ".*", "[a]", "^The", "İstanbul", "istanbul", "ﬁlm", "film", "\u{212A}ing",
        "king", "ﬅar", "star", "\u{600}a", "a\u{0}b", "\u{10FFFF}",
    ]
    static let budgets = [0, 1, 2, -1, 7, 100, 5_000_000, .max, .min, 9_007_199_254_740_993]
    static let years: [Int?] = [nil, 1900, 1949, 1950, 2000, -1]
    static let scores: [Double?] = [
        nil, 0, -0.0, 1, 1.5, -1.5, 1e300, -1e300, .leastNonzeroMagnitude, 9_007_199_254_740_992, 7, 8.3, 0.1,
    ]

    mutating func film(_ number: UInt32) -> Film {
        Film(
            id: .fixture(number), title: pick(Self.texts), rating: pick(Rating.allCases), budget: pick(Self.budgets),
            year: pick(Self.years), score: pick(Self.scores), tagline: chance(30) ? nil : pick(Self.texts))
    }

    mutating func object() -> Film { film(UInt32.random(in: 0..<800, using: &self)) }

    mutating func films(_ count: Int) -> [Film] {
        (0..<count).map { film(UInt32($0) * 3) }.shuffled(using: &self)
    }

    // MARK: - Queries

    mutating func test() -> Condition<Film> {
        switch Int.random(in: 0..<13, using: &self) {
        case 0: return chance(50) ? \.id == .fixture(pick([0, 3, 4])) : .in(\.id, [.fixture(3), .fixture(6)])
        case 1: return compare(\.budget, pick(Self.budgets))
        case 2:
            return chance(50)
                ? \.rating == pick(Rating.allCases) : .in(\.rating, [pick(Rating.allCases), pick(Rating.allCases)])
        case 3: return \.rating != pick(Rating.allCases)
        case 4:
            return compare(\.score, pick([.infinity, -.infinity, .nan] + Self.scores.compactMap { $0 }))
        case 5: return compare(\.year, pick(Self.years) ?? 1950)
        case 6:
            return chance(50) ? (chance(50) ? .isNil(\.year) : \.year != nil) : .in(\.year, [pick(Self.years), 1950])
        case 7: return compare(\.title, pick(Self.texts))
        case 8: return compare(\.tagline, pick(Self.texts))
        case 9:
            return chance(50)
                ? .in(\.title, [pick(Self.texts), pick(Self.texts)]) : .in(\.tagline, [nil, pick(Self.texts)])
        case 10: return text(\.tagline)
        default: return text(\.title)
        }
    }

    mutating func criterion() -> SortCriterion<Film> {
        let order: SortCriterion<Film>.Order = chance(50) ? .ascending : .descending
        let place: SortCriterion<Film>.NilPlace = chance(50) ? .first : .last
        switch Int.random(in: 0..<7, using: &self) {
        case 0: return SortCriterion(\.title, order)
        case 1: return SortCriterion(\.rating, order)
        case 2: return SortCriterion(\.budget, order)
        case 3: return SortCriterion(\.score, order, nil: place)
        case 4: return SortCriterion(\.year, order, nil: place)
        case 5: return SortCriterion(\.id, order)
        default: return SortCriterion(\.tagline, order, nil: place)
        }
    }
}
