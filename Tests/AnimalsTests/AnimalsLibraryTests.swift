import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Animals

struct AnimalsLibraryTests {
    private typealias Library = AnimalsLibrary

    private let stub = AnimalsBusinessControllerStub()
    private let ticket = AnimalsLibrary.Ticket.screen(UUID())

    private func tester(
        _ initial: AnimalsLibrary.State = AnimalsLibrary.State()
    ) -> LoopTester<AnimalsLibrary.State, AnimalsLibrary.Event> {
        LoopTester(
            initial: initial, reduce: AnimalsLibrary.reduce,
            feedbacks: AnimalsLibrary.feedbacks(businessController: stub))
    }

    private func loaded(_ data: AnimalsData = .fixture()) -> AnimalsLibrary.State {
        var state = AnimalsLibrary.State()
        AnimalsLibrary.reduce(&state, .didSucceed(.fetch, .data(data)))
        state.touched = .nothing
        return state
    }

    @Test("Fetches categories and animals at once, by one request")
    func launch() {
        let tester = tester()
        #expect(stub.fetches.asked.count == 1)

        stub.fetches.answer(.success(.fixture()))
        tester.receive(.didSucceed(.fetch, .data(.fixture()))) {
            $0.categories = ["Mammal": .fixture()]
            $0.animals = ["Cat": .fixture()]
            $0.members = ["Mammal": ["Cat"]]
            $0.touched = .everything
            $0.queue = []
            $0.statuses = [.fetch: .success]
        }
        tester.finish()
    }

    @Test("A failed operation changes no data, and trying again counts the attempts")
    func retry() {
        let tester = tester(loaded())
        let task = Library.Task(ticket: ticket, operation: .delete("Cat"))

        tester.send(.ui(.perform(.delete("Cat"), for: ticket))) {
            $0.queue = [task]
            $0.statuses[ticket] = .waiting(attempt: 1)
        }
        stub.deletions.answer(.failure(.fixture()))
        tester.receive(.didFail(ticket, .fixture())) {
            $0.queue = []
            $0.statuses[ticket] = .failure(.fixture(), attempt: 1)
        }
        tester.send(.ui(.perform(.delete("Cat"), for: ticket))) {
            $0.queue = [task]
            $0.statuses[ticket] = .waiting(attempt: 2)
        }
        stub.deletions.answer(.success(.fixture()))
        tester.receive(.didSucceed(ticket, .deleted(.fixture()))) {
            $0.animals = [:]
            $0.members = ["Mammal": []]
            $0.touched = .animals(in: ["Mammal"])
            $0.queue = []
            $0.statuses[ticket] = .success
        }
        tester.finish()
    }

