import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import Animals

struct AnimalListViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = RouteLog<AnimalListViewModel.Route>()

    private func tester(
        _ library: LiveViewModel<AnimalsLibrary>, animals: [Animal]
    ) -> LoopTester<AnimalListViewModel.State, AnimalListViewModel.Event> {
        let tester = LoopTester(AnimalListViewModel(category: .fixture(), library: library), routes: routes)
        tester.receive(.didChangeAnimals(animals)) { $0.animals = animals }
        return tester
    }

    @Test("Shows the animals of its category by name, and follows their changes only")
    func following() {
        let library = stub.library()
        let mammals = AnimalsData.sample.animals.filter { $0.categoryId == "Mammal" }
        let tester = tester(library, animals: mammals)

        library.send(.perform(.delete("Newt"), for: .screen(UUID())))
        stub.deletions.answer(.fixture(animalId: "Newt", categoryId: "Amphibian"))
        library.send(.perform(.delete("Cat"), for: .screen(UUID())))
        stub.deletions.answer(.fixture())
        tester.receive(.didChangeAnimals(Array(mammals.dropFirst()))) { $0.animals.removeFirst() }
        tester.finish()
    }

    @Test("Choosing, adding and leaving are routes; something that is gone leads nowhere")
    func routing() {
        let tester = tester(stub.library(.fixture()), animals: [.fixture()])

        for action in [AnimalListViewModel.Action.choose("Cat"), .choose("Yeti"), .add, .leave] {
            tester.send(.ui(action))
        }
        #expect(routes.routes == [.open(.fixture()), .add(.fixture()), .leave])
        tester.finish()
    }
}
