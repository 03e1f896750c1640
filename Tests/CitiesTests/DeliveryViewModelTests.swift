import FeedbackTesting
import Fixtures
import Networking
import Presentation
import Testing

@testable import Cities

struct DeliveryViewModelTests {
    private typealias State = DeliveryViewModel.State

    private let stub = CitiesBusinessControllerStub()
    private let routes = RouteLog<DeliveryViewModel.Route>()

    private func tester(_ initial: DeliveryViewModel.State) -> LoopTester<
        DeliveryViewModel.State, DeliveryViewModel.Event
    > {
        LoopTester(
            DeliveryViewModel(city: .fixture(), businessController: stub), initial: initial, routes: routes)
    }

    private func filledIn() -> DeliveryViewModel.State {
        var state = State(city: .fixture())
        state.form = .fixture()
        return state
    }

    @Test("Typed text goes into the form, field by field")
    func editing() {
        let tester = tester(State(city: .fixture()))

        tester.send(.ui(.edit(.recipient, "Holmes"))) { $0.form.recipient = "Holmes" }
        tester.send(.ui(.edit(.street, "1 Street"))) { $0.form.street = "1 Street" }
        tester.send(.ui(.edit(.postalCode, "NW1"))) { $0.form.postalCode = "NW1" }
        tester.finish()
    }

    @Test("An incomplete form is not sent: its problems are shown")
    func incomplete() {
        let tester = tester(State(city: .fixture()))

        tester.send(.ui(.order)) { $0.showsProblems = true }
        #expect(stub.deliveries.inputs.isEmpty)
        tester.finish()
    }

    @Test("A complete form is ordered and confirmed")
    func ordering() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.ordering = .underWay() }
        #expect(stub.deliveries.inputs == [.fixture()])
        stub.deliveries.complete()
        tester.receive(.didOrder) { $0.ordering = .done }
        tester.finish()
    }

    @Test("Two quick taps on order send one request")
    func doubleTap() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.ordering = .underWay() }
        tester.send(.ui(.order))
        #expect(stub.deliveries.callCount == 1)
        tester.skipTheRest()
    }

    @Test("The form does not change while it is on its way, nor after")
    func frozen() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.ordering = .underWay() }
        tester.send(.ui(.edit(.street, "")))
        stub.deliveries.complete()
        tester.receive(.didOrder) { $0.ordering = .done }
        tester.send(.ui(.edit(.street, "")))
        tester.send(.ui(.order))
        tester.finish()
    }

    @Test("A failed order keeps the form, and can be tried again")
    func retry() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.ordering = .underWay() }
        stub.deliveries.fail(.fixture())
        tester.receive(.didFail(.fixture())) { $0.ordering = .failed(.fixture(), number: 1) }
        tester.send(.ui(.order)) { $0.ordering = .underWay(number: 2) }
        #expect(stub.deliveries.callCount == 2)
        stub.deliveries.complete()
        tester.receive(.didOrder) { $0.ordering = .done }
        tester.finish()
    }

    @Test("Leaving is a route")
    func leaving() {
        let tester = tester(filledIn())

        tester.send(.ui(.leave))
        #expect(routes.routes == [.leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the order")
    func cancellation() {
        var viewModel: LiveViewModel? = LiveViewModel(DeliveryViewModel(city: .fixture(), businessController: stub))
        for field in AddressForm.Field.allCases { viewModel?.send(.edit(field, AddressForm.fixture()[field])) }
        viewModel?.send(.order)
        #expect(stub.deliveries.waitingCount == 1)
        viewModel = nil
        #expect(stub.deliveries.waitingCount == 0)
    }
}