    @Test("A second tap while waiting does nothing")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.perform(.reloadSampleData, for: .reloadSampleData))) {
            $0.queue = [Library.Task(ticket: .reloadSampleData, operation: .reloadSampleData)]
            $0.statuses[.reloadSampleData] = .waiting(attempt: 1)
        }
        tester.send(.ui(.perform(.reloadSampleData, for: .reloadSampleData)))
        #expect(stub.reloads.asked.count == 1)
        tester.skipTheRest()
    }

    @Test("An animal that the store does not find is removed from the lists", arguments: [true, false])
    func missing(isDeleting: Bool) {
        let library = stub.library(.fixture())
        let animals = library.animals(in: "Mammal")
        #expect(animals.value.count == 1)

        if isDeleting {
            library.send(.perform(.delete("Cat"), for: ticket))
            stub.deletions.answer(.failure(.unknownAnimal("Cat")))
        } else {
            library.send(.perform(.update(.fixture(name: "Wild cat")), for: ticket))
            stub.updates.answer(.failure(.unknownAnimal("Cat")))
        }
        #expect(animals.value.isEmpty)
        #expect(library.animal("Cat").value == nil)
        #expect(library.status(of: ticket).value == .failure(.unknownAnimal("Cat"), attempt: 1))
    }

    @Test("All attempts of one screen to add an animal have the same key, and those of another screen another one")
    func keys() {
        let library = stub.library(.fixture())
        for _ in 1...2 {
            library.send(.perform(.add(.fixture()), for: ticket))
            stub.additions.answer(.failure(.fixture()))
        }
        library.send(.perform(.add(.fixture()), for: .screen(UUID())))
        let keys = stub.keys.value
        #expect(keys.count == 3)
        #expect(keys[0] == keys[1] && keys[1] != keys[2])
    }

    @Test("What is asked for is done one after the other, in the order asked")
    func order() {
        let library = stub.library(.fixture())
        let other = AnimalsLibrary.Ticket.screen(UUID())

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: ticket))
        library.send(.perform(.add(.fixture()), for: other))
        library.send(.perform(.fetch, for: .fetch))
        #expect(stub.updates.running == 1)
        #expect(stub.additions.asked.isEmpty && stub.fetches.asked.count == 1)
        #expect(library.status(of: other).value == .waiting(attempt: 1))

        stub.updates.answer(.failure(.fixture()))
        #expect(stub.additions.running == 1)
        #expect(stub.fetches.asked.count == 1)
        stub.additions.answer(.success(.fixture(animalId: "Fox")))
        #expect(stub.fetches.asked.count == 2)
        #expect(library.animals(in: "Mammal").value.map(\.id) == ["Cat", "Fox"])
    }

    @Test("The status of a ticket that was forgotten is not kept, and its change is")
    func forgetting() {
        let library = stub.library(.fixture())

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: ticket))
        library.send(.forget(ticket))
        #expect(library.status(of: ticket).value == .empty)
        stub.updates.answer(.success(.fixture(name: "Wild cat")))
        #expect(library.status(of: ticket).value == .empty)
        #expect(library.animal("Cat").value?.name == "Wild cat")
        #expect(library.loop.state.statuses.keys.sorted(by: { "\($0)" < "\($1)" }) == [.fetch])
    }

    @Test("An animal that changes its category leaves one list and joins the other")
    func moving() {
        let library = stub.library()
        let (mammals, fish) = (library.animals(in: "Mammal"), library.animals(in: "Fish"))

        library.send(.perform(.update(.fixture(categoryId: "Fish")), for: ticket))
        stub.updates.answer(.success(.fixture(categoryId: "Fish")))
        #expect(mammals.value.map(\.name) == ["Dog", "Gibbon", "Kangaroo"])
        #expect(fish.value.map(\.name) == ["Cat"])
        #expect(library.shelves().value.map(\.count) == [1, 1, 1, 0, 3, 0])
    }

    @Test("Reloading replaces all, and every list follows")
    func reloading() {
        let library = stub.library(.many(100))
        let (mammals, cat) = (library.animals(in: "Mammal"), library.animal("Cat"))
        #expect(cat.value == nil)

        library.send(.perform(.reloadSampleData, for: .reloadSampleData))
        stub.reloads.answer(.success(.sample))
        #expect(mammals.value.map(\.name) == ["Cat", "Dog", "Gibbon", "Kangaroo"])
        #expect(cat.value == .fixture())
    }

    @Test("A server that sends the same id twice, or an animal without category, does no harm")
    func oddData() {
        let library = stub.library(
            .fixture(animals: [.fixture(), .fixture(name: "Cat again"), .fixture(animalId: "Yeti", categoryId: "Myth")])
        )
        #expect(library.animals(in: "Mammal").value.map(\.name) == ["Cat again"])
        #expect(library.shelves().value == [.init(category: .fixture(), count: 1)])
    }

    @Test("Letting go of the library cancels what it has asked for")
    func cancellation() {
        var library: AnimalsLibrary? = AnimalsLibrary(businessController: stub)
        library?.start()
        #expect(stub.fetches.running == 1)
        library = nil
        #expect(stub.fetches.running == 0)
    }
}
