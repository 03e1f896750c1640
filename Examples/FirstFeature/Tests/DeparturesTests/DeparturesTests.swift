import CannedResponses
import Departures
import Feedback
import FeedbackTesting
import Networking
import Presentation
import Testing

struct DeparturesTests {
    private struct ControllerStub: DeparturesBusinessControllerProtocol {
        let departures = Stub<Void, DeparturesResponse, CoreError>()

        func fetchDepartures() -> SignalProducer<DeparturesResponse, CoreError> { departures() }
    }

    @Test("The canned departures are read; the one without its minutes is left out")
    func decoding() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Departures"))
        let controller = DeparturesBusinessController(accessible: backend.session())
        let response = try await controller.fetchDepartures().value()
        #expect(response.departures.map(\.destination) == ["Oxford", "Bath"])
        #expect(response.$departures.map(\.path) == ["departures[1]"])
        #expect(backend.requests.map(\.description) == ["GET /v1/departures"])
    }

    @Test("A failed load can be tried again")
    func retry() {
        let stub = ControllerStub()
        let tester = LoopTester(DeparturesViewModel(businessController: stub))
        let error = CoreError.network(NetworkFailure(.timedOut))
        let response = DeparturesResponse(departures: [])

        stub.departures.fail(error)
        tester.receive(.didFail(error)) { $0.loading = .failed(error, number: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(number: 2) }
        stub.departures.answer(response)
        tester.receive(.didLoad(response)) { $0.loading = .done }
        tester.finish()
    }

    @Test("A person reads the departures and leaves")
    func flow() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Departures"))
        let controller = DeparturesBusinessController(accessible: backend.session())
        let routes = RouteLog<DeparturesViewModel.Route>()
        let screens = ScreenStack()
        screens.push(
            LiveScreen(
                DeparturesViewModel(businessController: controller), DeparturesRenderer(), onRoute: routes.add))
        let person = ScriptedPerson(screens)
        try await person.sees("Oxford")
        try await person.sees("1 departure could not be read.")
        try await person.uses("Leave")
        #expect(routes.routes == [.leave])
    }
}
