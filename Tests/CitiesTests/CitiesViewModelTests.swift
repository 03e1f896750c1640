import FeedbackTesting
import Fixtures
import Networking
import Presentation
import Testing

@testable import Cities

struct CitiesViewModelTests {
    private let stub = CitiesBusinessControllerStub()
    private let routes = RouteLog<CitiesViewModel.Route>()

    private func tester(
        _ initial: CitiesViewModel.State? = nil
    ) -> LoopTester<CitiesViewModel.State, CitiesViewModel.Event> {
        LoopTester(CitiesViewModel(businessController: stub), initial: initial, routes: routes)
    }

    private func loaded(_ cities: [City] = [.fixture()]) -> CitiesViewModel.State {
        var state = CitiesViewModel.State()
        state.cities = cities
        state.loading = .done
        return state
    }

    @Test("Loads the cities at once, and counts those that were left out")
    func loading() {
        let tester = tester()
        #expect(stub.cities.callCount == 1)

        let response = CitiesResponse.fixture(skipped: [.fixture(index: 1), .fixture(index: 4)])
        stub.cities.answer(response)
        tester.receive(.didLoad(response)) {
            $0.cities = [.fixture()]
            $0.leftOut = 2
            $0.loading = .done
        }
        tester.finish()
    }

    @Test("A failed load keeps the cities that were there")
    func failure() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        stub.cities.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        #expect(tester.state.cities == [.fixture()])
        tester.finish()
    }

    @Test("Trying again counts the attempts, until one succeeds")
    func retry() {
        let tester = tester()

        stub.cities.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.loading = .failed(.fixture(), number: 1) }
        tester.send(.ui(.refresh)) { $0.loading = .underWay(number: 2) }
        stub.cities.answer(.fixture())
        tester.receive(.didLoad(.fixture())) {
            $0.cities = [.fixture()]
            $0.loading = .done
        }
        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        tester.skipTheRest()
    }

    @Test("Two quick taps on refresh send one request")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.refresh)) { $0.loading = .underWay() }
        tester.send(.ui(.refresh))
        #expect(stub.cities.callCount == 1)
        tester.skipTheRest()
    }

    @Test("Choosing a city leads to its delivery, and changes nothing here")
    func choosing() {
        let tester = tester(loaded([.fixture(), .fixture(number: 2, name: "Paris")]))

        tester.send(.ui(.choose(.number(2))))
        #expect(routes.routes == [.deliver(.fixture(number: 2, name: "Paris"))])
        tester.finish()
    }

    @Test(
        "Cities with the same name lead to their own deliveries",
        arguments: [
            City.fixture(number: nil, name: "Frankfurt", country: "US"),
            .fixture(number: nil, name: "Frankfurt", country: nil), .fixture(number: nil, name: "7", country: "DE"),
        ])
    func sameName(city: City) {
        let others: [City] = [
            .fixture(number: nil, name: "Frankfurt", country: "DE"), .fixture(number: 7, name: "Frankfurt"),
        ]
        let tester = tester(loaded(others + [city]))
        tester.send(.ui(.choose(city.id)))
        #expect(routes.routes == [.deliver(city)])
        tester.finish()
    }

    @Test("A city that is gone leads nowhere")
    func choosingTheUnknown() {
        let tester = tester(loaded())

        tester.send(.ui(.choose(.number(99))))
        #expect(routes.routes.isEmpty)
        tester.finish()
    }

    @Test("Asking and leaving are routes", arguments: [CitiesViewModel.Action.ask, .leave])
    func routes(action: CitiesViewModel.Action) {
        let tester = tester(loaded())

        tester.send(.ui(action))
        #expect(routes.routes == [action == .ask ? .ask : .leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the request")
    func cancellation() {
        var viewModel: LiveViewModel? = LiveViewModel(CitiesViewModel(businessController: stub))
        #expect(stub.cities.waitingCount == 1)
        #expect(viewModel?.state.value.loading.isUnderWay == true)
        viewModel = nil
        #expect(stub.cities.waitingCount == 0)
    }

    @Test("A failure that comes late changes nothing")
    func lateFailure() {
        var state = loaded()
        CitiesViewModel.reduce(&state, .didFail(.fixture()))
        #expect(state == loaded())
    }
}
