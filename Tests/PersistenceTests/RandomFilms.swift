import Foundation
import Persistence

/// Makes films and queries for them, out of few enough values that queries find something, and with all that is awkward.
struct RandomFilms: RandomObjects {
    var numbers: SeededNumbers

    /// The texts that films have. Queries ask for all others too.
    private let storedTexts: [String]

    /// - Parameter hasZeroBytes: True if films may have texts with zero bytes, which not every store can keep.
    init(seed: UInt64, hasZeroBytes: Bool = true) {
        numbers = SeededNumbers(seed: seed)
        storedTexts = hasZeroBytes ? Self.texts : Self.texts.filter { !$0.utf8.contains(0) }
    }

    static let texts = [
        "", "The", "the", "The Third Man", "THE THIRD MAN", "The\u{301}", "Thé", "The\u{301}odore", "Amélie",
        "Ame\u{301}lie",
        "Amelie", "Straße", "STRASSE", "strasse", "Σίσυφος", "ΣΊΣΥΦΟΣ", "ΣΙΣΥΦΟΣ", "100%", "100_", "100\\", "a_c",
        "abc", "a%c",
        "O'Brien", "\"quoted\"", "'; DROP TABLE films; --", "line\r\nbreak", "line\n", "\r", "null\u{0}byte", "\u{0}",
        "🎬", "🎬🍿",
        "👩‍👩‍👧", "👩", "🇫🇷🇩🇪", "🇫🇷", "七人の侍", "七人", "がぎ", "か\u{3099}ぎ", "q\u{323}\u{307}", "q\u{307}\u{323}", "Å", "A\u{30A}",
        "\u{212B}", "한글", "\u{1112}\u{1161}\u{11AB}글", ".*", "[a]", "^The", "İstanbul", "istanbul", "\u{FFFF}",
        "\u{10FFFF}", "ﬁlm",
    ]
    static let integers = [0, 1, 2, 3, -1, 7, 100, 5_000_000, Int.max, Int.min]
    static let numbers = [
        0, -0.0, 1, 1.5, -1.5, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .ulpOfOne,
        9_007_199_254_740_992,
        7, 3,
    ]
    static let years: [Int?] = [nil, 1900, 1949, 1950, 2000, -1]
    static let dates: [Date?] =
        [nil]
        + [0, -1, 1.000_000_1, 1e9, .nan, .infinity, 750_000_000.123_456_7].map {
            Date(timeIntervalSinceReferenceDate: $0)
        }
    static let studios =
        [UUID.zero]
        + [0x01, 0x7F, 0x80, 0xA9, 0xFF].map { (byte: UInt8) in
            UUID(uuid: (byte, 0, 0, 0, 1, 0, 0, byte, 0, 0, 0, 0, 0, 0, 0, byte))
        }
    static let posters: [Data?] = [
        nil, Data(), Data([0]), Data([0, 0]), Data([1]), Data([0x7F]), Data([0x80, 1]), Data([0xFF]),
    ]
    static let tags: [[String]] = [
        [], [""], ["old"], ["old", "Am\u{E9}lie"], ["old", "Ame\u{301}lie"], ["\n\u{303}", "\t\u{E9}"],
        ["\n\u{342}\u{323}"],
        ["null"], ["-0", "[1]", "\"\u{301}\\"], ["null\u{0}byte"], ["\u{1F3AC}", "\u{10FFFF}", "\u{2028}"],
    ]
    static let marks: [[String: Double]?] = [
        nil, [:], ["a": 1, "B": 2], ["a": -0.0, "a!": .nan], ["a": 0, "a!": .nan], ["a": .infinity],
        ["\u{E9}b": 1, "z": 2],
        ["e\u{301}b": 1, "z": 2], ["\u{212A}": 1, "K!": 2], ["K": 1, "K!": 2], ["\n\u{301}": 1e300], ["": 0.1],
    ]
    static let votes: [UInt64] = [0, 1, 7, UInt64(Int64.max), UInt64(Int64.max) + 1, .max, .max - 1]

