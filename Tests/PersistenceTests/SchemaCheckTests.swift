import Foundation
import Persistence
import Testing

@Suite("The order of a schema's columns")
struct SchemaCheckTests {
    private struct Page: Identifiable, Sendable {
        var id: Int
        var title: String
        var author: String
        var score: Double

        static let schema = Schema<Page>(
            "pages", Page.init, Column("id", \.id), Column("title", \.title), Column("author", \.author),
            Column("score", \.score))
        static let swapped = Schema<Page>(
            "pages", Page.init, Column("id", \.id), Column("author", \.author), Column("title", \.title),
            Column("score", \.score))
    }

    @Test("Columns of one type that stand in another order than the parameters are found")
    func swapped() {
        let page = Page(id: 1, title: "Emma", author: "Austen", score: .nan)
        #expect(Page.schema.swappedColumns(for: page) == [])
        #expect(Page.swapped.swappedColumns(for: page) == ["author", "title"])
        // Equal values cannot be told from each other.
        #expect(Page.swapped.swappedColumns(for: Page(id: 1, title: "Emma", author: "Emma", score: 1)) == [])
    }

    @Test("An initializer that changes a value does not look like swapped columns")
    func changed() {
        let trimming = Schema<Page>(
            "pages",
            { Page(id: $0, title: $1.trimmingCharacters(in: .whitespaces), author: $2, score: $3) },
            Column("id", \.id), Column("title", \.title), Column("author", \.author), Column("score", \.score))
        #expect(trimming.swappedColumns(for: Page(id: 1, title: " Emma", author: "Austen", score: 1)) == [])
    }

    #if DEBUG
    @Test("A SQLite store fails in a debug build rather than to store them")
    func storing() async {
        await #expect(processExitsWith: .failure) {
            let store = try SQLiteStore(Page.swapped, in: SQLiteDatabase(.memory))
            try await store.insert(Page(id: 1, title: "Emma", author: "Austen", score: 1))
        }
    }
    #endif
}
