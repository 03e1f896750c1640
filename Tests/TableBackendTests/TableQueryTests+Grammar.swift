import Persistence
import Testing

@testable import TableBackend

/// Blanks, quotation marks and nesting in filters, and the reasons of rejections.
extension TableQueryTests {
    @Test(
        "A filter finds the rows that PostgreSQL would find",
        arguments: [
            ("or", " ( id.eq.1 , and ( year.is.null,not.or( id.eq.6,id.eq.9 ) ) ) ", [1, 7]),
            ("or", "(year.is.NULL,id.eq.1)", [1, 6, 7]), ("and", "(isColor.is.true,id.lt.3)", [2]),
            ("not.and", "(isColor.is.true,id.gt.2)", [1, 2]), ("\"year\"", "eq.1950", [4, 5]),
            ("title", "in.(\"a,b)\")", [5, 7]), ("title", "not.in.(\"a,b)\")", [1, 2, 3, 4, 6]),
            ("or", "(title.in.(\"a,b)\",x),id.eq.1)", [1, 5, 7]), ("or", "(id.in. ( 1,2) ,id.eq.3)", [1, 2, 3]),
            ("id", "in. (1, 2) ", [1, 2]), ("id", "eq. 1 ", [1]), ("title", "eq. The Third Man", []),
            ("title", "in.( The Third Man)", [1, 2, 3, 4, 6]), ("title", "in.(x, The Third Man)", []),
            ("id", "not.eq(any).{1,2}", [3, 4, 5, 6, 7]), ("id", "gt(all).{1, 2}", [3, 4, 5, 6, 7]),
            ("id", "gt(any).{5,6}", [6, 7]), ("id", "eq(any).{}", []), ("id", "eq(all).{}", Array(1...7)),
            ("title", "like(any).{x*, The*}", [1, 2, 3, 4, 6]),
            ("year", "neq.1949", [4, 5]), ("year", "gt.1949", [4, 5]), ("year", "gte.1949", [1, 2, 3, 4, 5]),
            ("year", "lt.1950", [1, 2, 3]), ("year", "lte.1949", [1, 2, 3]),
            ("year", "not.is.not_null", [6, 7]), ("year", "not.is.unknown", [1, 2, 3, 4, 5]),
            ("year", "isdistinct.1949", [4, 5, 6, 7]), ("year", "not.isdistinct.1949", [1, 2, 3]),
            ("isColor", "not.is.true", [1]), ("title", "ilike.THE*", [1, 2, 3, 4, 6]), ("title", "like.THE*", []),
            ("title", "imatch.^the", [1, 2, 3, 4, 6]), ("title", "match.^the", []),
        ])
    func found(name: String, value: String, ids: [Int]) throws {
        let condition = try query((name, value)).condition
        #expect(try Film.all.filter { try matches(condition, $0) }.map(\.id) == ids)
    }