    mutating func film(id: Int) -> Film {
        Film(
            id: id, title: pick(storedTexts), rating: pick(Rating.allCases), budget: pick(Self.integers),
            score: pick(Self.numbers), year: pick(Self.years), subtitle: chance(30) ? nil : pick(storedTexts),
            isColor: chance(50), premiere: pick(Self.dates), studio: pick(Self.studios), poster: pick(Self.posters),
            votes: pick(Self.votes), grade: chance(30) ? nil : pick(Grade.allCases),
            length: chance(30) ? nil : pick(Self.numbers), tags: pick(Self.tags), marks: pick(Self.marks))
    }

    mutating func object() -> Film { film(id: Int.random(in: -30..<800, using: &self)) }

    mutating func films(_ count: Int) -> [Film] { (0..<count).map { film(id: $0 * 3 - 20) } }

    // MARK: - Queries

    mutating func test() -> Condition<Film> {
        switch Int.random(in: 0..<18, using: &self) {
        case 0: return compare(\.id, Int.random(in: -30..<800, using: &self))
        case 1: return compare(\.budget, pick(Self.integers))
        case 2: return chance(50) ? \.rating == pick(Rating.allCases) : .in(\.rating, [pick(Rating.allCases), .R])
        case 3: return compare(\.score, pick(Self.numbers))
        case 4:
            if let year = pick(Self.years) { return compare(\.year, year) }
            return chance(50) ? .isNil(\.year) : \.year != nil
        case 5: return compare(\.title, pick(Self.texts))
        case 6: return compare(\.subtitle, pick(Self.texts))
        case 7: return chance(50) ? \.isColor == chance(50) : \.isColor != chance(50)
        case 8:
            if let date = pick(Self.dates) { return compare(\.premiere, date) }
            return \.premiere == nil
        case 9: return chance(50) ? \.studio == pick(Self.studios) : \.studio != pick(Self.studios)
        case 10: return chance(50) ? \.poster == pick(Self.posters) : \.poster != pick(Self.posters)
        case 11: return compare(\.votes, pick(Self.votes))
        case 12: return compare(\.grade, pick(Grade.allCases))
        case 13: return compare(\.length, pick(Self.numbers))
        case 14: return text(\.title)
        case 15:
            if chance(50) { return .in(\.tags, [pick(Self.tags), pick(Self.tags)]) }
            return chance(50) ? \.tags == pick(Self.tags) : \.tags != pick(Self.tags)
        case 16:
            if chance(50) { return .in(\.marks, [pick(Self.marks), pick(Self.marks)]) }
            return chance(50) ? \.marks == pick(Self.marks) : \.marks != pick(Self.marks)
        default: return text(\.subtitle)
        }
    }

    mutating func criterion() -> SortCriterion<Film> {
        let order: SortCriterion<Film>.Order = chance(50) ? .ascending : .descending
        let place: SortCriterion<Film>.NilPlace = chance(50) ? .first : .last
        switch Int.random(in: 0..<15, using: &self) {
        case 0: return SortCriterion(\.title, order)
        case 1: return SortCriterion(\.rating, order)
        case 2: return SortCriterion(\.budget, order)
        case 3: return SortCriterion(\.score, order)
        case 4: return SortCriterion(\.year, order, nil: place)
        case 5: return SortCriterion(\.subtitle, order, nil: place)
        case 6: return SortCriterion(\.isColor, order)
        case 7: return SortCriterion(\.premiere, order, nil: place)
        case 8: return SortCriterion(\.studio, order)
        case 9: return SortCriterion(\.poster, order, nil: place)
        case 10: return SortCriterion(\.votes, order)
        case 11: return SortCriterion(\.grade, order, nil: place)
        case 12: return SortCriterion(\.tags, order)
        case 13: return SortCriterion(\.marks, order, nil: place)
        default: return SortCriterion(\.length, order, nil: place)
        }
    }
}
