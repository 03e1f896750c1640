import Animals
import Feedback

/// A store without database and server, to hold the others against: the plainest code that does what it should.
final class MemoryDouble: AnimalsStore {
    private struct State {
        var data: AnimalsData
        var lastNumber = 0
    }

    private let state: Locked<State>

    init(_ data: AnimalsData = .sample) {
        state = Locked(State(data: data))
    }

    func answer(_ request: RemoteRequest) -> SignalProducer<RemoteResponse, AnimalsError> {
        SignalProducer { [self] () -> Result<RemoteResponse, AnimalsError> in
            state.withLock { state in
                var copy = state
                let result = Self.answer(request, &copy)
                if case .success = result { state = copy }
                return result
            }
        }
    }

    private static func answer(_ request: RemoteRequest, _ state: inout State) -> Result<RemoteResponse, AnimalsError> {
        let data = state.data
        var response = RemoteResponse(
            query: request.query?.map { query in
                switch query {
                case .animals: .animals(animals: data.animals.sorted { $0.id < $1.id })
                case .categories: .categories(categories: data.categories.sorted { $0.id < $1.id })
                }
            })
        do throws(AnimalsError) {
            guard let mutations = request.mutation else { return .success(response) }
            var answers: [RemoteResponse.Mutation] = []
            for mutation in mutations { answers.append(try perform(mutation, &state)) }
            response.mutation = answers
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private static func perform(
        _ mutation: RemoteRequest.Mutation, _ state: inout State
    ) throws(AnimalsError) -> RemoteResponse.Mutation {
        switch mutation {
        case let .addAnimal(name, diet, categoryId):
            guard state.data.categories.contains(where: { $0.id == categoryId }) else {
                throw .unknownCategory(categoryId)
            }
            state.lastNumber += 1
            let animal = Animal(animalId: "new-\(state.lastNumber)", name: name, diet: diet, categoryId: categoryId)
            state.data.animals.append(animal)
            return .addAnimal(animal: animal)
        case let .updateAnimal(animalId, name, diet, categoryId):
            guard let index = state.data.animals.firstIndex(where: { $0.id == animalId }) else {
                throw .unknownAnimal(animalId)
            }
            guard state.data.categories.contains(where: { $0.id == categoryId }) else {
                throw .unknownCategory(categoryId)
            }
            let animal = Animal(animalId: animalId, name: name, diet: diet, categoryId: categoryId)
            state.data.animals[index] = animal
            return .updateAnimal(animal: animal)
        case let .deleteAnimal(animalId):
            guard let index = state.data.animals.firstIndex(where: { $0.id == animalId }) else {
                throw .unknownAnimal(animalId)
            }
            return .deleteAnimal(animal: state.data.animals.remove(at: index))
        case .reloadSampleData:
            state.data = .sample
            return .reloadSampleData(animals: state.data.animals, categories: state.data.categories)
        }
    }
}
