import FeedbackTesting
import Networking
import Testing
import Things

struct ThingsBusinessControllerTests {
    @Test("Fetches the list with Kong's credentials")
    func fetching() async throws {
        let backend = try CannedBackend(ThingsExpectations.folder)
        let controller = ThingsBusinessController(accessible: backend.session())
        #expect(try await controller.fetchThings().value() == ThingsExpectations.response)
        #expect(backend.requests.map(\.description) == ["GET /v1/things"])
        #expect(backend.requests.first?.headers["Authorization"] == "Bearer canned")
    }
}
