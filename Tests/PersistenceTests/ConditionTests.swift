import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Conditions")
struct ConditionTests {
    private let films = MemoryStore(Film.schema)

    @Test("The issue's queries compile as they stand, and ask what they say")
    func asTheyStand() {
        let query =
            films
            .filter(where: \.rating == .G && \.budget < 5_000_000)
            .sorted(by: \.title)
            .sorted(by: \.budget, inOrder: .descending)
        #expect(
            "\(query)"
                == #"Film where \Film.rating == "G" && \Film.budget < 5000000, sorted by \Film.title ascending, then \Film.budget descending"#
        )
        let other = films.filter(where: !(\.rating == .PG_13) || .startsWith(\.title, "The"))
        #expect("\(other)" == #"Film where !(\Film.rating == "PG-13") || \Film.title startsWith "The""#)
        let page = films.filter(where: \.year == 1949).page(limit: 2, offset: 1)
        #expect("\(page)" == #"Film where \Film.year == 1949, at most 2, from 1 on"#)
    }

    @Test("A text is read only of objects that pass the tests of other properties", arguments: [false, true])
    func textsLast(isNegated: Bool) throws {
        struct Page: Identifiable {
            let id: Int
            let reads = MutableProperty(0)
            var text: String {
                reads.value += 1
                return "the text of a page"
            }
        }
        let text: Condition<Page> = isNegated ? !.contains(\.text, "picture") : .contains(\.text, "page")
        let passes = try (text && \.id == 2).compiled()
        let pages = [Page(id: 1), Page(id: 2)]
        #expect(pages.map(passes) == [false, true])
        #expect(pages.map(\.reads.value) == [0, 1])
    }

    @Test("A beginning of a text that is not a value of an indexed property itself is found")
    func beginningOfValues() throws {
        let ratings = Rating.allCases.filter { $0 != .PG } + Array(repeating: .G, count: 40)
        try films.insert(ratings.enumerated().map { .fixture(id: $0, rating: $1) }).get()
        let rating = try #require(Film.schema.attribute(named: "rating"))
        let beginning = try #require(Condition(rating, .startsWith, "P"))
        #expect(try films.filter(where: beginning).result().get().map(\.rating) == [.PG_13])
    }

    @Test(
        "What one alternative requires of a property is not taken for granted in the others",
        arguments: StoreKind.allCases)
    func alternatives(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([.fixture(id: 1, year: nil), .fixture(id: 2, year: 3), .fixture(id: 3, year: 4)]).get()
            let condition: Condition<Film> = (\.year != nil && \.title == "x") || \.year != 3
            #expect(try store.filter(where: condition).sorted(by: \.id).result().get().map(\.id) == [1, 3])
            #expect(try store.filter(where: !condition).result().get().map(\.id) == [2])
        }
        try kind.run { try check($0) }
    }

    @Test("Every value prints, dates without end included")
    func printing() {
        for seconds in [Double.infinity, -.infinity, .nan, 1e300, -1e300, 0] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let condition: Condition<Film> = \.premiere == date
            #expect(!condition.description.isEmpty)
        }
    }

    @Test("A condition is written without naming its type's module beside Foundation")
    func friendlyName() {
        let condition: Condition<Film> = \.year == nil && \.votes > 3
        #expect("\(condition)" == #"\Film.year == nil && \Film.votes > 3"#)
    }

    @Test("Conditions are equal when they say the same")
    func equality() {
        let condition: Condition<Film> = \.rating == .G && \.budget < 5
        #expect(condition == (\.rating == .G && \.budget < 5))
        #expect(condition != (\.rating == .G && \.budget < 6))
        #expect(condition != (\.rating == .G && \.budget <= 5))
        #expect(condition != (\.rating == .G || \.budget < 5))
        #expect(Set([condition, condition]).count == 1)
        let isNaN: Condition<Film> = \.score == .nan
        #expect(isNaN == (\.score == .nan))
    }

    @Test("Queries are equal when they ask the same, of whichever store")
    func queryEquality() {
        let other = MemoryStore(id: \Film.id)
        let query = films.filter(where: \.year == nil).sorted(by: \.title).page(limit: 3)
        #expect(query == other.filter(where: \.year == nil).sorted(by: \.title).page(limit: 3))
        #expect(
            query == Query(store: films, condition: \.year == nil, sortCriteria: [SortCriterion(\.title)], limit: 3))
        #expect(query != films.filter(where: \.year != nil).sorted(by: \.title).page(limit: 3))
        #expect(query != query.page(limit: 4))
        #expect(query != query.sorted(by: \.id))
        #expect(query.page(after: .fixture(id: 1)) == query.page(after: .fixture(id: 1)))
        #expect(query.page(after: .fixture(id: 1)) != query.page(after: .fixture(id: 2)))
    }

    @Test(
        "The optimizer flattens, folds constants, drops double negations and repetitions, and gathers members",
        arguments: [
            (!(!(\.isColor == true)), \.isColor == true),
            (!(\.budget < 5), \.budget >= 5),
            (!(\.budget == 5), \.budget != 5),
            (!(\.budget < 5 && \.title == "a"), \.budget >= 5 || \.title != "a"),
            (.always && \.budget < 5, \.budget < 5),
            (.never || \.budget < 5, \.budget < 5),
            (.never && \.budget < 5, .never),
            (.always || \.budget < 5, .always),
            (\.budget < 5 && \.budget < 5, \.budget < 5),
            (.all(of: []), .always),
            (.any(of: []), .never),
            (
                \.budget == 1 || \.budget == 2 || \.title == "a" || .in(\.budget, [3, 1]),
                .in(\.budget, [1, 2, 3]) || \.title == "a"
            ),
            (.in(\.budget, [4]), \.budget == 4),
            (.in(\.budget, []), .never),
            (\.score == .nan, .never),
            (\.score != .nan, .always),
            (\.score < .nan, .never),
            (
                .any(of: [\.budget < 1, .any(of: [\.budget > 5, .any(of: [\.title == "a"])])]),
                \.budget < 1 || \.budget > 5 || \.title == "a"
            ),
        ] as [(Condition<Film>, Condition<Film>)])
    func optimizer(_ condition: Condition<Film>, _ simple: Condition<Film>) {
        #expect(condition.optimized == simple, "\(condition.optimized) is not \(simple)")
    }

    @Test("The opposite of a comparison with what may be nil or NaN stays its negation")
    func negationsThatMustStay() {
        for condition in [!(\.year < 5), !(\.score < 5), !(\.premiere < .distantPast)] as [Condition<Film>] {
            #expect(condition.optimized == condition)
        }
    }

    @Test("A condition can be made from a column's name, and only with what its property can be")
    func dynamicConditions() throws {
        let rating = try #require(Film.schema.attribute(named: "rating"))
        let year = try #require(Film.schema.attribute(named: "year"))
        #expect(Condition<Film>(rating, .equal, .text("PG-13")) == (\.rating == .PG_13))
        #expect(Condition<Film>(rating, .equal, .text("XXX")) == nil)
        #expect(Condition<Film>(rating, .equal, .integer(3)) == nil)
        #expect(Condition<Film>(rating, .equal, .null) == nil)
        #expect(Condition<Film>(year, .equal, .null) == (\.year == nil))
        #expect(Condition<Film>(year, in: [.integer(1), .null]) == .in(\.year, [1, nil]))
        #expect(Condition<Film>(year, .startsWith, "19") == nil)
        #expect(Condition<Film>(rating, .startsWith, "P") != nil)
        #expect(Film.schema.attribute(named: "Rating") == nil)
    }

    @Test("A condition made while the program runs is refused if its value is not exactly one of the property")
    func wrongKinds() throws {
        func attribute(_ name: String) throws -> Attribute<Film> { try #require(Film.schema.attribute(named: name)) }
        let refused: [(String, PrimitiveValue)] = [
            ("score", .text("NaN")), ("score", .integer(1)), ("studio", .text(UUID.zero.uuidString)),
            ("votes", .data(Data(count: 8))), ("is_color", .integer(1)), ("premiere", .real(1)), ("budget", .real(1)),
        ]
        for (name, value) in refused {
            #expect(Condition<Film>(try attribute(name), .equal, value) == nil, "\(name)")
            #expect(Condition<Film>(try attribute(name), in: [value]) == nil, "\(name)")
        }
        let ratio = Attribute(\Ratio.value)
        #expect(Condition<Ratio>(ratio, .equal, .real(0.1)) == nil)
        #expect(Condition<Ratio>(ratio, .equal, .real(0.5)) != nil)
        #expect(Condition<Film>(try attribute("score"), .equal, .real(.nan)) != nil)
    }

    @Test("Conditions can be nested as deep as the limit says, and no deeper")
    func deepest() throws {
        var condition: Condition<Film> = \.id == 1
        for _ in 1..<Condition<Film>.maximumDepth { condition = !condition }
        #expect(!condition.isTooDeep && (!condition).isTooDeep)
        // It is negated an odd number of times.
        #expect(try condition.matches(.fixture(id: 2)) && !condition.matches(.fixture(id: 1)))
    }

    @Test("A condition of the greatest depth is answered by every store")
    func deepestJoined() throws {
        var condition: Condition<Film> = \.budget == 0
        for depth in 1..<Condition<Film>.maximumDepth {
            condition = depth % 2 == 0 ? condition && \.budget != depth : condition || \.id == depth
        }
        #expect(!condition.isTooDeep)
        for store in [AnyStore(films), AnyStore(try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))] {
            try store.insert((0..<6).map { .fixture(id: $0) }).get()
            #expect(try store.filter(where: condition).result().get().map(\.id) == [1, 3, 5])
            #expect(try store.delete(where: condition).get() == 3)
        }
    }

    @Test("Conditions that are nested too deep fail with an error, and can be printed and dropped")
    func tooDeep() throws {
        var condition: Condition<Film> = \.id == 1
        for depth in 0..<20_000 {
            condition = depth % 2 == 0 ? condition || \.id == depth : condition && \.budget != depth
        }
        #expect(condition.isTooDeep && !condition.description.isEmpty)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(films), AnyStore(sqlite)] {
            let error = StoreError.tooDeep(limit: Condition<Film>.maximumDepth)
            #expect(throws: error) { try store.filter(where: condition).result().get() }
            #expect(throws: error) { try store.filter(where: !condition).count().get() }
            #expect(throws: error) { try store.delete(where: condition).get() }
        }
        #expect(throws: StoreError.self) { try condition.matches(.fixture()) }
    }

    @Test("A list of more values than a statement can have is searched by the index, in parts", .onOwnThread)
    func longLists() throws {
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let stored = (0..<60).map { Film.fixture(id: $0 * 2_000, title: "\($0 % 7)", year: $0 % 3 == 0 ? nil : $0) }
        try sqlite.insert(stored).get()
        try films.insert(stored).get()
        let condition: Condition<Film> = .in(\.id, Array(0..<70_000)) && \.title != "3"
        let query = films.filter(where: condition).sorted(by: \.title, inOrder: .descending).sorted(by: \.year)
        for query in [query, query.page(limit: 20, offset: 5), query.page(after: stored[11], limit: 30)] {
            #expect(try query.asked(of: sqlite).result().get() == query.result().get())
            #expect(try query.asked(of: sqlite).count().get() == query.count().get())
        }
        let plan = try sqlite.filter(where: condition).plan().get().description
        #expect(plan.contains("SEARCH") && !plan.contains("SCAN") && !plan.contains("FILTER in memory"))
        #expect(try sqlite.delete(where: condition).get() == films.delete(where: condition).get())
    }

    @Test("A computed property can be asked for in memory, and fails in SQLite, where it has no column")
    func computedProperties() throws {
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.insert([.fixture(id: 1, title: "abc"), .fixture(id: 2, title: "a")]).get()
        #expect(try films.filter(where: \.titleLength == 3).result().get().map(\.id) == [1])
        #expect(try films.sorted(by: \.titleLength).result().get().map(\.id) == [2, 1])
        let error = #expect(throws: StoreError.self) { try sqlite.filter(where: \.titleLength == 3).result().get() }
        #expect(try #require(error).description.hasSuffix("has no column in the schema of films; add one."))
        #expect(throws: StoreError.self) { try sqlite.sorted(by: \.titleLength).result().get() }
        // Of so many tests, SQLite gets none.
        let many = Condition<Film>.any(of: (0..<5_000).map { (length: Int) in \.titleLength > length })
        #expect(throws: StoreError.self) { try sqlite.filter(where: many).result().get() }
    }
}

private struct Ratio {
    var value: Float
}

extension Film {
    fileprivate var titleLength: Int { title.count }
}
