import Testing

@testable import Persistence

@Suite("Texts with zero bytes on a database that has none")
struct SQLZeroByteTests {
    private let dialect: SQLDialect = {
        var dialect = SQLDialect.sqlite
        dialect.hasZeroBytes = false
        dialect.textFunction = nil
        return dialect
    }()

    private func search(_ condition: Condition<Note>) throws -> SQLText {
        let beginning = SQLText("SELECT *", dialect: dialect)
        return try SQLSearch(beginning, where: condition.erased, in: Note.schema.names).sql
    }

    private func hasZeroByte(_ sql: SQLText) -> Bool {
        sql.values.contains { if case .primitive(let value) = $0 { value.hasZeroByte } else { false } }
    }

    @Test("No such text is sent, whatever it is compared with", arguments: [false, true])
    func sent(negated: Bool) throws {
        let conditions: [Condition<Note>] = [
            \.text == "a\0b", \.text != "a\0b", \.text < "a\0b", \.text <= "a\0b", \.text > "a\0b", \.text >= "a\0b",
            .between(\.text, "a\0b"..."c"), .between(\.text, "a"..."c\0"), .between(\.text, "a\0"..."c\0"),
            .in(\.text, ["a", "b\0", "c"]), .startsWith(\.text, "a\0b"), .endsWith(\.text, "a\0b"),
            .contains(\.text, "a\0b"),
        ]
        for condition in conditions {
            let sql = try search(negated ? !condition : condition)
            #expect(!hasZeroByte(sql), "\(sql)")
        }
        #expect(try hasZeroByte(search(\.text == "ab")) == false)
    }

    @Test("No stored text equals such a text, and one before it is not after its part before the zero byte")
    func meaning() throws {
        #expect(try search(\.text == "a\0b").text == "SELECT * WHERE 0")
        #expect(try search(\.text != "a\0b").text == "SELECT * WHERE 1")
        #expect(try search(\.text < "a\0b").text == search(\.text <= "a").text)
        #expect(try search(\.text >= "a\0b").text == search(\.text > "a").text)
    }

    @Test("All of no conditions is true, any of none is false, and a prefix without an end narrows nothing down")
    func constants() throws {
        func text(_ condition: AnyCondition) throws -> String {
            var sql = SQLText("", dialect: dialect)
            try sql.append(condition, in: Note.schema.names)
            return sql.text
        }
        #expect(try text(AnyCondition(.and([]))) == "1")
        #expect(try text(AnyCondition(.or([]))) == "0")
        let prefix: Condition<Note> = .startsWith(\.text, "\u{10FFFF}")
        #expect(try text(prefix.erased) == "1")
    }

    @Test("Text is tested in memory if the database has no function for it, and nothing else is")
    func rest() throws {
        let text: Condition<Note> = .contains(\.text, "a")
        let other: Condition<Note> = \.id == "b"
        func rest(_ condition: Condition<Note>) throws -> AnyCondition? {
            let beginning = SQLText("SELECT *", dialect: dialect)
            return try SQLSearch(beginning, where: condition.erased, in: Note.schema.names).rest
        }
        for condition in [text, !text, text && other, text || other] { #expect(try rest(condition) != nil) }
        for condition in [other, !other, other || \.text == "a"] { #expect(try rest(condition) == nil) }
    }
}
