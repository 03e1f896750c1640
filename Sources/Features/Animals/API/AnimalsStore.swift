import Feedback

/// Keeps categories and animals, on this machine or elsewhere: whoever uses one does not see which.
///
/// ```swift
/// let store: any AnimalsStore = isOffline ? try LocalStore(.file(path)) : RemoteStore(accessible: session)
/// store.addAnimal(AnimalDraft(name: "Fox", diet: .omnivorous, categoryId: "Mammal")).startWithResult { … }
/// ```
public protocol AnimalsStore: Sendable {
    /// Answers the queries, with what there is before the mutations, then carries out the mutations: all, or none if one
    /// of them fails. All other functions are made of this one.
    func answer(_ request: RemoteRequest) -> SignalProducer<RemoteResponse, AnimalsError>
}

extension AnimalsStore {
    // MARK: - Fetching

    public func fetchCategories() -> SignalProducer<[Category], AnimalsError> {
        answer(RemoteRequest(query: [.categories])).attemptMap { $0.categories }
    }

    public func fetchAnimals() -> SignalProducer<[Animal], AnimalsError> {
        answer(RemoteRequest(query: [.animals])).attemptMap { $0.animals }
    }

    /// Categories and animals, by one request.
    public func fetchData() -> SignalProducer<AnimalsData, AnimalsError> {
        answer(RemoteRequest(query: [.categories, .animals])).attemptMap { response in
            response.categories.flatMap { categories in
                response.animals.map { AnimalsData(categories: categories, animals: $0) }
            }
        }
    }

    // MARK: - Changing

    /// Adds an animal, and emits it with the id that it was given.
    public func addAnimal(_ draft: AnimalDraft) -> SignalProducer<Animal, AnimalsError> {
        perform(.addAnimal(name: draft.name, diet: draft.diet, categoryId: draft.categoryId)) { answer in
            if case let .addAnimal(animal) = answer { .success(animal) } else { .failure(.animalNotFound) }
        }
    }

    /// Replaces the animal that has this one's id.
    public func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError> {
        perform(
            .updateAnimal(
                animalId: animal.animalId, name: animal.name, diet: animal.diet, categoryId: animal.categoryId)
        ) { answer in
            if case let .updateAnimal(animal) = answer { .success(animal) } else { .failure(.animalNotFound) }
        }
    }

    /// Deletes an animal, and emits it as it was.
    public func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError> {
        perform(.deleteAnimal(animalId: id)) { answer in
            if case let .deleteAnimal(animal) = answer { .success(animal) } else { .failure(.animalNotFound) }
        }
    }

    /// Replaces all that there is by the sample data, and emits it.
    public func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError> {
        perform(.reloadSampleData) { answer in
            guard case let .reloadSampleData(animals, categories) = answer else { return .failure(.sampleDataNotFound) }
            return .success(AnimalsData(categories: categories, animals: animals))
        }
    }

    private func perform<Value: Sendable>(
        _ mutation: RemoteRequest.Mutation,
        _ read: @escaping @Sendable (RemoteResponse.Mutation?) -> Result<Value, AnimalsError>
    ) -> SignalProducer<Value, AnimalsError> {
        answer(RemoteRequest(mutation: [mutation])).attemptMap { read($0.mutation?.first) }
    }
}

// MARK: - Reading answers

extension RemoteResponse {
    fileprivate var categories: Result<[Category], AnimalsError> {
        for case let .categories(categories) in query ?? [] { return .success(categories) }
        return .failure(.categoriesNotFound)
    }

    fileprivate var animals: Result<[Animal], AnimalsError> {
        for case let .animals(animals) in query ?? [] { return .success(animals) }
        return .failure(.animalsNotFound)
    }
}
