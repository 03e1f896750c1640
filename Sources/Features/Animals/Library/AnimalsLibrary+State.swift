import Presentation

extension AnimalsLibrary {
    public struct State: Equatable, Sendable {
        var categories: [Category.ID: Category] = [:]
        var animals: [Animal.ID: Animal] = [:]
        /// The animals of each category.
        var members: [Category.ID: Set<Animal.ID>] = [:]
        var lastChange = Change.nothing
        /// The requests that are not answered; the first one is under way.
        var queue = [Request(requester: .fetch, operation: .fetch)]
        var attempts: [Requester: Attempt<AnimalsError>] = [.fetch: .underWay()]

        func attempt(of requester: Requester) -> Attempt<AnimalsError> { attempts[requester] ?? .idle }

        var categoriesByName: [Category] {
            categories.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        }

        func animalsByName(in category: Category.ID) -> [Animal] {
            (members[category] ?? []).compactMap { animals[$0] }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        }
    }

    struct Request: Equatable, Sendable {
        var requester: Requester
        var operation: Operation
    }

    /// The part of the data that the last event has changed. Selections use it to decide in constant time if they must
    /// be computed again.
    enum Change: Equatable, Sendable {
        case nothing
        case everything
        /// The animals of these categories.
        case animals(in: Set<Category.ID>)

        func concerns(_ category: Category.ID) -> Bool {
            switch self {
            case .nothing: false
            case .everything: true
            case let .animals(categories): categories.contains(category)
            }
        }
    }
}

// MARK: - Reducer

extension AnimalsLibrary {
    public static func reduce(_ state: inout State, _ event: Event) {
        state.lastChange = .nothing
        switch event {
        case let .ui(.perform(operation, requester)):
            // A request whose attempt was forgotten may still be in the queue.
            guard !state.queue.contains(where: { $0.requester == requester }) else { return }
            state.attempts[requester, default: .idle].start()
            state.queue.append(Request(requester: requester, operation: operation))
        case let .ui(.forget(requester)):
            state.attempts[requester] = nil
        case let .didSucceed(requester, outcome):
            state.finish(requester) { $0 = .done }
            switch outcome {
            case let .data(data):
                state.replaceAll(by: data)
                // It is the data that a fetch failed to get.
                if state.attempt(of: .fetch).failure != nil { state.attempts[.fetch] = .done }
            case let .saved(animal): state.put(animal)
            case let .deleted(animal): state.remove(animal.id)
            }
        case let .didFail(requester, error):
            state.finish(requester) { $0.fail(error) }
            // The animal was deleted elsewhere.
            if case let .unknownAnimal(id) = error { state.remove(id) }
        }
    }
}

extension AnimalsLibrary.State {
    /// Removes a request from the queue, and changes its attempt, unless that was forgotten.
    fileprivate mutating func finish(
        _ requester: AnimalsLibrary.Requester, _ change: (inout Attempt<AnimalsError>) -> Void
    ) {
        queue.removeAll { $0.requester == requester }
        if var attempt = attempts[requester] {
            change(&attempt)
            attempts[requester] = attempt
        }
    }

    fileprivate mutating func replaceAll(by data: AnimalsData) {
        categories = Dictionary(data.categories.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        animals = Dictionary(data.animals.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        members = [:]
        for animal in animals.values { members[animal.categoryId, default: []].insert(animal.id) }
        lastChange = .everything
    }

    fileprivate mutating func put(_ animal: Animal) {
        remove(animal.id)
        animals[animal.id] = animal
        members[animal.categoryId, default: []].insert(animal.id)
        noteChange(of: animal.categoryId)
    }

    fileprivate mutating func remove(_ id: Animal.ID) {
        guard let animal = animals.removeValue(forKey: id) else { return }
        members[animal.categoryId]?.remove(id)
        noteChange(of: animal.categoryId)
    }

    private mutating func noteChange(of category: Category.ID) {
        switch lastChange {
        case .nothing: lastChange = .animals(in: [category])
        case .everything: break
        case let .animals(categories): lastChange = .animals(in: categories.union([category]))
        }
    }
}
