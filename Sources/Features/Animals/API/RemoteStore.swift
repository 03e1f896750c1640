import Foundation
import Networking

/// A store of categories and animals on a server, which is the source of truth.
public struct RemoteStore: AnimalsStore {
    private let accessible: any Accessible

    public init(accessible: any Accessible) {
        self.accessible = accessible
    }

    public func fetchCategories() async throws(AnimalsError) -> [Category] {
        try await answer(to: RemoteRequest(query: .categories)).categories()
    }

    public func fetchAnimals() async throws(AnimalsError) -> [Animal] {
        try await answer(to: RemoteRequest(query: .animals)).animals()
    }

    public func fetchData() async throws(AnimalsError) -> AnimalsData {
        let response = try await answer(to: RemoteRequest(query: [.categories, .animals]))
        return AnimalsData(categories: try response.categories(), animals: try response.animals())
    }

    public func addAnimal(_ draft: AnimalDraft, key: UUID) async throws(AnimalsError) -> Animal {
        let request = RemoteRequest(
            mutation: .addAnimal(name: draft.name, diet: draft.diet, categoryId: draft.categoryId))
        for case let .addAnimal(animal) in try await answer(to: request, key: key).mutation ?? [] { return animal }
        throw .animalNotFound
    }

    public func updateAnimal(_ animal: Animal) async throws(AnimalsError) -> Animal {
        let request = RemoteRequest(
            mutation: .updateAnimal(
                animalId: animal.animalId, name: animal.name, diet: animal.diet, categoryId: animal.categoryId))
        for case let .updateAnimal(animal) in try await answer(to: request).mutation ?? [] { return animal }
        throw .animalNotFound
    }

    public func deleteAnimal(_ id: Animal.ID) async throws(AnimalsError) -> Animal {
        let request = RemoteRequest(mutation: .deleteAnimal(animalId: id))
        for case let .deleteAnimal(animal) in try await answer(to: request).mutation ?? [] { return animal }
        throw .animalNotFound
    }

    public func reloadSampleData() async throws(AnimalsError) -> AnimalsData {
        let response = try await answer(to: RemoteRequest(mutation: .reloadSampleData))
        for case let .reloadSampleData(animals, categories) in response.mutation ?? [] {
            return AnimalsData(categories: categories, animals: animals)
        }
        throw .sampleDataNotFound
    }

    private func answer(to request: RemoteRequest, key: UUID? = nil) async throws(AnimalsError) -> RemoteResponse {
        do throws(CoreError) {
            return try await accessible.access(AnimalsService.requestAnswer(key: key), with: request)
        } catch {
            throw AnimalsError(error)
        }
    }
}

// MARK: - Reading answers

// Of several answers, the first one of the requested kind counts.
extension RemoteResponse {
    fileprivate func categories() throws(AnimalsError) -> [Category] {
        for case let .categories(categories) in query ?? [] { return categories }
        throw .categoriesNotFound
    }

    fileprivate func animals() throws(AnimalsError) -> [Animal] {
        for case let .animals(animals) in query ?? [] { return animals }
        throw .animalsNotFound
    }
}
