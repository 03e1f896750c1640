import Feedback
import FeedbackTesting
import Fixtures
import Networking
import Testing

@testable import Cities

struct DeliveryViewModelTests {
    private typealias State = DeliveryViewModel.State

    private let stub = CitiesBusinessControllerStub()
    private let routes = Signal<DeliveryViewModel.Route, NoError>.pipe()

    private func tester(_ initial: DeliveryViewModel.State) -> LoopTester<
        DeliveryViewModel.State, DeliveryViewModel.Event
    > {
        LoopTester(
            initial: initial, reduce: DeliveryViewModel.reduce,
            feedbacks: DeliveryViewModel.feedbacks(businessController: stub, routes: routes.input))
    }

    private func filledIn() -> DeliveryViewModel.State {
        var state = State(city: .fixture())
        state.form = .fixture()
        return state
    }

    @Test("What is typed goes into the form, field by field")
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
        #expect(stub.deliveries.asked.isEmpty)
        tester.finish()
    }

    @Test("A complete form is ordered and confirmed")
    func ordering() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.phase = .ordering(.fixture(), attempt: 1) }
        #expect(stub.deliveries.asked == [.fixture()])
        stub.deliveries.answer(.success(()))
        tester.receive(.didOrder) { $0.phase = .ordered(.fixture()) }
        tester.finish()
    }

    @Test("Two quick taps on order send one request")
    func doubleTap() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.phase = .ordering(.fixture(), attempt: 1) }
        tester.send(.ui(.order))
        #expect(stub.deliveries.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("The form does not change while it is on its way, nor after")
    func frozen() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.phase = .ordering(.fixture(), attempt: 1) }
        tester.send(.ui(.edit(.street, "")))
        stub.deliveries.answer(.success(()))
        tester.receive(.didOrder) { $0.phase = .ordered(.fixture()) }
        tester.send(.ui(.edit(.street, "")))
        tester.send(.ui(.order))
        tester.finish()
    }

    @Test("A failed order keeps the form, and can be tried again")
    func retry() {
        let tester = tester(filledIn())

        tester.send(.ui(.order)) { $0.phase = .ordering(.fixture(), attempt: 1) }
        stub.deliveries.answer(.failure(.fixture()))
        tester.receive(.didFail(.fixture())) { $0.phase = .failed(.fixture(), attempt: 1) }
        tester.send(.ui(.order)) { $0.phase = .ordering(.fixture(), attempt: 2) }
        #expect(stub.deliveries.asked.count == 2)
        stub.deliveries.answer(.success(()))
        tester.receive(.didOrder) { $0.phase = .ordered(.fixture()) }
        tester.finish()
    }

    @Test("Leaving is a route")
    func leaving() {
        let log = RouteLog(routes.output)
        let tester = tester(filledIn())

        tester.send(.ui(.leave))
        #expect(log.routes == [.leave])
        tester.finish()
    }

    @Test("Letting go of the view model cancels the order")
    func cancellation() {
        var viewModel: DeliveryViewModel? = DeliveryViewModel(city: .fixture(), businessController: stub)
        for field in AddressForm.Field.allCases { viewModel?.send(.edit(field, AddressForm.fixture()[field])) }
        viewModel?.send(.order)
        #expect(stub.deliveries.running == 1)
        viewModel = nil
        #expect(stub.deliveries.running == 0)
    }
}
