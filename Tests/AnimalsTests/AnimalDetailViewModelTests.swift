import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import Animals

struct AnimalDetailViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = RouteLog<AnimalDetailViewModel.Route>()
    private let requester = AnimalsLibrary.Requester.screen(UUID())

    private func tester(
        _ library: LiveViewModel<AnimalsLibrary>
    ) -> LoopTester<AnimalDetailViewModel.State, AnimalDetailViewModel.Event> {
        let tester = LoopTester(
            AnimalDetailViewModel(animal: .fixture(), library: library, requester: requester), routes: routes)
        tester.receive(.didChangeAnimal(.fixture()))
        tester.receive(.didChangeCategories([.fixture()])) { $0.categories = [.fixture()] }
        tester.receive(.didChangeDeletion(.idle))
        return tester
    }

    @Test("Deleting is confirmed first, then done, and leads back")
    func deleting() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.delete)) { $0.deletion.ask() }
        #expect(stub.deletions.inputs.isEmpty)
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        tester.receive(.didChangeDeletion(.underWay()))
        #expect(stub.deletions.inputs == ["Cat"])
        stub.deletions.answer(.fixture())
        tester.receive(.didChangeAnimal(nil)) { $0.isGone = true }
        tester.receive(.didChangeDeletion(.done)) { $0.deletion.attempt = .done }
        #expect(routes.routes == [.leave])
        tester.receive(.didChangeDeletion(.idle)) { $0.deletion.attempt = .idle }
        tester.send(.ui(.confirm))
        #expect(stub.deletions.callCount == 1)
        tester.finish()
    }

    @Test("Without a confirmation the animal is kept")
    func keeping() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.confirm))
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.keep)) { $0.deletion.decline() }
        tester.send(.ui(.confirm))
        #expect(stub.deletions.inputs.isEmpty)
        tester.finish()
    }

    @Test("A failed deletion keeps the animal, and can be tried again; two quick taps ask once")
    func retry() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        tester.receive(.didChangeDeletion(.underWay()))
        tester.send(.ui(.confirm))
        #expect(stub.deletions.callCount == 1)
        stub.deletions.fail(.fixture())
        tester.receive(.didChangeDeletion(.failed(.fixture(), number: 1))) {
            $0.deletion.attempt = .failed(.fixture(), number: 1)
        }
        tester.send(.ui(.confirm)) { $0.deletion.attempt = .underWay(number: 2) }
        tester.receive(.didChangeDeletion(.underWay(number: 2)))
        #expect(stub.deletions.inputs == ["Cat", "Cat"])
        tester.skipTheRest()
    }

    @Test("Keeping the animal after a failed deletion forgets the failure, so that nothing is left to try again")
    func keepingAfterFailure() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        tester.receive(.didChangeDeletion(.underWay()))
        stub.deletions.fail(.fixture())
        tester.receive(.didChangeDeletion(.failed(.fixture(), number: 1))) {
            $0.deletion.attempt = .failed(.fixture(), number: 1)
        }
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.keep)) { $0.deletion = .init() }
        tester.receive(.didChangeDeletion(.idle))
        tester.send(.ui(.confirm))
        tester.send(.ui(.delete)) { $0.deletion.ask() }
        tester.send(.ui(.confirm)) { $0.deletion.confirm() }
        tester.receive(.didChangeDeletion(.underWay()))
        tester.finish()
    }

    @Test("An animal that was deleted elsewhere is shown as gone, and cannot be changed")
    func gone() {
        let library = stub.library(.fixture())
        let tester = tester(library)

        library.send(.perform(.fetch, for: .fetch))
        stub.fetches.answer(.fixture(animals: []))
        tester.receive(.didChangeAnimal(nil)) { $0.isGone = true }
        tester.send(.ui(.edit))
        tester.send(.ui(.delete))
        #expect(routes.routes.isEmpty && stub.deletions.inputs.isEmpty)
        tester.finish()
    }

    @Test("Shows the animal as it was changed elsewhere, and edits that one")
    func following() {
        let library = stub.library(.fixture())
        let tester = tester(library)

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: .screen(UUID())))
        stub.updates.answer(.fixture(name: "Wild cat"))
        tester.receive(.didChangeAnimal(.fixture(name: "Wild cat"))) { $0.animal.name = "Wild cat" }
        tester.send(.ui(.edit))
        tester.send(.ui(.leave))
        #expect(routes.routes == [.edit(.fixture(name: "Wild cat")), .leave])
        tester.finish()
    }
}
