import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

struct PostgRESTConditionTests {
    private static let a = PostgRESTCondition.test("a", "eq", .value("1"))
    private static let b = PostgRESTCondition.test("b", "is", .word("null"))

    @Test(
        "All of some conditions is one without parts that follow from others",
        arguments: [
            ([], .always), ([.always], .always), ([.never], .never), ([a, .never, b], .never), ([.always, a], a),
            ([a, .all([b, a])], .all([a, b, a])), ([.any([a, b])], .any([a, b])),
            ([.test("a", "gte", .value("5")), .test("a", "gt", .value("5"))], .test("a", "gt", .value("5"))),
            ([.test("a", "lt", .value("5")), .test("a", "lte", .value("5"))], .test("a", "lt", .value("5"))),
            (
                [.test("a", "gte", .value("5")), .test("a", "gt", .value("6"))],
                .all([.test("a", "gte", .value("5")), .test("a", "gt", .value("6"))])
            ),
            (
                [.test("a", "lte", .value("5")), .test("b", "lt", .value("5"))],
                .all([.test("a", "lte", .value("5")), .test("b", "lt", .value("5"))])
            ),
        ] as [([PostgRESTCondition], PostgRESTCondition)])
    func all(conditions: [PostgRESTCondition], joined: PostgRESTCondition) {
        #expect(PostgRESTCondition.joined(all: conditions) == joined)
    }

    @Test(
        "Any of some conditions is one without nested parts",
        arguments: [
            ([], .never), ([.never], .never), ([.always], .always), ([a, .always, b], .always), ([.never, a], a),
            ([a, .any([b, a])], .any([a, b, a])), ([.all([a, b])], .all([a, b])),
        ] as [([PostgRESTCondition], PostgRESTCondition)])
    func any(conditions: [PostgRESTCondition], joined: PostgRESTCondition) {
        #expect(PostgRESTCondition.joined(any: conditions) == joined)
    }

    @Test(
        "A condition is written so that the server reads it as it is meant",
        arguments: [
            (.always, ""), (.never, "key=is.null"), (.any([.never, .always]), "or=(key.is.null,key.not.is.null)"),
            (.all([a, b]), "a=eq.1&b=is.null"), (.any([a, .all([a, b])]), "or=(a.eq.1,and(a.eq.1,b.is.null))"),
            (.all([.any([a, b]), .any([b, a])]), "or=(a.eq.1,b.is.null)&or=(b.is.null,a.eq.1)"),
            (.any([a, .any([b, a])]), "or=(a.eq.1,or(b.is.null,a.eq.1))"),
            (.test("a b", "eq", .value("1")), #"and=("a b".eq.1)"#), (.test("", "eq", .value("1")), #"and=("".eq.1)"#),
            (.test("a\"b", "eq", .value("c\"d\\e")), #"and=("a\"b".eq."c\"d\\e")"#),
            (.test("a", "eq", .value("b,\"c")), #"a=eq.b,"c"#), (.test("a", "eq", .value("")), "a=eq."),
            (.any([.test("a", "eq", .value("")), b]), #"or=(a.eq."",b.is.null)"#),
            (.any([.test("a", "eq", .value("x-y_Z9")), b]), "or=(a.eq.x-y_Z9,b.is.null)"),
            (.any([.test("a", "eq", .value("x.y")), b]), #"or=(a.eq."x.y",b.is.null)"#),
            (.test("a", "in", .list(["1", "b c", ""])), #"a=in.(1,"b c","")"#),
            (.test("select", "eq", .value("1")), "and=(select.eq.1)"),
            (.test("on_conflict", "eq", .value("1")), "and=(on_conflict.eq.1)"),
        ] as [(PostgRESTCondition, String)])
    func written(condition: PostgRESTCondition, query: String) {
        let items = condition.items(key: "key").map { "\($0.name)=\($0.value ?? "")" }
        #expect(items.joined(separator: "&") == query)
    }

    @Test(
        "The length of a condition is the number of its bytes in a URL",
        arguments: [
            .always, .never, a, .all([a, b]), .any([a, b]), .test("a b", "eq", .value("ä,\"1\" ~x.y-z_0")),
            .test("a", "in", .list(["1", "2", "Zürich (ZH)"])),
        ] as [PostgRESTCondition])
    func length(condition: PostgRESTCondition) {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        func encoded(_ text: String?) -> String { text?.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
        let text = condition.items(key: "id").map { "&\(encoded($0.name))=\(encoded($0.value))" }.joined()
        #expect(condition.length(key: "id") == text.utf8.count)
    }

    @Test("A condition that just fits into a URL is sent whole, and otherwise as many parts as fit")
    func fitting() throws {
        let condition: Condition<Film> = \.budget > 5 && \.year == 1949 && \.rating == .PG
        let whole = try PostgRESTTranslation(condition, in: Film.schema, textOrder: .codePoints)
        guard case let .all(parts) = whole.condition else {
            Issue.record("The condition has one part only.")
            return
        }
        let lengths = parts.map { $0.length(key: "id") }
        let length = lengths.reduce(0, +)
        #expect(whole.condition.length(key: "id") == length)
        #expect(whole.fitting(length, key: "id") == whole)
        let part = whole.fitting(length - 1, key: "id")
        #expect(!part.isExact && part.condition == .all(Array(parts[0..<2])))
        #expect(whole.fitting(lengths[0] + lengths[1], key: "id").condition == part.condition)
        #expect(whole.fitting(lengths[0] + lengths[1] - 1, key: "id").condition != part.condition)
    }

    // MARK: - Lists of ids

    private func batches(of ids: [Int], length: Int, count: Int = .max) throws -> [[Int]] {
        let session = BackendSession(
            environment: BackendEnvironment(
                name: "test", services: [.core: try #require(URL(string: "http://notes.example.com"))]),
            credentials: FixedCredentials(.bearer("test")))
        return PostgRESTStore(Note.schema, accessible: session).batches(of: ids, length: length, count: count)
    }

    @Test("Many ids are split into lists that each fit into a URL, and that are not shorter than they need to be")
    func batches() throws {
        func length(_ ids: [Int]) -> Int {
            PostgRESTCondition.test("id", "in", .list(ids.map { "\($0)" })).length(key: "id")
        }
        for limit in [30, 40, 100] {
            let ids = Array(90...210)
            let batches = try batches(of: ids, length: limit)
            #expect(batches.flatMap { $0 } == ids)
            #expect(batches.allSatisfy { length($0) <= limit })
            // The first id of a list counts a comma, too.
            for (one, next) in zip(batches, batches.dropFirst()) { #expect(length(one + next.prefix(1)) > limit - 3) }
        }
        #expect(try batches(of: [1, 2, 3], length: 1) == [[1], [2], [3]])
        #expect(try batches(of: [], length: 100).isEmpty)
    }

    @Test("A list has at most as many ids as asked for", arguments: [1, 3, 10, 11])
    func batches(count: Int) throws {
        let batches = try batches(of: Array(1...10), length: 1_000, count: count)
        #expect(batches.flatMap { $0 } == Array(1...10))
        #expect(batches.dropLast().allSatisfy { $0.count == count })
        #expect(batches.allSatisfy { $0.count <= count })
    }
}
