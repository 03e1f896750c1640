import Feedback
import FeedbackTesting
import Fixtures
import Testing

@testable import Animals

struct CategoryListViewModelTests {
    private typealias Shelf = AnimalsLibrary.Shelf

    private let stub = AnimalsBusinessControllerStub()
    private let routes = Signal<CategoryListViewModel.Route, NoError>.pipe()

    /// A tester that has heard of what the library has at the beginning.
    private func tester(
        _ library: AnimalsLibrary, shelves: [AnimalsLibrary.Shelf], fetching: AnimalsLibrary.Status
    ) -> LoopTester<CategoryListViewModel.State, CategoryListViewModel.Event> {
        let tester = LoopTester(
            initial: CategoryListViewModel.State(), reduce: CategoryListViewModel.reduce,
            feedbacks: CategoryListViewModel.feedbacks(library: library, routes: routes.input))
        tester.receive(.didChangeShelves(shelves)) { $0.shelves = shelves }
        tester.receive(.didChangeFetching(fetching)) { $0.fetching = fetching }
        tester.receive(.didChangeReloading(.empty))
        return tester
    }

    private let shelf = AnimalsLibrary.Shelf(category: .fixture(), count: 1)

    @Test("Shows what the library fetches when it is launched")
    func launch() {
        let library = stub.emptyLibrary()
        library.start()
        let tester = tester(library, shelves: [], fetching: .waiting(attempt: 1))

        stub.fetches.answer(.success(.fixture()))
        tester.receive(.didChangeShelves([shelf])) { $0.shelves = [shelf] }
        tester.receive(.didChangeFetching(.success)) { $0.fetching = .success }
        tester.finish()
    }

    @Test("A failed refresh keeps the list, and can be tried again")
    func retry() {
        let tester = tester(stub.library(.fixture()), shelves: [shelf], fetching: .success)

        tester.send(.ui(.refresh))
        tester.receive(.didChangeFetching(.waiting(attempt: 1))) { $0.fetching = .waiting(attempt: 1) }
        stub.fetches.answer(.failure(.fixture()))
        tester.receive(.didChangeFetching(.failure(.fixture(), attempt: 1))) {
            $0.fetching = .failure(.fixture(), attempt: 1)
        }
        #expect(tester.state.shelves == [shelf])
        tester.send(.ui(.refresh))
        tester.receive(.didChangeFetching(.waiting(attempt: 2))) { $0.fetching = .waiting(attempt: 2) }
        stub.fetches.answer(.success(.fixture()))
        tester.receive(.didChangeFetching(.success)) { $0.fetching = .success }
        tester.finish()
    }

    @Test("Two quick taps reload the sample data once")
    func doubleTap() {
        let tester = tester(stub.library(.fixture()), shelves: [shelf], fetching: .success)

        tester.send(.ui(.reloadSampleData))
        tester.receive(.didChangeReloading(.waiting(attempt: 1))) { $0.reloading = .waiting(attempt: 1) }
        tester.send(.ui(.reloadSampleData))
        #expect(stub.reloads.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("Choosing, adding and leaving are routes; what is not there leads nowhere")
    func routing() {
        let log = RouteLog(routes.output)
        let tester = tester(stub.library(.fixture()), shelves: [shelf], fetching: .success)

        for action in [CategoryListViewModel.Action.choose("Mammal"), .choose("Myth"), .add, .leave] {
            tester.send(.ui(action))
        }
        #expect(log.routes == [.open(.fixture()), .add, .leave])
        tester.finish()
    }
}
