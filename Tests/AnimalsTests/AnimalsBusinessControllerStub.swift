import Feedback
import FeedbackTesting
import Foundation
import Presentation

@testable import Animals

/// A business controller that answers when the test says so.
struct AnimalsBusinessControllerStub: AnimalsBusinessControllerProtocol {
    let fetches = Stub<Void, AnimalsData, AnimalsError>()
    let additions = Stub<AnimalDraft, Animal, AnimalsError>()
    /// The keys of the additions, in order.
    let keys = MutableProperty<[UUID]>([])
    let updates = Stub<Animal, Animal, AnimalsError>()
    let deletions = Stub<Animal.ID, Animal, AnimalsError>()
    let reloads = Stub<Void, AnimalsData, AnimalsError>()

    func fetchData() -> SignalProducer<AnimalsData, AnimalsError> { fetches() }

    func addAnimal(_ draft: AnimalDraft, key: UUID) -> SignalProducer<Animal, AnimalsError> {
        keys.modify { $0.append(key) }
        return additions(draft)
    }

    func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError> { updates(animal) }
    func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError> { deletions(id) }
    func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError> { reloads() }

    /// The number of lists that the libraries of this controller have computed.
    let computations = MutableProperty(0)

    /// A library that waits for its first answer.
    func emptyLibrary() -> LiveViewModel<AnimalsLibrary> {
        LiveViewModel(
            AnimalsLibrary(businessController: self, onComputing: { [computations] in computations.modify { $0 += 1 } })
        )
    }

    /// A library that has loaded the data.
    func library(_ data: AnimalsData = .sample) -> LiveViewModel<AnimalsLibrary> {
        let library = emptyLibrary()
        fetches.answer(data)
        return library
    }
}
