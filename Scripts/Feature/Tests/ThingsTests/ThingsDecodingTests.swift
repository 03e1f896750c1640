import FeedbackTesting
import Networking
import Testing

@testable import Things

struct ThingsDecodingTests {
    @Test("The canned list is read")
    func list() async throws {
        let things = try await CannedBackend(ThingsExpectations.folder).session().access(ThingsService.fetchThings())
        #expect(things == ThingsExpectations.things)
    }

    @Test("An element that cannot be read is left out")
    func pruning() async throws {
        let backend = try CannedBackend(ThingsExpectations.malformed("one-broken"))
        #expect(try await backend.session().access(ThingsService.fetchThings()) == ThingsExpectations.things)
    }
}
