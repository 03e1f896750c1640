import Feedback
import Fixtures
import Testing

@testable import Animals

/// What every store does, whatever it keeps the animals in.
struct AnimalsStoreTests {
    enum Kind: CaseIterable {
        case memory, local, remote
    }

    private func withStore(_ kind: Kind, _ body: (any AnimalsStore) async throws -> Void) async throws {
        switch kind {
        case .memory: try await body(MemoryDouble())
        case .local: try await body(LocalStore(.memory))
        case .remote: try await withServer { _, store in try await body(store()) }
        }
    }

    @Test("A new store has the sample data, each kind in the order of the ids", arguments: Kind.allCases)
    func sample(kind: Kind) async throws {
        try await withStore(kind) { store in
            let categories = try await store.fetchCategories().first()
            let animals = try await store.fetchAnimals().first()
            let data = try await store.fetchData().first()
            #expect(categories == AnimalsData.sample.categories)
            #expect(animals == AnimalsData.sample.animals)
            #expect(data == .sample)
        }
    }

    @Test("An animal that is added gets an id of its own, and is there", arguments: Kind.allCases)
    func adding(kind: Kind) async throws {
        try await withStore(kind) { store in
            let first = try #require(try await store.addAnimal(.fixture(name: "Füchsin \"F\" 🦊'; --")).first())
            let second = try #require(try await store.addAnimal(.fixture()).first())
            #expect(first.id != second.id)
            #expect(first == AnimalDraft.fixture(name: "Füchsin \"F\" 🦊'; --").animal(withId: first.id))
            let animals = try #require(try await store.fetchAnimals().first())
            #expect(Set(animals) == Set(AnimalsData.sample.animals + [first, second]))
        }
    }

    @Test("An update replaces all of the animal, and nothing else", arguments: Kind.allCases)
    func updating(kind: Kind) async throws {
        try await withStore(kind) { store in
            let changed = Animal.fixture(name: "Wild cat", diet: .omnivorous, categoryId: "Fish")
            #expect(try await store.updateAnimal(changed).first() == changed)
            let animals = try #require(try await store.fetchAnimals().first())
            #expect(animals == AnimalsData.sample.animals.map { $0.id == changed.id ? changed : $0 })
        }
    }

    @Test("A deleted animal is answered as it was, and is gone", arguments: Kind.allCases)
    func deleting(kind: Kind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.deleteAnimal("Cat").first() == .fixture())
            let animals = try #require(try await store.fetchAnimals().first())
            #expect(animals == AnimalsData.sample.animals.filter { $0.id != "Cat" })
        }
    }

    @Test("What is unknown is refused with its id, and nothing changes", arguments: Kind.allCases)
    func unknown(kind: Kind) async throws {
        try await withStore(kind) { store in
            await #expect(throws: AnimalsError.unknownAnimal("Yeti")) {
                try await store.updateAnimal(.fixture(animalId: "Yeti")).first()
            }
            await #expect(throws: AnimalsError.unknownAnimal("Yeti")) { try await store.deleteAnimal("Yeti").first() }
            await #expect(throws: AnimalsError.unknownCategory("Myth")) {
                try await store.addAnimal(.fixture(categoryId: "Myth")).first()
            }
            await #expect(throws: AnimalsError.unknownCategory("Myth")) {
                try await store.updateAnimal(.fixture(categoryId: "Myth")).first()
            }
            let data = try await store.fetchData().first()
            #expect(data == .sample)
        }
    }

    @Test("Reloading the sample data undoes everything", arguments: Kind.allCases)
    func reloading(kind: Kind) async throws {
        try await withStore(kind) { store in
            _ = try await store.deleteAnimal("Cat").first()
            _ = try await store.addAnimal(.fixture()).first()
            #expect(try await store.reloadSampleData().first() == .sample)
            let data = try await store.fetchData().first()
            #expect(data == .sample)
        }
    }

    @Test("Several queries and mutations are answered in order", arguments: Kind.allCases)
    func order(kind: Kind) async throws {
        try await withStore(kind) { store in
            let request = RemoteRequest(
                query: [.animals, .categories, .animals],
                mutation: [
                    .updateAnimal(animalId: "Cat", name: "A", diet: .omnivorous, categoryId: "Mammal"),
                    .updateAnimal(animalId: "Cat", name: "B", diet: .omnivorous, categoryId: "Mammal"),
                    .deleteAnimal(animalId: "Cat"),
                ])
            let sample = AnimalsData.sample
            let response = try await store.answer(request).first()
            #expect(
                response
                    == RemoteResponse(
                        query: [
                            .animals(animals: sample.animals), .categories(categories: sample.categories),
                            .animals(animals: sample.animals),
                        ],
                        mutation: [
                            .updateAnimal(animal: .fixture(name: "A", diet: .omnivorous)),
                            .updateAnimal(animal: .fixture(name: "B", diet: .omnivorous)),
                            .deleteAnimal(animal: .fixture(name: "B", diet: .omnivorous)),
                        ]))
        }
    }

    @Test("Of a list of mutations of which one fails none is kept", arguments: Kind.allCases)
    func allOrNothing(kind: Kind) async throws {
        try await withStore(kind) { store in
            let request = RemoteRequest(mutation: [
                .deleteAnimal(animalId: "Dog"), .addAnimal(name: "Fox", diet: .omnivorous, categoryId: "Mammal"),
                .reloadSampleData, .deleteAnimal(animalId: "Dog"), .deleteAnimal(animalId: "Dog"),
            ])
            await #expect(throws: AnimalsError.unknownAnimal("Dog")) { try await store.answer(request).first() }
            let data = try await store.fetchData().first()
            #expect(data == .sample)
        }
    }

    @Test("An empty request is answered by an empty answer", arguments: Kind.allCases)
    func empty(kind: Kind) async throws {
        try await withStore(kind) { store in
            let nothing = try await store.answer(RemoteRequest()).first()
            let lists = try await store.answer(RemoteRequest(query: [], mutation: [])).first()
            #expect(nothing == RemoteResponse())
            #expect(lists == RemoteResponse(query: [], mutation: []))
        }
    }

    @Test("Nothing is done before a producer is started, and anew with each start", arguments: Kind.allCases)
    func cold(kind: Kind) async throws {
        try await withStore(kind) { store in
            let adding = store.addAnimal(.fixture())
            #expect(try await store.fetchAnimals().first()?.count == 6)
            _ = try await adding.first()
            _ = try await adding.first()
            #expect(try await store.fetchAnimals().first()?.count == 8)
        }
    }
}
