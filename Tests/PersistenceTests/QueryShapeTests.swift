import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

/// SQLite's prepared statements are found by their text. So two queries may share a text only if they differ in bound
/// values alone.
@Suite("Queries of one shape", .onOwnThread)
struct QueryShapeTests {
    private let memory = MemoryStore(Film.schema)
    private let sqlite: SQLiteStore<Film>

    init() throws {
        var random = RandomFilms(seed: 21)
        let films = random.films(120)
        sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try memory.insert(films).get()
        try sqlite.insert(films).get()
    }

    private func text(_ condition: Condition<Film>) throws -> String {
        try sqlite.filter(where: condition).plan().get().steps[0]
    }

    @Test("Queries that differ in ordinary values share a statement")
    func sharedTexts() throws {
        let decomposed: Condition<Film> = \.title == "Ame\u{301}lie"
        #expect(try text(\.year == 1949) == text(\.year == 1950))
        #expect(try text(\.title == "") == text(decomposed))
        #expect(try text(.in(\.budget, [1, 2, 3])) == text(.in(\.budget, [4, 5, 6, 7])))
        #expect(try text(.startsWith(\.title, "The")) == text(.startsWith(\.title, "七")))
        #expect(try text(\.score > 1) == text(\.score > .infinity))
    }

    @Test("Queries that ask different things have different statements")
    func differentTexts() throws {
        #expect(try text(\.year == 1949) != text(\.year == nil))
        #expect(try text(\.year != 1949) != text(\.budget != 1949))
        #expect(try text(.in(\.budget, [1, 2, 3, 4])) != text(.in(\.budget, [1, 2, 3, 4, 5])))
        #expect(try text(.in(\.budget, [])) != text(.in(\.budget, [1])))
        #expect(try text(.in(\.year, [1, 2])) != text(.in(\.year, [1, nil])))
        #expect(try text(.startsWith(\.title, "The")) != text(.startsWith(\.title, "")))
        #expect(try text(\.score > 1) != text(\.score > .nan))
        #expect(try text(\.score > 1) != text(\.score >= 1))
    }

    @Test("A condition has a shape unless it has a list, a search in a text, NaN, no column, or too many parts")
    func shapes() {
        func shape(_ condition: Condition<Film>) -> QuestionShape? {
            let question = Question(condition: condition).erased(id: Film.schema.id.attribute.erased)
            var values: [PrimitiveValue] = []
            return QuestionShape(question, Film.schema.names.positions, values: &values)
        }
        // A comparison has three parts, and a shape at most 128; the question, the "or" and a negation have the others.
        func any(of count: Int) -> Condition<Film> { .any(of: (0..<count).map { (id: Int) in \.id == id }) }
        for condition: Condition<Film> in [
            \.year == 1949, \.year == nil, !.between(\.year, 1900...1949), .always && (\.id == 1 || \.id == 2),
            any(of: 41), !any(of: 41),
        ] {
            #expect(shape(condition) != nil, "\(condition)")
        }
        for condition: Condition<Film> in [
            .in(\.id, [1]), .in(\.id, [1]) && \.id == 1, .startsWith(\.title, "The"), \.score > .nan, any(of: 42),
            \.title.count == 3, .between(\.title.count, 3...4),
        ] {
            #expect(shape(condition) == nil, "\(condition)")
        }
    }

    @Test("Queries of one shape, asked in turn, each get their own answer")
    func answersInTurn() throws {
        let conditions: [Condition<Film>] = [
            \.year == 1949, \.year == nil, \.year == 1950, \.year != nil, \.year != 1949, \.year < 1949,
            \.year == 1949,
            .in(\.year, []), .in(\.year, [nil]), .in(\.year, [1949, nil]), .in(\.year, [1949, 1950]),
            .in(\.year, [1949, 1950, 2000, -1, 1900]), .in(\.year, [1949, 1950, 2000]), !.in(\.year, [1949, nil]),
            \.title == "Ame\u{301}lie", \.title == "Am\u{E9}lie", \.title == "Amelie",
            .startsWith(\.title, "Ame\u{301}"), .startsWith(\.title, "Am\u{E9}l"), .startsWith(\.title, ""),
            .startsWith(\.title, "\u{10FFFF}"), .startsWith(\.title, "The"), \.score > 1, !(\.score > 1),
            \.score > .nan, \.score > -1,
            \.length == .nan, \.length == nil, \.length == 1, .between(\.year, 1900...1949),
            .between(\.year, 1950...2000), .between(\.budget, 1950...2000), \.id != 5, .always, .never, .all(of: []),
            .any(of: []), !.all(of: []), !.any(of: []),
            .any(of: [.all(of: [\.id >= 0, \.id < 0]), \.id >= 0]),
            .any(of: [.all(of: [\.id >= 0, \.id < 0, \.id >= 0])]),
            .never || \.year == nil, .always || \.year == nil, .always && \.year == nil, .never && \.year == nil,
            .always || \.id == 5, \.rating != .R || .never,
        ]
        for _ in 0..<2 {
            for condition in conditions {
                for (limit, offset) in [
                    (nil, 0), (3, 0), (3, 1), (3, 2), (0, 0), (nil, 4), (nil, 1), (3, 0),
                ] as [(Int?, Int)] {
                    let query = memory.filter(where: condition).page(limit: limit, offset: offset)
                    let isSame = Film.schema.areSame(
                        try query.asked(of: sqlite).result().get(), try query.result().get())
                    #expect(isSame, "\(query)")
                }
            }
        }
    }

