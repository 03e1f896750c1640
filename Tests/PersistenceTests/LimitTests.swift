import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

@Suite("Limits of SQLite")
struct LimitTests {
    /// A model of any number of columns.
    private struct Wide: Identifiable, Hashable, Sendable {
        var values: [Int]

        var id: Int { values[0] }
        subscript(column: Int) -> Int { values[column] }

        /// Returns a schema of at least `count` columns, of which there are already some.
        static func schema<each Value: Primitive>(
            _ count: Int, from first: Int = 1, _ columns: repeat Column<Wide, each Value>
        ) -> Schema<Wide> {
            func column(_ number: Int) -> Column<Wide, Int> {
                let index = first + number
                return Column("c\(index)", \Wide.[index], isIndexed: index == 3)
            }
            if first >= count {
                return Schema<Wide>(
                    "wide",
                    { (id: Int, values: repeat each Value) in
                        var all = [id]
                        for value in repeat each values { all.append(value as? Int ?? 0) }
                        return Wide(values: all)
                    }, Column("id", \.id), repeat each columns)
            }
            if count - first < 40 { return schema(count, from: first + 1, repeat each columns, column(0)) }
            return schema(
                count, from: first + 40, repeat each columns, column(0), column(1), column(2), column(3), column(4),
                column(5), column(6), column(7), column(8), column(9), column(10), column(11), column(12), column(13),
                column(14), column(15), column(16), column(17), column(18), column(19), column(20), column(21),
                column(22), column(23), column(24), column(25), column(26), column(27), column(28), column(29),
                column(30), column(31), column(32), column(33), column(34), column(35), column(36), column(37),
                column(38), column(39))
        }
    }

    /// Runs `body` on a thread with a stack for the many values of a wide row.
    private func onLargeStack(_ body: @escaping @Sendable () throws -> Void) throws {
        let result = Locked<Result<Void, any Error>?>(nil)
        let thread = Thread {
            let outcome = Result { try body() }
            result.withLock { $0 = outcome }
        }
        thread.stackSize = 1 << 29
        thread.start()
        while result.withLock({ $0 == nil }) { usleep(1_000) }
        try result.withLock { $0 }?.get()
    }

    @Test("A schema may have the 2,000 columns that SQLite allows", .onOwnThread)
    func manyColumns() throws {
        try onLargeStack {
            let schema = Wide.schema(2_000)
            #expect(schema.columns.count == 2_000)
            let store = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
            var wide = Wide(values: (0..<2_000).map { $0 * 3 })
            try store.insert(wide).get()
            #expect(try store.object(withId: 0).get() == wide)
            for column in [1, 63, 64, 1_999] {
                wide.values[column] = -column
                try store.update(wide).get()
                #expect(
                    try store.filter(
                        where: Condition(
                            try #require(schema.attribute(named: "c\(column)")), .equal, .integer(Int64(-column)))!
                    ).result().get() == [wide])
            }
            try store.upsert([wide, Wide(values: (0..<2_000).map { $0 + 1 })]).get()
            #expect(try store.all().count().get() == 2)
        }
    }

    @Test("An upsert into a table of 64 columns leaves the words of triggers alone, such as OR REPLACE", .onOwnThread)
    func triggersOfManyColumns() throws {
        try onLargeStack {
            let schema = Wide.schema(64)
            #expect(schema.columns.count == 64)
            let store = try SQLiteStore(schema, in: SQLiteDatabase(.memory))
            try store.database.execute("CREATE TABLE log (id INTEGER PRIMARY KEY, value INTEGER)")
            try store.database.execute(
                "CREATE TRIGGER logging AFTER UPDATE ON wide BEGIN INSERT OR REPLACE INTO log VALUES (1, new.c63); END")
            var wide = Wide(values: Array(0..<64))
            for value in 63...66 {
                wide.values[63] = value
                try store.upsert(wide).get()
            }
            #expect(try store.object(withId: 0).get() == wide)
            #expect(try store.database.rows("SELECT value FROM log") == [[.integer(66)]])
        }
    }

    @Test("A schema of 2,001 columns is refused with a reason", .onOwnThread)
    func tooManyColumns() throws {
        try onLargeStack {
            let schema = Wide.schema(2_001)
            let error = #expect(throws: StoreError.self) { try SQLiteStore(schema, in: SQLiteDatabase(.memory)) }
            #expect(error?.description.contains("too many columns") == true, "\(String(describing: error))")
        }
    }

