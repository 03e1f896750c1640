import Foundation

/// Keeps categories and animals, on this machine or on a server. Its users do not see which.
///
/// ```swift
/// let store: any AnimalsStore = isOffline ? try LocalStore(.file(path)) : RemoteStore(accessible: session)
/// let fox = try await store.addAnimal(AnimalDraft(name: "Fox", diet: .omnivorous, categoryId: "Mammal"))
/// ```
public protocol AnimalsStore: Sendable {
    func fetchCategories() async throws(AnimalsError) -> [Category]

    func fetchAnimals() async throws(AnimalsError) -> [Animal]

    /// Fetches categories and animals at once.
    func fetchData() async throws(AnimalsError) -> AnimalsData

    /// Adds an animal, and returns it with the id that it was given.
    ///
    /// An addition can be repeated if its answer was lost: the same key adds the same animal, with the values of the last
    /// draft.
    func addAnimal(_ draft: AnimalDraft, key: UUID) async throws(AnimalsError) -> Animal

    /// Replaces the animal that has this one's id.
    func updateAnimal(_ animal: Animal) async throws(AnimalsError) -> Animal

    /// Deletes an animal, and returns it as it was.
    func deleteAnimal(_ id: Animal.ID) async throws(AnimalsError) -> Animal

    /// Replaces everything by the sample data, and returns it.
    func reloadSampleData() async throws(AnimalsError) -> AnimalsData
}

extension AnimalsStore {
    /// Adds an animal that is not added again if the answer is lost.
    public func addAnimal(_ draft: AnimalDraft) async throws(AnimalsError) -> Animal {
        try await addAnimal(draft, key: UUID())
    }
}
