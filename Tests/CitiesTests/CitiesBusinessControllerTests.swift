import CannedResponses
import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Networking
import Testing

@testable import Cities

/// The business controller over canned answers.
struct CitiesBusinessControllerTests {
    private let backend: CannedBackend
    private let controller: CitiesBusinessController

    init() throws {
        backend = try CannedBackend(CitiesExpectations.folder)
        controller = CitiesBusinessController(accessible: backend.session())
    }

    @Test("Fetches the cities with Kong's credentials")
    func fetching() async throws {
        let response = try await controller.fetchCities().value()
        #expect(response == CitiesResponse(cities: CitiesExpectations.cities))
        #expect(backend.requests.map(\.description) == ["GET /v1/cities"])
        #expect(backend.requests.first?.headers["Authorization"] == "Bearer canned")
    }

    @Test("Sends nothing before it is started, and anew with each start")
    func cold() async throws {
        let cities = controller.fetchCities()
        #expect(backend.requests.isEmpty)
        _ = try await cities.first()
        _ = try await cities.first()
        #expect(backend.requests.count == 2)
    }

    @Test("Requests a delivery to the address")
    func delivery() async throws {
        try await controller.requestDelivery(to: CitiesExpectations.address, key: UUID()).then(value: ()).first()
        #expect(backend.requests.map(\.description) == ["POST /v1/cities/delivery"])
        #expect(try backend.requests.first?.decode() == CitiesExpectations.addressBody)
    }

    @Test("Obtains questions about a subject")
    func questions() async throws {
        let questions = try await controller.obtainQuestions(about: "time").value()
        #expect(questions == CitiesExpectations.questions)
        #expect(try backend.requests.first?.decode() == ["question_query": "time"])
    }

    @Test("Fails with the server's refusal")
    func refusal() async throws {
        backend.answer(CannedAnswer(.POST, "/v1/cities/delivery", status: 422, body: "No such street."))
        let error = await #expect(throws: CoreError.self) {
            try await controller.requestDelivery(to: .fixture(), key: UUID()).then(value: ()).first()
        }
        guard case let .status(failure) = error else {
            Issue.record("Expected a status, not \(String(describing: error))")
            return
        }
        #expect(failure.code == 422)
    }
}