    @Test("Statements of more values than SQLite allows are split", .onOwnThread, arguments: StoreKind.allCases)
    func manyValues(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let ids = Array(0..<40_000)
            try store.insert(ids.map { .fixture(id: $0, budget: $0) }).get()
            #expect(try store.filter(where: .in(\.id, ids)).count().get() == 40_000)
            #expect(
                try store.filter(where: .in(\.budget, ids) && \.id >= 39_990).result().get().map(\.id)
                    == Array(39_990..<40_000))
            #expect(try store.filter(where: .in(\.id, ids)).sum(\.budget).get() == 40_000 * 39_999 / 2)
            #expect(try store.filter(where: !.in(\.id, Array(1..<40_000))).result().get().map(\.id) == [0])
            #expect(
                try store.update(where: .in(\.id, ids) && \.budget > 39_000, set: .value(\.title, "new")).get() == 999)
            let (emissions, disposable) = store.filter(where: .in(\.id, ids) && \.title == "new").observe().map(\.count)
                .collecting()
            try store.update(.fixture(id: 0, title: "new")).get()
            #expect(emissions.all == [999, 1_000])
            disposable.dispose()
            #expect(try store.delete(ids: ids.filter { $0 % 2 == 0 }).get() == 20_000)
            #expect(try store.delete(where: .in(\.id, ids)).get() == 20_000)
            #expect(try store.all().count().get() == 0)
        }
        try kind.run { try check($0) }
    }

    @Test("Many lists of values are one statement, or several, but never one that SQLite refuses", .onOwnThread)
    func manyLists() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.insert((0..<100).map { .fixture(id: $0, budget: $0) }).get()
        let budgets = Condition<Film>.any(
            of: (0..<60).map { (list: Int) in
                \.year == 1949 + list && .in(\.budget, (0..<513).map { $0 * 60 + list })
            })
        // SQLite's own limit; some systems have a larger one.
        let sql = try films.filter(where: budgets).plan().get().steps[0]
        let parameters = sql.count { $0 == "?" }
        #expect(parameters <= 32_766)
        #expect(try films.filter(where: budgets).result().get().map(\.id) == [0, 60])
        #expect(try films.filter(where: budgets).count().get() == 2)
        #expect(try films.update(where: budgets, set: .value(\.title, "new")).get() == 2)
        #expect(try films.delete(where: budgets).get() == 2)
    }

    @Test("A statement has as many parts of a condition as its values allow, and the others are tested in memory")
    func manyParts() throws {
        func even(_ count: Int) -> [Int] { (0..<count).map { 2 * $0 } }
        let left: Condition<Film> = .in(\.budget, even(15_000))
        let condition = .in(\.id, even(20_000)) && left && .in(\.score, even(10_000).map { Double($0) })
        let beginning = SQLText("", dialect: .sqlite)
        let search = try SQLSearch(beginning, where: condition.erased, in: Film.schema.names)
        #expect(search.sql.values.count == 30_000)
        let rest = try #require(search.rest)
        let matches = try Condition<Film>(erased: rest).compiled()
        for budget in 0..<10 { #expect(matches(.fixture(budget: budget)) == budget.isMultiple(of: 2)) }
    }

    @Test("A page may be as long as an integer says", arguments: StoreKind.allCases)
    func longestPage(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([.fixture(id: 1), .fixture(id: 2)]).get()
            #expect(try store.all().page(limit: .max).result().get().count == 2)
            #expect(try store.all().page(limit: .max, offset: 1).result().get().map(\.id) == [2])
        }
        try kind.run { try check($0) }
    }

    /// The number of parameters of SQLite's statement for a condition.
    private func parameterCount(_ condition: Condition<Film>) throws -> Int {
        var sql = SQLText("", dialect: .sqlite)
        try sql.append(condition.erased, in: Film.schema.names)
        return sql.values.count
    }

    @Test(
        "A list takes a power of two of parameters; a long one takes as many as it has values",
        arguments: [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (513, 1_024), (1_024, 1_024), (1_025, 1_025)])
    func listParameters(values: Int, parameters: Int) throws {
        #expect(try parameterCount(.in(\.id, 0..<values)) == parameters)
    }

    @Test("A comparison with NaN is a constant, whether or not the condition is optimized")
    func constants() throws {
        for condition: Condition<Film> in [\.score == .nan, \.score > .nan, \.length <= .nan] {
            for condition in [condition, !condition] { #expect(try parameterCount(condition) == 0, "\(condition)") }
        }
    }

    @Test("Nothing is between two bounds of which one is nil or NaN", arguments: [PrimitiveValue.null, .real(.nan)])
    func bounds(_ bound: PrimitiveValue) {
        let length = Attribute(\Film.length).erased
        for (lower, upper) in [(bound, .real(1)), (.real(1), bound)] {
            let condition = Condition<Film>(erased: AnyCondition(.between(length, lower, upper)))
            #expect(condition.optimized == .never)
            #expect((!condition).optimized == .always)
        }
    }

    @Test("A statement has no more parameters than its condition says")
    func countedParameters() throws {
        func check(_ condition: Condition<Film>) throws {
            for condition in [condition, condition.optimized] {
                #expect(try parameterCount(condition) <= condition.erased.cost.parameters, "\(condition)")
            }
        }
        var random = RandomFilms(seed: 3)
        for _ in 0..<2_000 { try check(random.condition(depth: 3)) }
        for count in [1, 2, 3, 520, 1_023, 1_024, 1_025] { try check(.in(\.id, 0..<count)) }
        try check(.any(of: (0..<20).map { .between(\.year, $0...($0 + 1)) || !.startsWith(\.title, "\($0)") }))
    }

    @Test("The cost of a condition is that of its parts, of which two are joined at a time")
    func costs() {
        func cost(_ condition: Condition<Film>) -> [Int] {
            let cost = condition.erased.cost
            return [cost.depth, cost.tests, cost.parameters]
        }
        #expect(cost(\.year == 1949) == [1, 1, 1])
        #expect(cost(!.between(\.year, 1900...1949)) == [1, 1, 2])
        #expect(cost(.startsWith(\.title, "The")) == [1, 1, 3])
        #expect(cost(.endsWith(\.title, "Man")) == [1, 1, 1])
        #expect(cost(.in(\.id, 0..<5)) == [1, 1, 8])
        #expect(cost(.any(of: (0..<5).map { (id: Int) in \.id == id })) == [4, 5, 5])
        #expect(cost(\.budget == 1 && (\.id == 1 || .between(\.year, 1900...1949))) == [3, 3, 4])
    }

    @Test("SQLite gets conditions up to its limits, and none beyond one of them")
    func allowedCosts() {
        let dialect = SQLDialect.sqlite
        let (depth, tests, parameters) = (dialect.maximumDepth, dialect.maximumTests, dialect.maximumParameters)
        #expect(dialect.allows(ConditionCost(depth: depth, tests: tests, parameters: parameters)))
        #expect(!dialect.allows(ConditionCost(depth: depth + 1)))
        #expect(!dialect.allows(ConditionCost(tests: tests + 1)))
        #expect(!dialect.allows(ConditionCost(parameters: parameters + 1)))
    }

    @Test("A question is split only if its list makes it too long, and if that makes its parts short enough")
    func parts() throws {
        func parts(_ condition: Condition<Film>, after film: Film? = nil) -> [AnyQuestion]? {
            var question = Question(condition: condition)
            question.after = film
            return question.erased(id: Film.schema.id.attribute.erased).parts(maximum: 1_024)
        }
        #expect(parts(.in(\.id, 0..<1_024)) == nil)
        #expect(parts(.in(\.id, 0..<512) && .in(\.budget, 0..<512) && \.year == 1949) == nil)
        #expect(parts(.in(\.id, 0..<1_025))?.count == 3)
        // The place of a page is in the condition of each part.
        let following = try #require(parts(.in(\.budget, 0..<1_025), after: .fixture(id: 7)))
        #expect(following.allSatisfy { $0.place == nil && "\($0.condition)".contains("id > 7") })
    }

    @Test(
        "A condition of so many tests that SQLite would plan it for minutes is tested in memory",
        .timeLimit(.minutes(5)))
    func manyTests() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.insert((0..<10).map { .fixture(id: $0, title: "\($0)", budget: $0) }).get()
        let conditions: [Condition<Film>] = [
            .any(of: (0..<16_000).map { .between(\.id, ($0 * 2)...($0 * 2)) }),
            .any(of: (0..<11_000).map { .startsWith(\.title, "\($0 * 2)") }),
            .all(of: (0..<16_000).map { \.budget != $0 * 2 + 1 }),
        ]
        for condition in conditions {
            #expect(try films.filter(where: condition).result().get().map(\.id) == [0, 2, 4, 6, 8])
            let page = films.filter(where: condition).sorted(by: \.budget).page(
                after: .fixture(id: 2, budget: 2), limit: 2)
            #expect(try page.result().get().map(\.id) == [4, 6])
        }
        let condition = conditions[0]
        #expect(try films.filter(where: condition).sum(\.id).get() == 20)
        #expect(try films.update(where: condition, set: .value(\.budget, 1), .value(\.year, 2)).get() == 5)
        #expect(try films.delete(where: condition).get() == 5)
    }

    @Test("A statement of SQL with too many values fails with an error")
    func rawValues() throws {
        let database = try SQLiteDatabase(.memory)
        var sql = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        sql.appendLiteral("SELECT 1 WHERE 1 IN (0")
        for number in 0..<300_000 {
            sql.appendLiteral(", ")
            sql.appendInterpolation(number)
        }
        sql.appendLiteral(")")
        let error = #expect(throws: StoreError.self) { try database.rows(SQL(stringInterpolation: sql)) }
        #expect(error?.description.contains("too many SQL variables") == true, "\(String(describing: error))")
    }
}