    @Test("A value that is nil, with an order after it, is not taken for another value")
    func nilBeforeOrder() throws {
        let value = memory.filter(where: \.year == 1949)
        let none = memory.filter(where: \.year == nil).sorted(by: SortCriterion(\.id, .descending))
        for query in [value, none, value] {
            let isSame = Film.schema.areSame(try query.asked(of: sqlite).result().get(), try query.result().get())
            #expect(isSame, "\(query)")
        }
    }

    @Test("Pages after a key, put together, are the whole answer, whatever it is sorted by", arguments: 1...30)
    func pages(seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        let size = 1 + random.numbers.next() % 40
        var query = memory.filter(where: random.condition(depth: 1) || \.budget >= 0)
        for _ in 0..<random.numbers.next() % 4 { query = query.sorted(by: random.criterion()) }
        let expected = try query.result().get()
        for store in [AnyStore(memory), AnyStore(sqlite)] {
            var found: [Film] = []
            while found.count < expected.count {
                let page = try query.asked(of: store).page(after: found.last, limit: Int(size)).result().get()
                found += page
                if page.count < Int(size) { break }
            }
            let isSame = Film.schema.areSame(found, expected)
            #expect(isSame, "\(query) in pages of \(size)")
            // The last page is empty, and the rest of the answer follows each object.
            let rest = try query.asked(of: store).page(after: expected.last).result().get()
            #expect(expected.isEmpty || rest.isEmpty)
            if let middle = expected.dropFirst(expected.count / 2).first {
                let rest = try query.asked(of: store).page(after: middle).result().get()
                let isSame = Film.schema.areSame(rest, Array(expected.dropFirst(expected.count / 2 + 1)))
                #expect(isSame, "\(query) after the middle")
                let later = Query(
                    store: store, condition: query.condition, sortCriteria: query.sortCriteria, offset: 2, after: middle
                )
                let isLaterSame = Film.schema.areSame(
                    try later.result().get(), Array(expected.dropFirst(expected.count / 2 + 3)))
                #expect(isLaterSame, "\(later)")
            }
        }
    }

    @Test("Random queries of one shape, asked in turn, each get their own answer", arguments: 1...4)
    func randomValues(seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        let films = try memory.all().result().get()
        for _ in 0..<AgreementTests.queries / 16 {
            var query = random.query(for: memory, depth: 3)
            for _ in 0..<4 {
                let isSame = Film.schema.areSame(
                    try query.asked(of: sqlite).result().get(), try query.result().get())
                #expect(isSame, "\(query)")
                query = Query(
                    store: memory, condition: otherValues(query.condition, films, &random),
                    sortCriteria: query.sortCriteria, limit: query.limit.map { $0 ^ 1 },
                    offset: query.offset > 0 ? query.offset ^ 2 : 0, after: query.after.map { _ in random.pick(films) })
            }
        }
    }

    /// Returns the condition with other values of films in its tests.
    private func otherValues(
        _ condition: Condition<Film>, _ films: [Film], _ random: inout RandomFilms
    ) -> Condition<Film> {
        switch condition.form {
        case .comparison(let attribute, let comparison, _):
            return Condition(attribute, comparison, attribute.value(in: random.pick(films))) ?? condition
        case .not(let part): return !otherValues(part, films, &random)
        case .and(let parts): return .all(of: parts.map { otherValues($0, films, &random) })
        case .or(let parts): return .any(of: parts.map { otherValues($0, films, &random) })
        case .constant, .membership, .between, .text: return condition
        }
    }

    private struct Copy: Identifiable, Hashable, Sendable {
        var id: Int
        var title: String
        var budget: Int?
    }

    @Test("A condition of two parts is not taken for a comparison of the column with the number of the first part")
    func partsOfCondition() throws {
        struct Mark: Identifiable, Sendable {
            var id: Int
            var note: String?
        }
        let marks = try SQLiteStore(
            Schema<Mark>("marks", { Mark(id: $0, note: $1) }, Column("id", \.id), Column("note", \.note)),
            in: sqlite.database)
        try marks.insert([Mark(id: 1, note: "a"), Mark(id: 2)]).get()
        #expect(try marks.filter(where: .isNil(\.note)).result().get().map(\.id) == [2])
        for twice: Condition<Mark> in [.always && .always, .always || .always] {
            #expect(try marks.filter(where: twice).result().get().map(\.id) == [1, 2])
        }
    }

    @Test("Two models with the same columns in one database have answers of their own, also beside a join")
    func twoSchemas() throws {
        let copies = try SQLiteStore(
            Schema<Copy>("copies", Copy.init, Column("id", \.id), Column("title", \.title), Column("budget", \.budget)),
            in: sqlite.database)
        try copies.insert([Copy(id: 1, title: "The", budget: nil), Copy(id: 2, title: "the", budget: 3)]).get()
        let films = try memory.filter(where: \.title == "The").result().get()
        let joined = try memory.filter(where: \.title == "The" || \.title == "the").result().get().map(\.id)
        for _ in 0..<3 {
            #expect(try copies.filter(where: \.title == "The").result().get().map(\.id) == [1])
            let isSame = Film.schema.areSame(try sqlite.filter(where: \.title == "The").result().get(), films)
            #expect(isSame)
            #expect(
                try copies.sorted(by: \.budget).page(after: Copy(id: 2, title: "", budget: 3), limit: 1).result()
                    .get().map(\.id) == [1])
            let join = try sqlite.select("SELECT films.* FROM films JOIN copies USING (title) ORDER BY films.id").get()
            #expect(join.map(\.id) == joined)
        }
    }
}
