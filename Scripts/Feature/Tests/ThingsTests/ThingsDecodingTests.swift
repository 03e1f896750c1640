import FeedbackTesting
import Networking
import Testing

@testable import Things

struct ThingsDecodingTests {
    @Test("The canned list is read")
    func list() async throws {
        let response = try await CannedBackend(ThingsExpectations.folder).session().access(ThingsService.fetchThings())
        #expect(response == ThingsExpectations.response)
    }

    @Test("An element that cannot be read is left out, and reported")
    func pruning() async throws {
        let backend = try CannedBackend(ThingsExpectations.malformed("one-broken"))
        let response = try await backend.session().access(ThingsService.fetchThings())
        #expect(response.things == ThingsExpectations.things)
        #expect(response.$things.count == 1)
    }
}
