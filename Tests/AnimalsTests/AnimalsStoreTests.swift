import Feedback
import Fixtures
import Foundation
import Persistence
import Testing

@testable import Animals

/// The behaviour that all stores have in common.
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
            let categories = try await store.fetchCategories()
            let animals = try await store.fetchAnimals()
            let data = try await store.fetchData()
            #expect(categories == AnimalsData.sample.categories)
            #expect(animals == AnimalsData.sample.animals)
            #expect(data == .sample)
        }
    }

    @Test("An animal that is added gets an id of its own", arguments: Kind.allCases)
    func adding(kind: Kind) async throws {
        try await withStore(kind) { store in
            let first = try await store.addAnimal(.fixture(name: "Füchsin \"F\" 🦊'; --"))
            let second = try await store.addAnimal(.fixture())
            #expect(first.id != second.id)
            #expect(first == AnimalDraft.fixture(name: "Füchsin \"F\" 🦊'; --").animal(withId: first.id))
            let animals = try await store.fetchAnimals()
            #expect(Set(animals) == Set(AnimalsData.sample.animals + [first, second]))
        }
    }

    @Test("An update replaces all of the animal, and nothing else", arguments: Kind.allCases)
    func updating(kind: Kind) async throws {
        try await withStore(kind) { store in
            let changed = Animal.fixture(name: "Wild cat", diet: .omnivorous, categoryId: "Fish")
            #expect(try await store.updateAnimal(changed) == changed)
            let animals = try await store.fetchAnimals()
            #expect(animals == AnimalsData.sample.animals.map { $0.id == changed.id ? changed : $0 })
        }
    }

    @Test("Additions older than a week are forgotten when another animal is added, and newer ones are not")
    func oldAdditions() async throws {
        let database = try SQLiteDatabase(.memory)
        let additions = try SQLiteStore(Addition.schema, in: database)
        let store = try LocalStore(
            animals: SQLiteStore(Animal.schema, in: database), categories: SQLiteStore(Category.schema, in: database),
            additions: additions)
        for (key, days) in [("old", 8.0), ("new", 6.0)] {
            let addition = Addition(id: key, animal: .fixture(), time: .now - days * 86_400)
            _ = try await additions.insert([addition]).first()
        }
        let key = UUID()
        _ = try await store.addAnimal(.fixture(), key: key)
        let kept = try await additions.all().result().value().map(\.id)
        #expect(Set(kept) == ["new", key.uuidString])
    }

    @Test("A deleted animal is answered as it was, and is gone", arguments: Kind.allCases)
    func deleting(kind: Kind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.deleteAnimal("Cat") == .fixture())
            let animals = try await store.fetchAnimals()
            #expect(animals == AnimalsData.sample.animals.filter { $0.id != "Cat" })
        }
    }

    @Test("Unknown ids are refused, and nothing changes", arguments: Kind.allCases)
    func unknown(kind: Kind) async throws {
        try await withStore(kind) { store in
            await #expect(throws: AnimalsError.unknownAnimal("Yeti")) {
                try await store.updateAnimal(.fixture(animalId: "Yeti"))
            }
            await #expect(throws: AnimalsError.unknownAnimal("Yeti")) { try await store.deleteAnimal("Yeti") }
            await #expect(throws: AnimalsError.unknownCategory("Myth")) {
                try await store.addAnimal(.fixture(categoryId: "Myth"))
            }
            await #expect(throws: AnimalsError.unknownCategory("Myth")) {
                try await store.updateAnimal(.fixture(categoryId: "Myth"))
            }
            let data = try await store.fetchData()
            #expect(data == .sample)
        }
    }

    @Test("Reloading the sample data undoes everything", arguments: Kind.allCases)
    func reloading(kind: Kind) async throws {
        try await withStore(kind) { store in
            _ = try await store.deleteAnimal("Cat")
            _ = try await store.addAnimal(.fixture())
            #expect(try await store.reloadSampleData() == .sample)
            let data = try await store.fetchData()
            #expect(data == .sample)
        }
    }

    @Test("An addition that is repeated with its key adds one animal, as it was drafted last", arguments: Kind.allCases)
    func repeatedAddition(kind: Kind) async throws {
        try await withStore(kind) { store in
            let key = UUID()
            let fox = try await store.addAnimal(.fixture(), key: key)
            #expect(try await store.addAnimal(.fixture(), key: key) == fox)
            let renamed = AnimalDraft.fixture(name: "Arctic fox").animal(withId: fox.id)
            #expect(try await store.addAnimal(.fixture(name: "Arctic fox"), key: key) == renamed)
            #expect(try await store.fetchAnimals().count == 7)
            // A repetition that arrives late does not undo what has happened since.
            let edited = AnimalDraft.fixture(name: "Red fox").animal(withId: fox.id)
            _ = try await store.updateAnimal(edited)
            #expect(try await store.addAnimal(.fixture(name: "Arctic fox"), key: key) == edited)
            _ = try await store.deleteAnimal(fox.id)
            await #expect(throws: AnimalsError.unknownAnimal(fox.id)) {
                try await store.addAnimal(.fixture(name: "Arctic fox"), key: key)
            }
            #expect(try await store.fetchData() == .sample)
        }
    }
}
