import FeedbackTesting
import Fixtures
import Networking
import Presentation
import Testing
import Things

struct ThingsViewModelTests {
    private let stub = ThingsBusinessControllerStub()
    private let routes = RouteLog<ThingsViewModel.Route>()
    private let error = CoreError.network(NetworkFailure(.timedOut))

    private func tester() -> LoopTester<ThingsViewModel.State, ThingsViewModel.Event> {
        LoopTester(ThingsViewModel(businessController: stub), routes: routes)
    }

    @Test("Loads the list at once, and counts the elements that were left out")
    func loading() {
        let tester = tester()
        let skipped = SkippedElement(index: 1, path: "things[1]", reason: "The key \"name\" is missing.")
        let response = ThingsResponse(things: [.fixture()], skipped: [skipped])

        stub.things.answer(response)
        tester.receive(.didLoad(response)) {
            $0.things = [.fixture()]
            $0.leftOut = 1
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("A failed load can be tried again, and two quick taps send one request")
    func retry() {
        let tester = tester()

        stub.things.fail(error)
        tester.receive(.didFail(error)) { $0.loading = .failed(error, number: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(number: 2) }
        tester.send(.ui(.refresh))
        #expect(stub.things.callCount == 2)
        stub.things.answer(ThingsResponse(things: []))
        tester.receive(.didLoad(ThingsResponse(things: []))) { $0.loading = .done }
        tester.finish()
    }

    @Test("Leaving is a route, and letting go of the loop cancels the request")
    func leaving() {
        let tester = tester()

        tester.send(.ui(.leave))
        #expect(routes.routes == [.leave])
        tester.skipTheRest()
        #expect(stub.things.waitingCount == 0)
    }
}
