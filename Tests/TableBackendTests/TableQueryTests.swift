import Foundation
import Persistence
import Testing

@testable import TableBackend

struct TableQueryTests {
    @Test(
        "Filters are read as PostgREST documents them",
        arguments: [
            ("rating", "eq.PG", \Film.rating == "PG"),
            ("year", "gte.1950", \.year >= 1950),
            ("title", "eq.Hebdon,John", \.title == "Hebdon,John"),
            ("title", "eq.\"a\"", \.title == "\"a\""),
            ("title", "eq.", \.title == ""),
            ("title", "eq.not.eq.1", \.title == "not.eq.1"),
            ("id", "in.(1,2,3)", .any(of: [\.id == 1, \.id == 2, \.id == 3])),
            (
                "title", #"in.("hi,there","say \"yes\"","\\",b c)"#,
                .any(of: [\.title == "hi,there", \.title == "say \"yes\"", \.title == "\\", \.title == "b c"])
            ),
            ("id", "in.()", .any(of: [])),
            ("year", "is.null", \.year == nil),
            ("year", "not.is.null", !(\.year == nil)),
            ("isColor", "is.true", \.isColor == true),
            ("isColor", "is.false", \.isColor == false),
            ("isColor", "not.is.false", \.isColor != false),
            ("year", "is.unknown", \.year == nil),
            ("title", "like.The*", .like(\.title, "The%")),
            ("title", #"like.*100\%"#, .like(\.title, #"%100\%"#)),
            ("title", #"like.\a\\"#, .like(\.title, #"a\\"#)),
            ("title", "ilike.*a_c%", .like(\.title, "%a_c%", .caseInsensitive)),
            ("title", "match.^The", .matches(\.title, "^The")),
            ("score", "lt.Infinity", \.score < .infinity),
            ("id", "in.(   )", .any(of: [])),
            ("year", "not.in.()", .all(of: [])), ("year", "not.eq(any).{}", .all(of: [])),
            ("id", "eq(any).{1,2}", \.id == 1 || \.id == 2),
            ("title", "like(all).{a*,\"*b,c\"}", .like(\.title, "a%") && .like(\.title, "%b,c")),
            ("year", "is.not_null", \.year != nil),
        ] as [(String, String, Condition<Film>)])
    func filters(name: String, value: String, condition: Condition<Film>) throws {
        #expect(try query((name, value)).condition.optimized == condition.optimized)
    }

    @Test("Conditions are nested with and, or and not")
    func logic() throws {
        let nested = try query(
            ("isColor", "is.true"), ("or", "(year.eq.1949, not.and(year.gte.1950,\"title\".eq.\"a,b)\"))"),
            ("not.or", "(id.eq.1,id.eq.2)")
        ).condition
        let year: Condition<Film> = \.year < 1950
        let expected: Condition<Film> =
            \.isColor == true
            && (\.year == 1949 || (!(\.year >= 1950) && !(\.year == nil)) || \.title != "a,b)")
            && (\.id != 1 && \.id != 2)
        #expect(year == year)
        let quantified = try query(("or", "(id.eq(any).{1,2}, title.like(all).{a*,\"*b)\"})")).condition
        #expect(try Film.all.filter { try matches(quantified, $0) }.map(\.id) == [1, 2, 5, 7])
        for film in Film.all {
            #expect(try matches(nested, film) == matches(expected, film))
        }
    }

    @Test(
        "A comparison with NULL is never true, nor is its negation, as in SQL",
        arguments: [
            "eq.1949", "neq.1949", "not.eq.1949", "lt.1949", "not.lt.1949", "in.(1949)", "not.in.(1949)",
        ])
    func unknown(value: String) throws {
        #expect(try !matches(query(("year", value)).condition, .unknownYear))
        #expect(try !matches(query(("not.and", "(year.\(value))")).condition, .unknownYear))
    }

    @Test("Null is distinct from every value")
    func isDistinct() throws {
        #expect(try matches(query(("year", "isdistinct.1949")).condition, .unknownYear))
    }

    @Test("Order, page and columns are read, with NULL as the greatest value unless the order says otherwise")
    func order() throws {
        let read = try query(
            ("order", "title.asc,year.desc,year.nullsfirst,score.desc.nullslast,id"), ("limit", "20"),
            ("offset", "40"), ("select", "id, title"))
        let criteria: [SortCriterion<Film>] = [
            SortCriterion(\.title), SortCriterion(\.year, .descending, nil: .first),
            SortCriterion(\.year, nil: .first), SortCriterion(\.score, .descending, nil: .last),
            SortCriterion(\.id),
        ]
        #expect(read.criteria == criteria)
        #expect(read.range == (try RowRange(limit: "20", offset: "40")))
        #expect(read.columns.map(\.name) == ["id", "title"])
    }

    @Test(
        "A query that cannot be read is rejected with PostgreSQL's or PostgREST's code",
        arguments: [
            ("title", "", "PGRST100"), ("title", "eq", "PGRST100"), ("title", "equals.1", "PGRST100"),
            ("title", "fts.cat", "PGRST127"), ("nobody", "eq.1", "42703"), ("id", "eq.one", "22P02"),
            ("id", "in.1,2", "PGRST100"), ("id", "in.(1,2", "PGRST100"), ("id", "in.(1,2)3", "PGRST100"),
            ("year", "is.maybe", "PGRST100"), ("or", "", "PGRST100"), ("or", "(id.eq.1", "PGRST100"),
            ("or", "(id.eq.1))", "PGRST100"), ("or", "(id)", "PGRST100"), ("or", "()", "PGRST100"),
            ("or", "(title.eq.\"a)", "PGRST100"), ("order", "title.up", "PGRST100"), ("order", "title,", "PGRST100"),
            ("order", "nobody", "42703"), ("limit", "-1", "PGRST103"), ("select", "title:name", "42703"),
            ("select", "nobody", "42703"), ("select", "id::text", "PGRST127"), ("select", "actors(name)", "PGRST127"),
            ("year", "like.1*", "42883"), ("title", "cs.{a}", "42883"), ("on_conflict", "title", "42P10"),
            ("on_conflict", "nobody", "42703"), ("id", "eq.99999999999999999999", "22003"),
            ("id", "eq.+99999999999999999999", "22003"), ("id", "eq.-99999999999999999999", "22003"),
            ("id", "eq.x9", "22P02"), ("id", "eq.-", "22P02"),
            ("isColor", "is.maybe", "PGRST100"), ("title", "is.true", "42804"), ("title", "like(any).a", "22P02"),
            ("title", #"like.a\"#, "22025"), ("title", #"ilike.\\\"#, "22025"), ("or", #"(title.like.a\)"#, "22025"),
            ("limit", "-99999999999999999999", "PGRST103"),
            ("title", "neq(any).{a}", "PGRST100"), ("columns", "nobody", "PGRST204"),
        ])
    func rejections(name: String, value: String, code: String) {
        let rejection = #expect(throws: TableRejection.self) { try query((name, value)) }
        #expect(rejection?.code == code)
    }

    @Test(
        "A range of the largest numbers ends at the largest number",
        arguments: [
            (Int.max, 1, "0-4", 1, 4), (.max, 1, "0-9", 1, 9), (.max, .max, "0-", .max, 0),
            (.max, 0, "5-", 5, .max - 5),
            (3, 0, "0-9223372036854775807", 0, 3),
        ])
    func largestRange(limit: Int, offset: Int, header: String, newOffset: Int, newLimit: Int) throws {
        let range = try RowRange(limit: "\(limit)", offset: "\(offset)").intersected(withHeader: header)
        #expect(range.offset == newOffset && range.limit == newLimit)
    }

    @Test("Endless parentheses neither crash nor hang")
    func depth() {
        let deep = String(repeating: "(and", count: 100_000)
        #expect(throws: TableRejection.self) { try query(("or", deep)) }
    }

    @Test("Any text is read or rejected")
    func fuzz() {
        var numbers = SystemRandomNumberGenerator()
        let pieces = [
            "(", ")", ",", ".", "\"", "\\", "not", "and", "or", "eq", "in", "is", "null", "id", "title", "1", " ", "é",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<12, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers) ?? ""
            }
            .joined()
            for name in ["id", "or", "order", "select"] {
                do throws(TableRejection) { _ = try query((name, text)) } catch { #expect(error.status >= 400) }
            }
        }
    }

    // MARK: - Machinery

    func query(_ items: (String, String)...) throws(TableRejection) -> TableQuery<Film> {
        try TableQuery(items.map { (name: $0.0, value: $0.1) }, schema: Film.schema)
    }

    func matches(_ condition: Condition<Film>, _ film: Film) throws -> Bool {
        let store = MemoryStore(Film.schema)
        _ = try store.insert(film).first()?.get()
        return try store.filter(where: condition).result().first()?.get().map(\.id) == [film.id]
    }
}
