import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import Animals

/// The computations that an event causes, counted and not timed.
struct AnimalsFluencyTests {
    private let stub = AnimalsBusinessControllerStub()
    private let requester = AnimalsLibrary.Requester.screen(UUID())

    @Test("An edit computes the list of its category only, one event one time", .onOwnThread, arguments: [10, 10_000])
    func edit(count: Int) {
        let library = stub.library(.many(count))
        let watched = Dictionary(
            uniqueKeysWithValues: AnimalsData.sample.categories.map { ($0.id, Count(library.animals(in: $0.id))) })
        let summaries = Count(library.summaries())
        let loads = stub.computations.value

        let edited = Animal.fixture(animalId: "1", name: "A", categoryId: "Bird")
        library.send(.perform(.update(edited), for: requester))
        #expect(stub.computations.value == loads)
        stub.updates.answer(edited)

        // The list of birds, and the number of animals of each category.
        #expect(stub.computations.value == loads + 2)
        #expect(
            watched.mapValues(\.value) == [
                "Bird": 1, "Amphibian": 0, "Fish": 0, "Invertebrate": 0, "Mammal": 0, "Reptile": 0,
            ])
        #expect(summaries.value == 0)
        #expect(library.animals(in: "Bird").value.first == edited)
    }

    @Test(
        "Unrelated events compute nothing, with ten animals as with ten thousand", .onOwnThread,
        arguments: [10, 10_000])
    func unrelated(count: Int) {
        let library = stub.library(.many(count))
        let lists = AnimalsData.sample.categories.map { library.animals(in: $0.id) }
        let rest = (library.summaries(), library.categories(), library.animal("1"))
        let computations = stub.computations.value

        for _ in 0..<100 {
            library.send(.perform(.update(.fixture(animalId: "1")), for: requester))
            stub.updates.fail(.fixture())
            library.send(.forget(requester))
        }
        #expect(stub.computations.value == computations)
        withExtendedLifetime((lists, rest)) {}
    }

    @Test("A launch with ten thousand animals computes each list once", .onOwnThread)
    func launch() {
        let library = stub.emptyLibrary()
        let lists = AnimalsData.sample.categories.map { library.animals(in: $0.id) }
        let summaries = library.summaries()
        let before = stub.computations.value
        stub.fetches.answer(.many(10_000))
        #expect(stub.computations.value == before + 7)
        let counts = lists.map(\.value.count)
        #expect(counts.reduce(0, +) == 10_000)
        #expect(summaries.value.map(\.count) == counts)
    }

    @Test("A list screen hears nothing of animals in other categories", .onOwnThread)
    func screen() {
        let library = stub.library(.many(10_000))
        let viewModel = LiveViewModel(AnimalListViewModel(category: .fixture(), library: library))
        let changes = Count(viewModel.state)

        library.send(.perform(.update(.fixture(animalId: "1", categoryId: "Bird")), for: requester))
        stub.updates.answer(.fixture(animalId: "1", categoryId: "Bird"))
        #expect(changes.value == 0)
        #expect(viewModel.state.value.animals.count == 1_666)
    }
}

/// Counts the changes of a property.
private final class Count: Sendable {
    private let count = MutableProperty(0)
    private let property: any Sendable

    init<Value>(_ property: Property<Value>) {
        self.property = property
        property.signal.observeValues { [count] _ in count.modify { $0 += 1 } }
    }

    var value: Int { count.value }
}
