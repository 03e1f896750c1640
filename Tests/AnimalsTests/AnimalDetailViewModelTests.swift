import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Animals

struct AnimalDetailViewModelTests {
    private let stub = AnimalsBusinessControllerStub()
    private let routes = Signal<AnimalDetailViewModel.Route, NoError>.pipe()
    private let ticket = AnimalsLibrary.Ticket.screen(UUID())

    private func tester(
        _ library: AnimalsLibrary
    ) -> LoopTester<AnimalDetailViewModel.State, AnimalDetailViewModel.Event> {
        let tester = LoopTester(
            initial: AnimalDetailViewModel.State(animal: .fixture()), reduce: AnimalDetailViewModel.reduce,
            feedbacks: AnimalDetailViewModel.feedbacks(
                animal: "Cat", ticket: ticket, library: library, routes: routes.input))
        tester.receive(.didChangeAnimal(.fixture()))
        tester.receive(.didChangeCategories([.fixture()])) { $0.categories = [.fixture()] }
        tester.receive(.didChangeDeletion(.empty))
        return tester
    }

    @Test("Deleting is confirmed first, then done, and leads back")
    func deleting() {
        let log = RouteLog(routes.output)
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.delete)) { $0.intent = .perhapsDelete }
        #expect(stub.deletions.asked.isEmpty)
        tester.send(.ui(.confirm)) { $0.intent = .delete }
        tester.receive(.didChangeDeletion(.waiting(attempt: 1))) { $0.deletion = .waiting(attempt: 1) }
        #expect(stub.deletions.asked == ["Cat"])
        stub.deletions.answer(.success(.fixture()))
        tester.receive(.didChangeAnimal(nil)) { $0.isGone = true }
        tester.receive(.didChangeDeletion(.success)) { $0.deletion = .success }
        #expect(log.routes == [.leave])
        tester.receive(.didChangeDeletion(.empty)) { $0.deletion = .empty }
        tester.send(.ui(.confirm))
        #expect(stub.deletions.asked.count == 1)
        tester.finish()
    }

    @Test("What is not confirmed is kept")
    func keeping() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.confirm))
        tester.send(.ui(.delete)) { $0.intent = .perhapsDelete }
        tester.send(.ui(.keep)) { $0.intent = .look }
        tester.send(.ui(.confirm))
        #expect(stub.deletions.asked.isEmpty)
        tester.finish()
    }

    @Test("A failed deletion keeps the animal, and can be tried again; two quick taps ask once")
    func retry() {
        let tester = tester(stub.library(.fixture()))

        tester.send(.ui(.delete)) { $0.intent = .perhapsDelete }
        tester.send(.ui(.confirm)) { $0.intent = .delete }
        tester.receive(.didChangeDeletion(.waiting(attempt: 1))) { $0.deletion = .waiting(attempt: 1) }
        tester.send(.ui(.confirm))
        #expect(stub.deletions.asked.count == 1)
        stub.deletions.answer(.failure(.fixture()))
        tester.receive(.didChangeDeletion(.failure(.fixture(), attempt: 1))) {
            $0.deletion = .failure(.fixture(), attempt: 1)
        }
        tester.send(.ui(.confirm))
        tester.receive(.didChangeDeletion(.waiting(attempt: 2))) { $0.deletion = .waiting(attempt: 2) }
        #expect(stub.deletions.asked == ["Cat", "Cat"])
        tester.skipTheRest()
    }

    @Test("An animal that somebody else has deleted is told as gone, and cannot be changed")
    func gone() {
        let log = RouteLog(routes.output)
        let library = stub.library(.fixture())
        let tester = tester(library)

        library.send(.perform(.fetch, for: .fetch))
        stub.fetches.answer(.success(.fixture(animals: [])))
        tester.receive(.didChangeAnimal(nil)) { $0.isGone = true }
        tester.send(.ui(.edit))
        tester.send(.ui(.delete))
        #expect(log.routes.isEmpty && stub.deletions.asked.isEmpty)
        tester.finish()
    }

    @Test("Shows the animal as it was changed elsewhere, which is what editing begins with")
    func following() {
        let log = RouteLog(routes.output)
        let library = stub.library(.fixture())
        let tester = tester(library)

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: .screen(UUID())))
        stub.updates.answer(.success(.fixture(name: "Wild cat")))
        tester.receive(.didChangeAnimal(.fixture(name: "Wild cat"))) { $0.animal.name = "Wild cat" }
        tester.send(.ui(.edit))
        tester.send(.ui(.leave))
        #expect(log.routes == [.edit(.fixture(name: "Wild cat")), .leave])
        tester.finish()
    }
}
