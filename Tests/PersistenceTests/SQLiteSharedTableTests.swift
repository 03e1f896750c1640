import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("SQLite tables that two schemas share")
struct SQLiteSharedTableTests {
    private struct Page: Identifiable, Hashable, Sendable {
        var id: Int
        var title: String
        var views: Int?

        static let full = Schema<Page>(
            "pages", Page.init, Column("id", \.id), Column("title", \.title), Column("views", \.views))
        /// A part of the columns; the rest of a page is not read.
        static let short = Schema<Page>(
            "pages", { Page(id: $0, title: $1, views: nil) }, Column("id", \.id), Column("title", \.title))
    }

    @Test("An observer of all columns gets them when a store of fewer columns writes")
    func sharedModel() throws {
        let database = try SQLiteDatabase(.memory)
        let full = try SQLiteStore(Page.full, in: database)
        let short = try SQLiteStore(Page.short, in: database)
        try full.insert([Page(id: 1, title: "a", views: 5), Page(id: 2, title: "b", views: 7)]).get()
        let (all, first) = full.all().observe().collecting()
        let (popular, second) = full.filter(where: \.views == 7).observe().collecting()
        let (titles, third) = short.all().observe().collecting()
        try short.update(Page(id: 2, title: "c")).get()
        try full.update(Page(id: 1, title: "d", views: 6)).get()
        try short.delete(ids: [2]).get()
        #expect(
            all.all == [
                [Page(id: 1, title: "a", views: 5), Page(id: 2, title: "b", views: 7)],
                [Page(id: 1, title: "a", views: 5), Page(id: 2, title: "c", views: 7)],
                [Page(id: 1, title: "d", views: 6), Page(id: 2, title: "c", views: 7)],
                [Page(id: 1, title: "d", views: 6)],
            ])
        #expect(popular.all == [[Page(id: 2, title: "b", views: 7)], [Page(id: 2, title: "c", views: 7)], []])
        #expect(titles.all.map { $0.map(\.title) } == [["a", "b"], ["a", "c"], ["d", "c"], ["d"]])
        #expect(titles.all.joined().allSatisfy { $0.views == nil })
        for disposable in [first, second, third] { disposable.dispose() }
    }
}
