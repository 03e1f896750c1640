import Foundation

/// A store of categories and animals, on this machine or on a server.
///
/// ```swift
/// let store: any AnimalsStore = isOffline ? try LocalStore(.file(path)) : RemoteStore(accessible: session)
/// let fox = try await store.addAnimal(AnimalDraft(name: "Fox", diet: .omnivorous, categoryId: "Mammal"))
/// ```
public protocol AnimalsStore: Sendable {
    func fetchCategories() async throws(AnimalsError) -> [Category]

    func fetchAnimals() async throws(AnimalsError) -> [Animal]

    /// Fetches categories and animals together.
    func fetchData() async throws(AnimalsError) -> AnimalsData

    /// Adds an animal, and returns it with its new id.
    ///
    /// If the answer was lost, call it again with the same key: the animal is added only once, with the values of the
    /// last draft.
    func addAnimal(_ draft: AnimalDraft, key: UUID) async throws(AnimalsError) -> Animal

    /// Replaces the animal that has this one's id.
    func updateAnimal(_ animal: Animal) async throws(AnimalsError) -> Animal

    /// Deletes an animal, and returns it as it was.
    func deleteAnimal(_ id: Animal.ID) async throws(AnimalsError) -> Animal

    /// Replaces everything by the sample data, and returns it.
    func reloadSampleData() async throws(AnimalsError) -> AnimalsData
}

extension AnimalsStore {
    /// Adds an animal with a new key, for callers that do not repeat the call.
    public func addAnimal(_ draft: AnimalDraft) async throws(AnimalsError) -> Animal {
        try await addAnimal(draft, key: UUID())
    }
}
