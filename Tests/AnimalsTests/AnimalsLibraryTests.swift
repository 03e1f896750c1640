import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import Animals

struct AnimalsLibraryTests {
    private typealias Library = AnimalsLibrary

    private let stub = AnimalsBusinessControllerStub()
    private let requester = AnimalsLibrary.Requester.screen(UUID())

    private func tester(
        _ initial: AnimalsLibrary.State? = nil
    ) -> LoopTester<AnimalsLibrary.State, AnimalsLibrary.Event> {
        LoopTester(AnimalsLibrary(businessController: stub), initial: initial)
    }

    private func loaded(_ data: AnimalsData = .fixture()) -> AnimalsLibrary.State {
        var state = AnimalsLibrary.State()
        AnimalsLibrary.reduce(&state, .didSucceed(.fetch, .data(data)))
        state.lastChange = .nothing
        return state
    }

    @Test("Fetches categories and animals at once, by one request")
    func launch() {
        let tester = tester()
        #expect(stub.fetches.callCount == 1)

        stub.fetches.answer(.fixture())
        tester.receive(.didSucceed(.fetch, .data(.fixture()))) {
            $0.categories = ["Mammal": .fixture()]
            $0.animals = ["Cat": .fixture()]
            $0.members = ["Mammal": ["Cat"]]
            $0.lastChange = .everything
            $0.queue = []
            $0.attempts = [.fetch: .done]
        }
        tester.finish()
    }

    @Test("All attempts of one screen to add an animal have the same key, and those of another screen another one")
    func keys() {
        let library = stub.library(.fixture())
        for _ in 1...2 {
            library.send(.perform(.add(.fixture()), for: requester))
            stub.additions.fail(.fixture())
        }
        library.send(.perform(.add(.fixture()), for: .screen(UUID())))
        let keys = stub.keys.value
        #expect(keys.count == 3)
        #expect(keys.first == keys.dropFirst().first && keys.first != keys.last)
    }

    @Test("A failed operation changes no data, and trying again counts the attempts")
    func retry() {
        let tester = tester(loaded())
        let request = Library.Request(requester: requester, operation: .delete("Cat"))

        tester.send(.ui(.perform(.delete("Cat"), for: requester))) {
            $0.queue = [request]
            $0.attempts[requester] = .underWay()
        }
        stub.deletions.fail(.fixture())
        tester.receive(.didFail(requester, .fixture())) {
            $0.queue = []
            $0.attempts[requester] = .failed(.fixture(), number: 1)
        }
        tester.send(.ui(.perform(.delete("Cat"), for: requester))) {
            $0.queue = [request]
            $0.attempts[requester] = .underWay(number: 2)
        }
        stub.deletions.answer(.fixture())
        tester.receive(.didSucceed(requester, .deleted(.fixture()))) {
            $0.animals = [:]
            $0.members = ["Mammal": []]
            $0.lastChange = .animals(in: ["Mammal"])
            $0.queue = []
            $0.attempts[requester] = .done
        }
        tester.finish()
    }

    @Test("A second tap while waiting does nothing")
    func doubleTap() {
        let tester = tester(loaded())

        tester.send(.ui(.perform(.reloadSampleData, for: .reloadSampleData))) {
            $0.queue = [Library.Request(requester: .reloadSampleData, operation: .reloadSampleData)]
            $0.attempts[.reloadSampleData] = .underWay()
        }
        tester.send(.ui(.perform(.reloadSampleData, for: .reloadSampleData)))
        #expect(stub.reloads.callCount == 1)
        tester.skipTheRest()
    }

    @Test("Requests are carried out one after the other, in the order in which they were made")
    func order() {
        let library = stub.library(.fixture())
        let other = AnimalsLibrary.Requester.screen(UUID())

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: requester))
        library.send(.perform(.add(.fixture()), for: other))
        library.send(.perform(.fetch, for: .fetch))
        #expect(stub.updates.waitingCount == 1)
        #expect(stub.additions.inputs.isEmpty && stub.fetches.callCount == 1)
        #expect(library.attempt(of: other).value == .underWay())

        stub.updates.fail(.fixture())
        #expect(stub.additions.waitingCount == 1)
        #expect(stub.fetches.callCount == 1)
        stub.additions.answer(.fixture(animalId: "Fox"))
        #expect(stub.fetches.callCount == 2)
        #expect(library.animals(in: "Mammal").value.map(\.id) == ["Cat", "Fox"])
    }

    @Test("The attempt of a requester that was forgotten is not kept, but its change is")
    func forgetting() {
        let library = stub.library(.fixture())

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: requester))
        library.send(.forget(requester))
        #expect(library.attempt(of: requester).value == .idle)
        stub.updates.answer(.fixture(name: "Wild cat"))
        #expect(library.attempt(of: requester).value == .idle)
        #expect(library.animal("Cat").value?.name == "Wild cat")
        #expect(library.state.value.attempts.keys.sorted(by: { "\($0)" < "\($1)" }) == [.fetch])
    }

    @Test("An animal that the store does not know any more is removed from the list")
    func unknownAnimal() {
        let library = stub.library()
        let mammals = library.animals(in: "Mammal")

        library.send(.perform(.update(.fixture(name: "Wild cat")), for: requester))
        stub.updates.fail(.unknownAnimal("Cat"))
        #expect(mammals.value.map(\.name) == ["Dog", "Gibbon", "Kangaroo"])
        #expect(library.animal("Cat").value == nil)
        #expect(library.attempt(of: requester).value == .failed(.unknownAnimal("Cat"), number: 1))
    }

    @Test("An animal that changes its category leaves one list and joins the other")
    func moving() {
        let library = stub.library()
        let (mammals, fish) = (library.animals(in: "Mammal"), library.animals(in: "Fish"))

        library.send(.perform(.update(.fixture(categoryId: "Fish")), for: requester))
        stub.updates.answer(.fixture(categoryId: "Fish"))
        #expect(mammals.value.map(\.name) == ["Dog", "Gibbon", "Kangaroo"])
        #expect(fish.value.map(\.name) == ["Cat"])
        #expect(library.summaries().value.map(\.count) == [1, 1, 1, 0, 3, 0])
    }

    @Test("Reloading replaces all, and every list follows")
    func reloading() {
        let library = stub.library(.many(100))
        let (mammals, cat) = (library.animals(in: "Mammal"), library.animal("Cat"))
        #expect(cat.value == nil)

        library.send(.perform(.reloadSampleData, for: .reloadSampleData))
        stub.reloads.answer(.sample)
        #expect(mammals.value.map(\.name) == ["Cat", "Dog", "Gibbon", "Kangaroo"])
        #expect(cat.value == .fixture())
    }

    @Test("The same id twice, or an animal without a category, does no harm")
    func oddData() {
        let library = stub.library(
            .fixture(animals: [.fixture(), .fixture(name: "Cat again"), .fixture(animalId: "Yeti", categoryId: "Myth")])
        )
        #expect(library.animals(in: "Mammal").value.map(\.name) == ["Cat again"])
        #expect(library.summaries().value == [.init(category: .fixture(), count: 1)])
    }

    @Test("Letting go of the library cancels its request")
    func cancellation() {
        var library: LiveViewModel? = LiveViewModel(AnimalsLibrary(businessController: stub))
        #expect(stub.fetches.waitingCount == 1)
        #expect(library?.attempt(of: .fetch).value == .underWay())
        library = nil
        #expect(stub.fetches.waitingCount == 0)
    }
}
