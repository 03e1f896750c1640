import Animals
import Feedback
import Foundation

/// A store in memory, as plain as it can be, to compare the others with.
final class MemoryDouble: AnimalsStore {
    fileprivate struct State {
        var data = AnimalsData.sample
        var additions: [UUID: Animal] = [:]
    }

    private let state = Locked(State())

    func fetchCategories() async -> [Category] { state.withLock { $0.data.categories.sorted { $0.id < $1.id } } }

    func fetchAnimals() async -> [Animal] { state.withLock { $0.data.animals.sorted { $0.id < $1.id } } }

    func fetchData() async -> AnimalsData {
        AnimalsData(categories: await fetchCategories(), animals: await fetchAnimals())
    }

    func addAnimal(_ draft: AnimalDraft, key: UUID) async throws(AnimalsError) -> Animal {
        try state.withLock { state throws(AnimalsError) in
            try state.check(category: draft.categoryId)
            guard let known = state.additions[key] else {
                let animal = draft.animal(withId: "new-\(state.additions.count)")
                state.additions[key] = animal
                state.data.animals.append(animal)
                return animal
            }
            let index = try state.index(of: known.id)
            if draft.animal(withId: known.id) != known {
                state.data.animals[index] = draft.animal(withId: known.id)
                state.additions[key] = state.data.animals[index]
            }
            return state.data.animals[index]
        }
    }

    func updateAnimal(_ animal: Animal) async throws(AnimalsError) -> Animal {
        try state.withLock { state throws(AnimalsError) in
            let index = try state.index(of: animal.id)
            try state.check(category: animal.categoryId)
            state.data.animals[index] = animal
            return animal
        }
    }

    func deleteAnimal(_ id: Animal.ID) async throws(AnimalsError) -> Animal {
        try state.withLock { state throws(AnimalsError) in state.data.animals.remove(at: try state.index(of: id)) }
    }

    func reloadSampleData() async -> AnimalsData {
        state.withLock { $0.data = .sample }
        return .sample
    }
}

extension MemoryDouble.State {
    fileprivate func index(of id: Animal.ID) throws(AnimalsError) -> Int {
        guard let index = data.animals.firstIndex(where: { $0.id == id }) else { throw .unknownAnimal(id) }
        return index
    }

    fileprivate func check(category id: Animals.Category.ID) throws(AnimalsError) {
        guard data.categories.contains(where: { $0.id == id }) else { throw .unknownCategory(id) }
    }
}
