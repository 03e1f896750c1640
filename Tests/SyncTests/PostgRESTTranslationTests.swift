import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Sync

@Suite(.onOwnThread)
struct PostgRESTTranslationTests {
    // MARK: - What the server is told exactly

    @Test(
        "A condition that the dialect has becomes a query that is exact",
        arguments: [
            (\Film.rating == .PG_13, "rating=eq.PG-13"),
            (\.rating != .R, "rating=neq.R"),
            (\.budget < 5, "budget=lt.5"),
            (!(\.budget < 5), "budget=gte.5"),
            (\.budget > 5 && \.budget >= 5, "budget=gt.5"), (\.budget <= 5 && \.budget < 5, "budget=lt.5"),
            (.between(\.budget, 1...5), "budget=gte.1&budget=lte.5"),
            (!.between(\.budget, 1...5), "or=(budget.not.gte.1,budget.not.lte.5)"),
            (.in(\.rating, [.G, .PG_13]), "rating=in.(G,PG-13)"),
            (\.rating == .G || \.rating == .PG_13, "rating=in.(G,PG-13)"),
            (
                .in(\.title, ["a,b", "(c)", "d.e", "f\"g", "h\\i", ""]),
                #"title=in.("a,b","(c)","d.e","f\"g","h\\i","")"#
            ),
            (.in(\.title, [""]), "title=eq."),
            (.isNil(\.year), "year=is.null"),
            (\.year != nil, "year=not.is.null"),
            (\.year != 1949, "or=(year.neq.1949,year.is.null)"),
            (!(\.year < 1949), "or=(year.not.lt.1949,year.is.null)"),
            (!.in(\.year, [1949, 1950]), "or=(year.not.in.(1949,1950),year.is.null)"),
            (.in(\.year, [1949, nil, 1950]), "or=(year.in.(1949,1950),year.is.null)"),
            (!.in(\.year, [1949, nil, 1950]), "year=not.in.(1949,1950)&year=not.is.null"),
            (\.title == "eq.null", "title=eq.eq.null"),
            (\.title == "\"a\"", "title=eq.\"a\""),
            (\.title == "Ame\u{301}lie", "title=eq.Am\u{E9}lie"),
            (\.score < .infinity, "score=lt.Infinity"),
            (
                \.budget > 5 || (\.title == "a,b" && !(\.rating == .G)),
                #"or=(budget.gt.5,and(title.eq."a,b",rating.neq.G))"#
            ),
            (!(\.budget > 5 && \.rating == .G), "or=(budget.lte.5,rating.neq.G)"),
            (.equals(\.title, "a", []), "title=eq.a"),
            (.always, ""),
            (.never, "id=is.null"),
            (\.score == .nan, "id=is.null"),
        ] as [(Condition<Film>, String)])
    func exact(condition: Condition<Film>, query: String) throws {
        let translation = try PostgRESTTranslation(condition, in: Film.schema, textOrder: .codePoints)
        #expect(text(translation.condition) == query)
        #expect(translation.isExact)
    }

    // MARK: - What it is told in part

