import Testing

@testable import Persistence

@Suite("Conditions in SQL for a database that takes a list as one parameter, and cannot match text")
struct SQLDialectTests {
    private let dialect = SQLDialect(
        placeholder: { "$\($0)" }, truth: ("TRUE", "FALSE"), isDistinct: "IS DISTINCT FROM", infinity: "'inf'",
        textFunction: nil, positionFunction: "strpos", listFunction: "unnest", hasZeroBytes: false,
        maximumParameters: 32_000, maximumDepth: 64)

    private func sql(_ condition: Condition<Film>) throws -> SQLText {
        var sql = SQLText("", dialect: dialect)
        try sql.append(condition.erased, in: Film.schema.names)
        return sql
    }

    private func values(_ sql: SQLText) -> [PrimitiveValue] {
        sql.values.flatMap { value -> [PrimitiveValue] in
            switch value {
            case .primitive(let value): [value]
            case .list(let values, _): values
            case .pattern: []
            }
        }
    }

    @Test("A comparison has a parameter with a number, and finds the rows that memory would find")
    func comparisons() throws {
        let cases: [(Condition<Film>, String)] = [
            (\.budget == 1, #""budget" = $1"#), (\.budget != 1, #""budget" <> $1"#),
            (\.budget < 1, #"("budget" < $1)"#),
            (\.year != 1, #""year" IS DISTINCT FROM $1"#), (\.year == nil, #""year" IS NULL"#),
            (!(\.year >= 1), #"("year" < $1 OR "year" IS NULL)"#), (!(\.budget >= 1), #"("budget" < $1)"#),
            (\.score > 1, #"("score" > $1 AND "score" <= 'inf')"#), (\.score < 1, #"("score" < $1)"#),
            (!(\.score >= 1), #"("score" < $1 OR "score" > 'inf')"#),
            (.between(\.budget, 1...2), #""budget" BETWEEN $1 AND $2"#),
            (!.between(\.budget, 1...2), #"("budget" < $1 OR "budget" > $2)"#),
            (!.between(\.year, 1...2), #"("year" < $1 OR "year" > $2 OR "year" IS NULL)"#),
            (\.score < .nan, "FALSE"), (!(\.score < .nan), "TRUE"), (\.score == .nan, "FALSE"),
        ]
        for (condition, text) in cases { #expect(try sql(condition).text == text) }
        #expect(try values(sql(!.between(\.budget, 1...2))) == [.integer(1), .integer(2)])
    }

    @Test("Parts are joined in pairs, and one that excludes NULL spares the others the question whether there is one")
    func joined() throws {
        let any = try sql(.any(of: (1...4).map { \.budget == $0 }))
        #expect(any.text == #"(("budget" = $1 OR "budget" = $2) OR ("budget" = $3 OR "budget" = $4))"#)
        #expect(values(any) == (1...4).map { .integer($0) })
        let present = #"("year" IS NOT NULL AND "#
        #expect(try sql(\.year != nil && \.year != 3).text == present + #""year" <> $1)"#)
        #expect(try sql(\.year != nil && !(\.year < 3)).text == present + #"("year" >= $1))"#)
        #expect(try sql(\.year == 3 && \.year != 4).text == #"("year" = $1 AND "year" IS DISTINCT FROM $2)"#)
        #expect(try sql(!(\.year == nil || \.year == 3)).text == present + #""year" <> $1)"#)
        let alternatives = try sql((\.year != nil && \.budget == 1) || \.year != 3)
        #expect(alternatives.text == "(" + present + #""budget" = $1) OR "year" IS DISTINCT FROM $2)"#)
    }

    @Test("A short list is padded to a power of two, and a long one is a single parameter")
    func lists() throws {
        let short = try sql(.in(\.budget, [5, 6, 7]))
        #expect(short.text == #"("budget" IN ($1, $2, $3, $4))"#)
        #expect(values(short) == [.integer(5), .integer(6), .integer(7), .integer(7)])
        let long = try sql(!.in(\.budget, Array(1...1_025)))
        #expect(long.text == #"("budget" NOT IN (SELECT unnest($1)))"#)
        #expect(long.values.count == 1 && values(long) == (1...1_025).map { .integer($0) })
        #expect(try sql(.in(\.budget, Array(1...1_024))).values.count == 1_024)
        let lengths = [1, 2, 3, 5, 513, 1_024, 1_025]
        #expect(lengths.map { dialect.parameterCount(ofList: $0) } == [1, 2, 4, 8, 1_024, 1_024, 1])
        #expect(lengths.map { SQLDialect.sqlite.parameterCount(ofList: $0) } == [1, 2, 4, 8, 1_024, 1_024, 1_025])
    }

    @Test("A list of values finds the rows that memory would find, also with nil or NaN in it")
    func unusualLists() throws {
        let cases: [(Condition<Film>, String)] = [
            (.in(\.year, [nil, 3]), #"("year" IN ($1) OR "year" IS NULL)"#),
            (!.in(\.year, [nil, 3]), #"("year" NOT IN ($1))"#),
            (!.in(\.year, [3]), #"("year" NOT IN ($1) OR "year" IS NULL)"#),
            (.in(\.year, [nil]), #""year" IS NULL"#), (!.in(\.year, [nil]), #""year" IS NOT NULL"#),
            (.in(\.budget, []), "FALSE"), (!.in(\.budget, []), "TRUE"), (.in(\.score, [.nan]), "FALSE"),
            (.in(\.score, [.nan, 3]), #"("score" IN ($1))"#), (.in(\.title, ["a\0b", "c"]), #"("title" IN ($1))"#),
        ]
        for (condition, text) in cases { #expect(try sql(condition).text == text) }
    }

    @Test("A text is narrowed down as far as the database can")
    func narrowing() throws {
        let prefix = try sql(.startsWith(\.title, "e\u{301}b"))
        #expect(prefix.text == #"("title" >= $1 AND "title" < $2)"#)
        #expect(values(prefix) == [.text("\u{E9}b"), .text("\u{E9}c")])
        for condition in [.endsWith(\.title, "ab"), .contains(\.title, "ab")] as [Condition<Film>] {
            #expect(try sql(condition).text == #"strpos("title", $1) > 0"#)
            #expect(try values(sql(condition)) == [.text("ab")])
        }
        #expect(try sql(.equals(\.title, "ab", [])).text == #""title" = $1"#)
        #expect(try values(sql(.equals(\.title, "ab", []))) == [.text("ab")])
        let others: [Condition<Film>] = [
            .like(\.title, "ab"), .matches(\.title, "ab"), .equals(\.title, "ab", .caseInsensitive),
            .contains(\.title, "ab", .diacriticInsensitive), !.contains(\.title, "ab"), !.startsWith(\.title, "ab"),
        ]
        for condition in others { #expect(try sql(condition).text == "TRUE") }
        #expect(try sql(.contains(\.title, "a\0b")).text == "FALSE")
    }

    @Test("A range that ends at a text with a zero byte holds the same texts as without it")
    func zeroBytes() throws {
        let range = try sql(.between(\.title, "a\0b"..."c"))
        #expect(range.text == #"(("title" > $1) AND ("title" <= $2))"#)
        #expect(values(range) == [.text("a"), .text("c")])
        #expect(try sql(!.between(\.title, "a"..."c\0")).text == #"(("title" < $1) OR ("title" > $2))"#)
    }

    @Test("The parts of a condition that are too many for one statement together are left for memory")
    func parts() throws {
        var small = dialect
        small.maximumParameters = 3
        func search(_ condition: Condition<Film>) throws -> SQLSearch {
            try SQLSearch(SQLText("SELECT *", dialect: small), where: condition.erased, in: Film.schema.names)
        }
        let some = try search(.between(\.budget, 1...2) && .between(\.votes, 3...4) && \.title == "a" && \.id > 1)
        #expect(some.sql.text == #"SELECT * WHERE ("budget" BETWEEN $1 AND $2 AND "title" = $3)"#)
        let rest: Condition<Film> = .between(\.votes, 3...4) && \.id > 1
        #expect(some.rest == rest.erased)
        let none = try search(.any(of: (1...4).map { \.budget == $0 }))
        #expect(none.sql.text == "SELECT *" && none.rest != nil)
        let unknown: Condition<Film> = .any(of: (1...4).map { \.title.count == $0 })
        #expect(throws: StoreError.self) { try search(unknown) }
    }

    @Test("A statement asks for the rows in order, and for the page, only if no condition is left for memory")
    func pages() throws {
        func search(_ query: Query<MemoryStore<Film>>) throws -> SQLSearch {
            try SQLSearch(
                query.question.erased(id: Film.schema.ids.property), in: Film.schema.names, dialect: dialect)
        }
        let films = MemoryStore(Film.schema)
        let columns = "SELECT \(Film.schema.quotedColumns) FROM \"films\""
        let sorted = films.filter(where: \.budget == 5).sorted(by: \.year).sorted(by: \.title, inOrder: .descending)
        let order = #" ORDER BY "year" ASC NULLS LAST, "title" DESC, "id""#
        let page = try search(sorted.page(limit: 2, offset: 3))
        #expect(page.sql.text == columns + #" WHERE "budget" = $1"# + order + " LIMIT $2 OFFSET $3")
        #expect(values(page.sql) == [.integer(5), .integer(2), .integer(3)] && page.rest == nil)
        let rest = try search(films.filter(where: .contains(\.title, "a")).sorted(by: \.title).page(limit: 2))
        #expect(rest.sql.text == columns + #" WHERE strpos("title", $1) > 0 ORDER BY "title" ASC, "id""#)
        #expect(rest.rest != nil)
    }

    @Test("Two statements are the same if their bytes are")
    func statementTexts() {
        let texts = ["", "a", "b", "ab", "e\u{301}", "\u{E9}"]
        for (index, text) in texts.enumerated() {
            for (other, otherText) in texts.enumerated() {
                #expect((StatementText(text) == StatementText(otherText)) == (index == other))
            }
        }
    }
}
