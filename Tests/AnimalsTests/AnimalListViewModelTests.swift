import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Animals

struct AnimalListViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = Signal<AnimalListViewModel.Route, NoError>.pipe()

    private func tester(
        _ library: AnimalsLibrary, animals: [Animal]
    ) -> LoopTester<AnimalListViewModel.State, AnimalListViewModel.Event> {
        let tester = LoopTester(
            initial: AnimalListViewModel.State(category: .fixture()), reduce: AnimalListViewModel.reduce,
            feedbacks: AnimalListViewModel.feedbacks(category: "Mammal", library: library, routes: routes.input))
        tester.receive(.didChangeAnimals(animals)) { $0.animals = animals }
        return tester
    }

    @Test("Shows the animals of its category by name, and follows their changes only")
    func following() {
        let library = stub.library()
        let mammals = AnimalsData.sample.animals.filter { $0.categoryId == "Mammal" }
        let tester = tester(library, animals: mammals)

        library.send(.perform(.delete("Newt"), for: .screen(UUID())))
        stub.deletions.answer(.success(.fixture(animalId: "Newt", categoryId: "Amphibian")))
        library.send(.perform(.delete("Cat"), for: .screen(UUID())))
        stub.deletions.answer(.success(.fixture()))
        tester.receive(.didChangeAnimals(Array(mammals.dropFirst()))) { $0.animals.removeFirst() }
        tester.finish()
    }

    @Test("Choosing, adding and leaving are routes; what is not there leads nowhere")
    func routing() {
        let log = RouteLog(routes.output)
        let tester = tester(stub.library(.fixture()), animals: [.fixture()])

        for action in [AnimalListViewModel.Action.choose("Cat"), .choose("Yeti"), .add, .leave] {
            tester.send(.ui(action))
        }
        #expect(log.routes == [.open(.fixture()), .add(.fixture()), .leave])
        tester.finish()
    }
}
