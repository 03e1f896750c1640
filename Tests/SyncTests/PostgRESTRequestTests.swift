import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

struct PostgRESTRequestTests {
    private let condition = PostgRESTCondition.test("year", "is", .word("null"))

    @Test("Rows are fetched with filters, order and page in the query")
    func fetching() throws {
        let condition = try PostgRESTTranslation(
            \.rating == .PG_13 && \.budget >= 10_000_000, in: Film.schema, textOrder: .codePoints
        ).condition
        let order = try PostgRESTQuery.order(
            by: [SortCriterion(\.title), SortCriterion(\.budget, .descending)], in: Film.schema)
        let request = PostgRESTRequest.fetch(
            PostgRESTQuery(key: "id", condition: condition, order: order, limit: 20, offset: 40))
        #expect(request.method == .GET)
        #expect(request.body == nil)
        #expect(
            text(request.query)
                == "rating=eq.PG-13&budget=gte.10000000&order=title.asc,budget.desc,id.asc&limit=20&offset=40")
    }

    @Test("Rows are counted without fetching them")
    func counting() {
        let request = PostgRESTRequest.count(condition, key: "id")
        #expect(request.method == .HEAD)
        #expect(request.headers["Prefer"] == "count=exact")
        #expect(text(request.query) == "year=is.null&select=id")
    }

    @Test("Rows are inserted and upserted as a list, and come back as they are stored")
    func writing() throws {
        let rows = try Film.schema.json(of: [.plain]).get()
        #expect(PostgRESTRequest.insert(rows).method == .POST)
        #expect(PostgRESTRequest.insert(rows).headers["Prefer"] == "return=representation")
        #expect(
            PostgRESTRequest.upsert(rows).headers["Prefer"] == "return=representation,resolution=merge-duplicates")
        #expect(PostgRESTRequest.upsert(rows).body == rows)
    }

    @Test("A row is changed by a condition")
    func changing() throws {
        let row = try Film.schema.json(of: .plain).get()
        let request = PostgRESTRequest.update(condition, to: row, key: "id")
        #expect(request.method == .PATCH)
        #expect(text(request.query) == "year=is.null")
        #expect(request.headers["Prefer"] == "return=representation")
    }

    @Test("Nothing is deleted without a filter, and no row sent back")
    func deleting() {
        let request = PostgRESTRequest.delete(.always, key: "id")
        #expect(request.method == .DELETE)
        #expect(text(request.query) == "id=not.is.null")
        #expect(request.headers["Prefer"] == "return=minimal,count=exact")
    }

    @Test("A request becomes a resource at the path of the table")
    func resource() {
        let resource: BackendResource<Void, PostgRESTAnswer, KongAuth> = PostgRESTRequest.count(condition, key: "id")
            .resource(at: .api(.core, "/films"))
        #expect(resource.path == .api(.core, "/films"))
        #expect(resource.method == .HEAD)
        #expect(resource.request == nil)
    }

    @Test(
        "A column with a name that the dialect reserves is put in quotation marks, or in parentheses",
        arguments: [
            ("order", "and=(order.eq.1)"), ("limit", "and=(limit.eq.1)"), ("a b", #"and=("a b".eq.1)"#),
            ("naïve", #"and=("naïve".eq.1)"#), ("x\"y", #"and=("x\"y".eq.1)"#), ("eq", "eq=eq.1"),
        ])
    func columnNames(column: String, query: String) {
        #expect(text(PostgRESTCondition.test(column, "eq", .value("1")).items(key: "id")) == query)
    }

    private func text(_ items: [URLQueryItem]) -> String {
        items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }
}

extension Film {
    /// A film with as few values as possible.
    fileprivate static let plain = Film.fixture(year: nil, score: nil, tagline: nil)
}