    @Test(
        "A search for text asks for at least what matches, and is looked through here",
        arguments: [
            (.startsWith(\Film.title, "The"), "title=like.The*"),
            (.endsWith(\.title, "100%"), #"title=like.*100\%"#),
            (.contains(\.title, "a_c"), #"title=like.*a\_c*"#),
            (.contains(\.title, "a*c"), "title=like.*a*c*"),
            (.contains(\.title, "a\\c"), #"title=like.*a\\c*"#),
            (.contains(\.title, "\u{301}x"), "title=like.*x*"),
            (.contains(\.title, "a\r\nc"), "title=like.*a*c*"),
            (.like(\.title, "T_e%\\%"), #"title=like.T*e*\%"#),
            (.like(\.title, "a\\c\\"), #"title=like.a\\c\\"#),
            (.contains(\.title, "MATRIX", .caseInsensitive), "title=ilike.*M*R*X*"),
            (.contains(\.title, "Straße", .caseInsensitive), "title=ilike.*r*e*"),
            (.equals(\.title, "Doré", .caseInsensitive), "title=ilike.Dor*"),
            (.matches(\.title, "^The"), "title=match.^The"),
            (.contains(\.tagline, ""), "tagline=not.is.null"),
            (.startsWith(\.title, "The") && \.budget > 5, "title=like.The*&budget=gt.5"),
        ] as [(Condition<Film>, String)])
    func partial(condition: Condition<Film>, query: String) throws {
        let translation = try PostgRESTTranslation(condition, in: Film.schema, textOrder: .codePoints)
        #expect(text(translation.condition) == query)
        #expect(!translation.isExact)
    }

    @Test(
        "A condition that the server cannot be told asks for everything",
        arguments: [
            .contains(\.title, "a", .diacriticInsensitive), .matches(\.title, "a.c"), !.startsWith(\.title, "The"),
            \.title == "line\nbreak", .contains(\.title, ""),
            .startsWith(\.title, "The") || .matches(\.title, "[a]"),
        ] as [Condition<Film>])
    func unknown(condition: Condition<Film>) throws {
        let translation = try PostgRESTTranslation(condition, in: Film.schema, textOrder: .codePoints)
        #expect(translation.condition == .always)
        #expect(!translation.isExact)
    }

    @Test("If the server orders text by a language, it is not asked for an order of text")
    func textOrder() throws {
        let condition: Condition<Film> = \.title > "a" && \.budget > 5
        let translation = try PostgRESTTranslation(condition, in: Film.schema, textOrder: .other)
        #expect(text(translation.condition) == "budget=gt.5")
        #expect(!translation.isExact)
    }

    @Test("A condition that is too long for a URL is sent in part")
    func fitting() throws {
        let ids: [UUID] = (0..<100).map { .fixture($0) }
        let long = try PostgRESTTranslation(.in(\.id, ids) && \.budget > 5, in: Film.schema, textOrder: .codePoints)
        #expect(text(long.fitting(1_000, key: "id").condition) == "budget=gt.5")
        #expect(!long.fitting(1_000, key: "id").isExact)
        #expect(long.fitting(10_000, key: "id") == long)
        // Each part fits by itself, but not both.
        let (a, b) = (String(repeating: "a", count: 600), String(repeating: "b", count: 600))
        let two = try PostgRESTTranslation(
            \.title != a && \.title != b && \.budget > 5, in: Film.schema, textOrder: .codePoints)
        let sent = text(two.fitting(1_000, key: "id").condition)
        #expect(sent.contains("budget=gt.5") && sent.contains("aaa") != sent.contains("bbb"))
    }

    @Test("A pattern leaves open every letter that other characters equal or contain if case is ignored")
    func lettersOfOthers() {
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = String(scalar).precomposedStringWithCanonicalMapping.unicodeScalars.map {
                $0.properties.uppercaseMapping.lowercased()
            }.joined()
            for character in folded where character.isASCII && character.isLetter {
                #expect(PostgRESTPattern.lettersOfOthers.contains(character), "\(scalar) is \(character)")
            }
        }
    }

    @Test("A property without a column is refused")
    func unknownProperty() {
        #expect(throws: StoreError.self) {
            try PostgRESTTranslation(\.title.count == 3, in: Film.schema, textOrder: .codePoints)
        }
    }

    // MARK: - Order

    @Test("The order of an optional column says where nulls go, and the id comes last")
    func order() throws {
        #expect(
            try PostgRESTQuery.order(
                by: [
                    SortCriterion(\.year, .descending), SortCriterion(\.score, nil: .first), SortCriterion(\.title),
                ], in: Film.schema) == ["year.desc.nullslast", "score.asc.nullsfirst", "title.asc", "id.asc"])
        #expect(
            try PostgRESTQuery.order(by: [SortCriterion(\.id, .descending), SortCriterion(\.title)], in: Film.schema)
                == ["id.desc"])
    }

    private func text(_ condition: PostgRESTCondition) -> String {
        condition.items(key: "id").map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }
}
