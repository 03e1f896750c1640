import FeedbackTesting
import Fixtures
import Presentation
import Testing

@testable import Animals

struct CategoryListViewModelTests {
    private typealias CategorySummary = AnimalsLibrary.CategorySummary

    private let stub = AnimalsBusinessControllerStub()
    private let routes = RouteLog<CategoryListViewModel.Route>()

    /// A tester that has received the library's first values.
    private func tester(
        _ library: LiveViewModel<AnimalsLibrary>, summaries: [AnimalsLibrary.CategorySummary],
        fetching: Attempt<AnimalsError>
    ) -> LoopTester<CategoryListViewModel.State, CategoryListViewModel.Event> {
        let tester = LoopTester(CategoryListViewModel(library: library), routes: routes)
        tester.receive(.didChangeCategories(summaries)) { $0.categories = summaries }
        tester.receive(.didChangeFetching(fetching)) { $0.fetching = fetching }
        tester.receive(.didChangeReloading(.idle))
        return tester
    }

    private let summary = AnimalsLibrary.CategorySummary(category: .fixture(), count: 1)

    @Test("Shows what the library fetches when it is launched")
    func launch() {
        let library = stub.emptyLibrary()
        let tester = tester(library, summaries: [], fetching: .underWay())

        stub.fetches.answer(.fixture())
        tester.receive(.didChangeCategories([summary])) { $0.categories = [summary] }
        tester.receive(.didChangeFetching(.done)) { $0.fetching = .done }
        tester.finish()
    }

    @Test("A failed refresh keeps the list, and can be tried again")
    func retry() {
        let tester = tester(stub.library(.fixture()), summaries: [summary], fetching: .done)

        tester.send(.ui(.refresh))
        tester.receive(.didChangeFetching(.underWay())) { $0.fetching = .underWay() }
        stub.fetches.fail(.fixture())
        tester.receive(.didChangeFetching(.failed(.fixture(), number: 1))) {
            $0.fetching = .failed(.fixture(), number: 1)
        }
        #expect(tester.state.categories == [summary])
        tester.send(.ui(.refresh))
        tester.receive(.didChangeFetching(.underWay(number: 2))) { $0.fetching = .underWay(number: 2) }
        stub.fetches.answer(.fixture())
        tester.receive(.didChangeFetching(.done)) { $0.fetching = .done }
        tester.finish()
    }

    @Test("The error of a reload goes with the next refresh")
    func dismissedError() {
        let tester = tester(stub.library(.fixture()), summaries: [summary], fetching: .done)

        tester.send(.ui(.reloadSampleData))
        tester.receive(.didChangeReloading(.underWay())) { $0.reloading = .underWay() }
        stub.reloads.fail(.fixture())
        tester.receive(.didChangeReloading(.failed(.fixture(), number: 1))) {
            $0.reloading = .failed(.fixture(), number: 1)
        }
        tester.send(.ui(.refresh))
        tester.receive(.didChangeReloading(.idle)) { $0.reloading = .idle }
        tester.receive(.didChangeFetching(.underWay())) { $0.fetching = .underWay() }
        tester.skipTheRest()
    }

    @Test("The error of a refresh goes with a reload that succeeds, since it brings the same data")
    func errorAfterReload() {
        let library = stub.emptyLibrary()
        stub.fetches.fail(.fixture())
        let failed = Attempt<AnimalsError>.failed(.fixture(), number: 1)
        let tester = tester(library, summaries: [], fetching: failed)

        tester.send(.ui(.reloadSampleData))
        tester.receive(.didChangeReloading(.underWay())) { $0.reloading = .underWay() }
        stub.reloads.answer(.fixture())
        tester.receive(.didChangeCategories([summary])) { $0.categories = [summary] }
        tester.receive(.didChangeFetching(.done)) { $0.fetching = .done }
        tester.receive(.didChangeReloading(.done)) { $0.reloading = .done }
        tester.finish()
    }

    @Test("Two quick taps reload the sample data once")
    func doubleTap() {
        let tester = tester(stub.library(.fixture()), summaries: [summary], fetching: .done)

        tester.send(.ui(.reloadSampleData))
        tester.receive(.didChangeReloading(.underWay())) { $0.reloading = .underWay() }
        tester.send(.ui(.reloadSampleData))
        #expect(stub.reloads.callCount == 1)
        tester.skipTheRest()
    }

    @Test("Choosing, adding and leaving are routes; something that is gone leads nowhere")
    func routing() {
        let tester = tester(stub.library(.fixture()), summaries: [summary], fetching: .done)

        for action in [CategoryListViewModel.Action.choose("Mammal"), .choose("Myth"), .add, .leave] {
            tester.send(.ui(action))
        }
        #expect(routes.routes == [.open(.fixture()), .add, .leave])
        tester.finish()
    }
}
