import Feedback

/// What the library of animals needs to have done.
public protocol AnimalsBusinessControllerProtocol: Sendable {
    /// Categories and animals, by one request.
    func fetchData() -> SignalProducer<AnimalsData, AnimalsError>
    func addAnimal(_ draft: AnimalDraft) -> SignalProducer<Animal, AnimalsError>
    func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError>
    /// Emits the animal as it was.
    func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError>
    func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError>
}

/// Has it done by a store, away from the thread that asks.
public struct AnimalsBusinessController: AnimalsBusinessControllerProtocol {
    private let store: any AnimalsStore
    private let scheduler: any Scheduler

    /// - Parameter scheduler: Where the store works, as reading a database takes its time.
    public init(store: any AnimalsStore, scheduler: any Scheduler = QueueScheduler(name: "Animals.store")) {
        self.store = store
        self.scheduler = scheduler
    }

    public func fetchData() -> SignalProducer<AnimalsData, AnimalsError> {
        store.fetchData().start(on: scheduler)
    }

    public func addAnimal(_ draft: AnimalDraft) -> SignalProducer<Animal, AnimalsError> {
        store.addAnimal(draft).start(on: scheduler)
    }

    public func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError> {
        store.updateAnimal(animal).start(on: scheduler)
    }

    public func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError> {
        store.deleteAnimal(id).start(on: scheduler)
    }

    public func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError> {
        store.reloadSampleData().start(on: scheduler)
    }
}
