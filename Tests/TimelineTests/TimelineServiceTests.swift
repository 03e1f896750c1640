import Foundation
import Networking
import Testing

@testable import Timeline

struct TimelineServiceTests {
    @Test("Lists are asked for by page")
    func lists() {
        let home = TimelineService.fetchHome(.init(maxID: "9", sinceID: "5", limit: 40))
        #expect(home.path == .api(.core, "/api/v1/timelines/home"))
        #expect(home.method == .GET)
        #expect(home.query.map { "\($0.name)=\($0.value ?? "")" } == ["limit=40", "max_id=9", "since_id=5"])
        let statuses = TimelineService.fetchStatuses(of: "7", .init())
        #expect(statuses.path == .api(.core, "/api/v1/accounts/7/statuses"))
        #expect(statuses.query.map(\.name) == ["limit"])
    }

    @Test("An action on a status is posted to the server")
    func acts() {
        let resources = [
            TimelineService.setFavourite(true, "1"), TimelineService.setFavourite(false, "1"),
            TimelineService.setReblogged(true, "1"), TimelineService.setReblogged(false, "1"),
        ]
        let acts = ["favourite", "unfavourite", "reblog", "unreblog"]
        #expect(resources.map(\.path) == acts.map { .api(.core, "/api/v1/statuses/1/\($0)") })
        #expect(resources.allSatisfy { $0.method == .POST })
    }

    @Test("A status, its context and an account are asked for by id")
    func single() {
        #expect(TimelineService.fetchStatus("1").path == .api(.core, "/api/v1/statuses/1"))
        #expect(TimelineService.fetchContext(of: "1").path == .api(.core, "/api/v1/statuses/1/context"))
        #expect(TimelineService.fetchAccount("1").path == .api(.core, "/api/v1/accounts/1"))
    }

    @Test("An id of a server cannot lead to another path")
    func strangeID() {
        #expect(TimelineService.fetchStatus("1/favourite").path == .api(.core, "/api/v1/statuses/1favourite"))
        // The mark joins the slash to one character.
        #expect(
            TimelineService.fetchStatus("1/\u{301}favourite").path == .api(.core, "/api/v1/statuses/1\u{301}favourite"))
    }

    @Test("A new name is sent under its key")
    func rename() throws {
        let resource = TimelineService.updateCredentials()
        #expect(resource.path == .api(.core, "/api/v1/accounts/update_credentials"))
        #expect(resource.method == .PATCH)
        let encode = try #require(resource.request)
        let body = try encode(CredentialsUpdate(displayName: "Ann"), JSONEncoder()).get()
        #expect(try JSONDecoder().decode([String: String].self, from: body) == ["display_name": "Ann"])
    }
}
