import CannedResponses
import FeedbackTesting
import Fixtures
import Foundation
import Networking
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
        #expect(page.next == "101")
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

    @Test("What is kept in a file is read as it was")
    func roundTrip() async throws {
        let statuses = try await page().statuses
        let data = try JSONEncoder().encode(statuses)
        #expect(try JSONDecoder().decode([Status].self, from: data) == statuses)
    }
}
