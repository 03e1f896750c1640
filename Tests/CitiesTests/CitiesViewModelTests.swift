import Feedback
import FeedbackTesting
import Fixtures
import Networking
import Testing

@testable import Cities

struct CitiesViewModelTests {
    private let stub = CitiesBusinessControllerStub()
    private let routes = Signal<CitiesViewModel.Route, NoError>.pipe()

    private func tester(
        _ initial: CitiesViewModel.State = CitiesViewModel.State()
    ) -> LoopTester<CitiesViewModel.State, CitiesViewModel.Event> {
        LoopTester(
            initial: initial, reduce: CitiesViewModel.reduce,
            feedbacks: CitiesViewModel.feedbacks(businessController: stub, routes: routes.input))
    }

    private func loaded(_ cities: [City] = [.fixture()]) -> CitiesViewModel.State {
        var state = CitiesViewModel.State()
        state.cities = cities
        state.loading = .idle
        return state
    }

    @Test("Loads the cities at once, and counts those that were left out")
    func loading() {
        let tester = tester()
        #expect(stub.cities.asked.count == 1)

        let response = CitiesResponse.fixture(skipped: [.fixture(index: 1), .fixture(index: 4)])
        stub.cities.answer(.success(response))
        tester.receive(.didLoad(response)) {
            $0.cities = [.fixture()]
            $0.leftOut = 2
            $0.loading = .idle
        }
        tester.finish()
    }

    @Test("A failed load keeps the cities that were there")
    func failure() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) { $0.loading = .underWay(attempt: 1) }
        stub.cities.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), attempt: 1) }
        #expect(tester.state.cities == [.fixture()])
        tester.finish()
    }

    @Test("Trying again counts the attempts, until one succeeds")
    func retry() {
        let tester = tester()

        stub.cities.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), attempt: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(attempt: 2) }
        stub.cities.answer(.success(.fixture()))
        tester.receive(.didLoad(.fixture())) {
            $0.cities = [.fixture()]
            $0.loading = .idle
        }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(attempt: 1) }
        tester.skipTheRest()
    }

    @Test("Two quick taps on refresh send one request")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) { $0.loading = .underWay(attempt: 1) }
        tester.send(.ui(.refresh))
        #expect(stub.cities.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("Choosing a city leads to its delivery, and changes nothing here")
    func choosing() {
        let log = RouteLog(routes.output)
        let tester = tester(loaded([.fixture(id: 1), .fixture(id: 2, name: "Paris")]))

        tester.send(.ui(.choose(2)))
        #expect(log.routes == [.deliver(.fixture(id: 2, name: "Paris"))])
        tester.finish()
    }

    @Test("A city that is gone leads nowhere")
    func choosingTheUnknown() {
        let log = RouteLog(routes.output)
        let tester = tester(loaded())

        tester.send(.ui(.choose(99)))
        #expect(log.routes.isEmpty)
        tester.finish()
    }

    @Test("Asking and leaving are routes", arguments: [CitiesViewModel.Action.ask, .leave])
    func routes(action: CitiesViewModel.Action) {
        let log = RouteLog(routes.output)
        let tester = tester(loaded())

        tester.send(.ui(action))
        #expect(log.routes == [action == .ask ? .ask : .leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the request")
    func cancellation() {
        var viewModel: CitiesViewModel? = CitiesViewModel(businessController: stub)
        #expect(stub.cities.running == 1)
        #expect(viewModel?.state.value.isLoading == true)
        viewModel = nil
        #expect(stub.cities.running == 0)
    }

    @Test("The reducer is pure: late answers to what is not asked for any more change no phase")
    func lateFailure() {
        var state = loaded()
        CitiesViewModel.reduce(&state, .didFail(.fixture()))
        #expect(state == loaded())
    }
}
