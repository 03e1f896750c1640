import Feedback
import Foundation

/// The requests of the library of animals.
public protocol AnimalsBusinessControllerProtocol: Sendable {
    /// Fetches categories and animals with one request.
    func fetchData() -> SignalProducer<AnimalsData, AnimalsError>
    /// Adds an animal. It can be tried again with the same key.
    func addAnimal(_ draft: AnimalDraft, key: UUID) -> SignalProducer<Animal, AnimalsError>
    func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError>
    /// Deletes an animal, and emits it as it was.
    func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError>
    func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError>
}

/// A business controller that uses a store.
public struct AnimalsBusinessController: AnimalsBusinessControllerProtocol {
    private let store: any AnimalsStore

    public init(store: any AnimalsStore) {
        self.store = store
    }

    public func fetchData() -> SignalProducer<AnimalsData, AnimalsError> {
        SignalProducer { [store] () async throws(AnimalsError) in try await store.fetchData() }
    }

    public func addAnimal(_ draft: AnimalDraft, key: UUID) -> SignalProducer<Animal, AnimalsError> {
        SignalProducer { [store] () async throws(AnimalsError) in try await store.addAnimal(draft, key: key) }
    }

    public func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError> {
        SignalProducer { [store] () async throws(AnimalsError) in try await store.updateAnimal(animal) }
    }

    public func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError> {
        SignalProducer { [store] () async throws(AnimalsError) in try await store.deleteAnimal(id) }
    }

    public func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError> {
        SignalProducer { [store] () async throws(AnimalsError) in try await store.reloadSampleData() }
    }
}
