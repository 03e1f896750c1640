import CannedResponses
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Persistence
import Testing

@testable import Timeline

struct TimelineDecodingTests {
    private func page() async throws -> StatusPage {
        let session = try CannedBackend(CannedResponses.folder("Timeline")).session()
        return try await session.access(TimelineService.fetchHome(.init(limit: 20)))
    }

    @Test("A page of a real server decodes, without the elements that are not statuses")
    func wholePage() async throws {
        let page = try await page()
        #expect(page.statuses.map(\.id) == ["105", "104", "101"])
        #expect(page.leftOut == 2)
        #expect(page.next == "99")
    }

    @Test("Contents are read as text, and dates with and without fractions")
    func contents() async throws {
        let statuses = try await page().statuses
        #expect(statuses[0].content.plain == "Fish & chips\nwith @bo :blobcat:")
        #expect(statuses[0].createdAt == DateTime("2026-11-20T18:12:05.123Z"))
        #expect(statuses[0].editedAt == nil)
        #expect(statuses[0].isFavourite == true)
        #expect(statuses[0].account.note?.plain == "Bridges.")
        #expect(statuses[2].createdAt.date.timeIntervalSince(statuses[1].createdAt.date) == -3_599.5)
        #expect(statuses[2].isFavourite == nil)
    }

    @Test("A repeated status stands inside the one that repeats it")
    func reblog() async throws {
        let status = try await page().statuses[1]
        #expect(status.account.name == "bo@far.example")
        #expect(status.shown.id == "90")
        #expect(status.shown.account.name == "Ada Quist")
        #expect(status.shown.spoilerText == "Spiders")
        #expect(status.shown.card == PreviewCard(url: "https://a.example", title: "A"))
        #expect(status.shown.mediaAttachments == [MediaAttachment(type: "image")])
    }

    @Test(
        "Fields that real servers send, leave out or set to null are read",
        arguments: [
            "", #""edited_at": null, "card": null, "reblog": null, "poll": null, "media_attachments": []"#,
            #""spoiler_text": null, "favourited": null, "reblogged": null, "media_attachments": null"#,
            #""pleroma": {"local": true}, "quote": [1, {"a": null}], "emoji_reactions": []"#,
            #""emojis": [{"shortcode": "blobcat", "url": "u", "static_url": "s"}], "filtered": [{"filter": {}}]"#,
        ])
    func variants(fields: String) throws {
        let status = try decode(fields)
        #expect(status.id == "1" && status.account.name == "Ada" && status.content.plain == "Hi")
        #expect(status.editedAt == nil && status.card == nil && status.reblog == nil)
        #expect(status.isFavourite == nil && (status.mediaAttachments ?? []).isEmpty)
    }

    @Test("A repeated status of the account that repeats it is read, and the account is one entity")
    func ownReblog() throws {
        let inner = body(#""reblog": null"#, id: "2", name: "Renamed meanwhile")
        let status = try decode(#""reblog": \#(inner)"#)
        #expect(status.shown.id == "2")
        let cache = NormalizedCache()
        cache.store(status)
        let stored = try #require(cache[Reference<Status>("1")])
        #expect(stored.account == stored.shown.account)
    }

    @Test(
        "A status that lacks what cannot be done without is not one",
        arguments: [
            #"{"id": "1"}"#, #"{"id": 1}"#, "null", "[]", #""text""#,
            #"{"id": "1", "created_at": "2026-11-20T18:00:00Z", "content": "x", "account": null}"#,
        ])
    func malformed(element: String) throws {
        let page = Data("[\(element), \(body())]".utf8)
        let statuses = try (Parser.parse(page) as Result<Pruned<Status>, CoreError>).get()
        #expect(statuses.wrappedValue.map(\.id) == ["1"])
        #expect(statuses.projectedValue.count == 1)
    }

    private func decode(_ fields: String) throws -> Status {
        try (Parser.parse(Data(body(fields).utf8)) as Result<Status, CoreError>).get()
    }

    /// The least that a status has, and other fields.
    private func body(_ fields: String = "", id: String = "1", name: String = "Ada") -> String {
        """
        {"id": "\(id)", "created_at": "2026-11-20T18:00:00Z", "content": "<p>Hi</p>", "replies_count": 0,
        "reblogs_count": 0, "favourites_count": 0,
        "account": {"id": "1", "acct": "ada", "display_name": "\(name)"}\(fields.isEmpty ? "" : ", " + fields)}
        """
    }

    @Test("A value that is kept in a file is read unchanged")
    func roundTrip() async throws {
        let statuses = try await page().statuses
        let data = try JSONEncoder().encode(statuses)
        #expect(try JSONDecoder().decode([Status].self, from: data) == statuses)
    }
}