    @Test(
        "An element of a list is in quotation marks only if nothing follows them",
        arguments: [
            ("in.(\"a\"b,c)", \Film.title == "\"a\"b" || \.title == "c"),
            ("in.(\"a\",c)", \.title == "a" || \.title == "c"),
            ("in.({a,b},c)", \.title == "{a" || \.title == "b}" || \.title == "c"),
            ("in.({a,c)", \.title == "{a" || \.title == "c"),
            (#"like.a\*b\_c"#, .like(\.title, #"a\%b\_c"#)),
        ] as [(String, Condition<Film>)])
    func elements(value: String, condition: Condition<Film>) throws {
        #expect(try query(("title", value)).condition.optimized == condition.optimized)
    }

    @Test(
        "NaN equals itself and is greater than every number, as in PostgreSQL",
        arguments: [
            ("eq.NaN", true, false), ("neq.NaN", false, true), ("lt.NaN", false, true), ("lte.NaN", true, true),
            ("gt.NaN", false, false), ("gte.NaN", true, false), ("eq.1", false, true), ("neq.1", true, false),
            ("lt.2", false, true), ("lte.1", false, true), ("gt.0", true, true), ("gte.2", true, false),
            ("gt.Infinity", true, false), ("lte.Infinity", false, true), ("not.lt.2", true, false),
        ])
    func notANumber(value: String, isOfNaN: Bool, isOfOne: Bool) throws {
        let condition = try query(("score", value)).condition
        #expect(try matches(condition, Film(id: 1, score: .nan)) == isOfNaN)
        #expect(try matches(condition, Film(id: 1, score: 1)) == isOfOne)
    }

    @Test(
        "The reason of a rejection says what stands where, and what is expected there",
        arguments: [
            ("title", "equals.1", #""e" at column 1, expecting an operator (eq, gt, …); "equals" is none"#),
            ("title", "EQ.a", #""E" at column 1, expecting an operator (eq, gt, …); "EQ" is none"#),
            ("title", "neq(any).{a}", #""n" at column 1, expecting an operator (eq, gt, …); "neq(any)" is none"#),
            ("title", "is(all).a", #""i" at column 1, expecting an operator (eq, gt, …); "is(all)" is none"#),
            ("title", "eq", #""e" at column 1, expecting an operator (eq, gt, …) and ".""#),
            ("title", "not.eq", #""e" at column 5, expecting an operator (eq, gt, …) and ".""#),
            ("id", "in.1", #""1" at column 4, expecting "(""#),
            ("id", "in.(1,2", #"end of input at column 8, expecting "," or ")""#),
            ("id", "in.(1,2)3", #""3" at column 9, expecting the end of the filter"#),
            ("year", "is.maybe", "end of input at column 9, expecting null, not_null, true, false or unknown"),
            ("or", "(id)", #"")" at column 6, expecting "." and an operator"#),
            ("or", "(id.eq.1", #"end of input at column 11, expecting "," or ")""#),
            ("or", "(id.eq.1))", #"")" at column 12, expecting the end of the filter"#),
            ("or", "(title.eq.\"a)", "end of input at column 16, expecting a closing quotation mark"),
            ("or", "()", #"")" at column 4, expecting a column"#),
            ("order", "title,", "end of input at column 7, expecting a column"),
            ("order", "title id", #""i" at column 7, expecting "," or the end"#),
            ("order", "title.desc.nullsfirst.id", #""id", expecting asc, desc, nullsfirst or nullslast"#),
            ("order", "title.nullsfirst.desc", #""desc", expecting asc, desc, nullsfirst or nullslast"#),
        ])
    func reasons(name: String, value: String, reason: String) {
        let rejection = #expect(throws: TableRejection.self) { try query((name, value)) }
        #expect(rejection?.details == "unexpected \(reason)")
    }

    @Test(
        "A rejection has the name that was read",
        arguments: [
            ("order", "a_b$c-d*9é.desc", "column films.a_b$c-d*9é does not exist"),
            ("order", #""a \"b".desc"#, #"column films.a "b does not exist"#),
            ("or", "(oracle.eq.1)", "column films.oracle does not exist"),
            ("or", "(android.eq.1)", "column films.android does not exist"),
            ("or", "(not.eq.1)", "column films.not does not exist"),
            ("\"a b\"", "eq.1", "column films.a b does not exist"),
            ("year", "ilike.1", "operator does not exist: bigint ~~* unknown"),
            ("year", "like.1", "operator does not exist: bigint ~~ unknown"),
            ("year", "imatch.1", "operator does not exist: bigint ~* unknown"),
            ("year", "match.1", "operator does not exist: bigint ~ unknown"),
            ("or", "(title.ov.{a},id.eq.1)", "operator does not exist: text && unknown"),
            ("title", "is.true", "argument of IS TRUE must be type boolean, not type text"),
            ("title", "is.false", "argument of IS FALSE must be type boolean, not type text"),
            ("title", "like(any).{a", #"malformed array literal: "{a""#),
            ("title", "like(any).a}", #"malformed array literal: "a}""#),
            ("title", "like(any).{a)b}", #"malformed array literal: "{a)b}""#),
            ("on_conflict", "nobody", #"column "nobody" does not exist"#),
            ("select", "x:*", "column films.* does not exist"),
        ])
    func names(name: String, value: String, message: String) {
        let rejection = #expect(throws: TableRejection.self) { try query((name, value)) }
        #expect(rejection?.message == message)
    }

    @Test("A hundred parentheses may stand in each other, and no more")
    func depthLimit() throws {
        func nested(_ depth: Int) -> String {
            "(" + String(repeating: "and(", count: depth - 1) + "id.eq.1" + String(repeating: ")", count: depth)
        }
        let condition = try query(("or", nested(100))).condition
        #expect(try matches(condition, Film(id: 1)) && !matches(condition, Film(id: 2)))
        #expect(throws: TableRejection.self) { try query(("or", nested(101))) }
        // Those that stand beside each other do not count.
        let many = Array(repeating: "and(id.eq.1)", count: 200).joined(separator: ",")
        #expect(try matches(query(("or", "(\(many))")).condition, Film(id: 1)))
    }

    @Test("Columns are selected under their own names or others, and written in the order of their first names")
    func columns() throws {
        let all = Film.schema.columns.map(\.name)
        #expect(try query(("select", "number:id,*")).columns.map(\.name) == ["number"] + all)
        #expect(try query(("select", "number:id, title")).columns.map(\.position) == [0, 1])
        #expect(try query(("select", "")).columns.isEmpty)
        #expect(throws: TableRejection.self) { try query(("select", "a:b:id")) }
        let many = (1...Film.schema.columns.count + 100).map { "a\($0):id" }
        #expect(try query(("select", many.joined(separator: ","))).columns.count == many.count)
        #expect(throws: TableRejection.self) { try query(("select", (many + ["id"]).joined(separator: ","))) }
        #expect(try query(("columns", " title , id,title")).keys == [1, 0])
        #expect(try query(("on_conflict", "id")).keys == nil)
    }

    @Test("A limit or an offset that is not a number is ignored, as is an offset below zero")
    func ignoredRanges() throws {
        for (name, value) in [
            ("limit", "many"), ("offset", "many"), ("offset", "-1"), ("limit", "+2"), ("offset", "+2"), ("limit", ""),
            ("limit", "-"), ("offset", "-99999999999999999999"), ("limit", "٢"),
        ] {
            #expect(try query((name, value)).range == (try RowRange()))
        }
        #expect(try query(("offset", "99999999999999999999")).range.offset == .max)
        #expect(try query(("limit", "0")).range.limit == 0)
        #expect(try query(("offset", "1")).range.offset == 1)
    }

    @Test(
        "A range in the header is a part of the range in the query, and one that cannot be read is ignored",
        arguments: [
            (nil, 1, 3), ("5", 1, 3), ("-5", 1, 3), ("1-2-3", 1, 3), ("a-2", 1, 3), ("2-b", 1, 3), ("2-", 2, 2),
            ("+2-3", 1, 3), ("2-+3", 1, 3), (" 2-3", 1, 3), ("2-99999999999999999999", 2, 2),
            ("99999999999999999999-", .max, 0),
            ("0-1", 1, 1), ("2-2", 2, 1), ("0-9", 1, 3), ("9-9", 9, 0),
        ] as [(String?, Int, Int)])
    func headerRanges(header: String?, offset: Int, limit: Int) throws {
        let range = try RowRange(limit: "3", offset: "1").intersected(withHeader: header)
        #expect(range.offset == offset && range.limit == limit)
    }

    @Test("A range in the header without a limit has all that follow, and one that ends before it begins is refused")
    func openRanges() throws {
        #expect(try RowRange(offset: "2").intersected(withHeader: "3-").limit == nil)
        #expect(try RowRange(offset: "2").intersected(withHeader: "3-5").limit == 3)
        let rejection = #expect(throws: TableRejection.self) { try RowRange().intersected(withHeader: "3-2") }
        #expect(rejection?.status == 416)
    }
}
