import Foundation

extension AnimalsLibrary {
    /// Something to ask the store for.
    public enum Operation: Equatable, Sendable {
        case fetch
        case add(AnimalDraft)
        case update(Animal)
        case delete(Animal.ID)
        case reloadSampleData
    }

    /// On whose behalf something is done. Its status is kept under it.
    public enum Ticket: Hashable, Sendable {
        case fetch
        case reloadSampleData
        /// A screen that changes one animal.
        case screen(UUID)

        /// The same for each attempt of a screen, so that a repeated addition adds nothing twice.
        var key: UUID { if case let .screen(id) = self { id } else { UUID() } }
    }

    public enum Action: Equatable, Sendable {
        /// Asks the store for something; nothing happens while the ticket waits already.
        case perform(Operation, for: Ticket)
        /// Nobody is interested in the status of the ticket any more. What is under way for it goes on.
        case forget(Ticket)
    }

    /// How things stand with what was asked for.
    public enum Status: Equatable, Sendable {
        /// Nothing was asked for yet.
        case empty
        case waiting(attempt: Int)
        case success
        case failure(AnimalsError, attempt: Int)

        public var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    struct Task: Equatable, Sendable {
        var ticket: Ticket
        var operation: Operation
    }

    /// What the store answered.
    enum Outcome: Equatable, Sendable {
        case data(AnimalsData)
        case saved(Animal)
        case deleted(Animal)
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didSucceed(Ticket, Outcome)
        case didFail(Ticket, AnimalsError)

        func concerns(_ ticket: Ticket) -> Bool {
            switch self {
            case let .ui(.perform(_, other)), let .ui(.forget(other)): other == ticket
            case let .didSucceed(other, _), let .didFail(other, _): other == ticket
            }
        }
    }

    /// What the last event has changed of categories and animals, for selections to know in constant time.
    enum Touched: Equatable, Sendable {
        case nothing
        case everything
        /// The animals of these categories.
        case animals(in: Set<Category.ID>)

        func contains(_ category: Category.ID) -> Bool {
            switch self {
            case .nothing: false
            case .everything: true
            case let .animals(categories): categories.contains(category)
            }
        }
    }

    struct State: Equatable, Sendable {
        var categories: [Category.ID: Category] = [:]
        var animals: [Animal.ID: Animal] = [:]
        /// The animals of each category.
        var members: [Category.ID: Set<Animal.ID>] = [:]
        var touched = Touched.nothing
        /// What is to be done; the first of it is under way.
        var queue = [Task(ticket: .fetch, operation: .fetch)]
        var statuses: [Ticket: Status] = [.fetch: .waiting(attempt: 1)]

        func status(of ticket: Ticket) -> Status { statuses[ticket] ?? .empty }
    }
}

// MARK: - Reducer

extension AnimalsLibrary {
    static func reduce(_ state: inout State, _ event: Event) {
        state.touched = .nothing
        switch event {
        case let .ui(.perform(operation, ticket)):
            guard let attempt = state.nextAttempt(for: ticket) else { return }
            state.statuses[ticket] = .waiting(attempt: attempt)
            state.queue.append(Task(ticket: ticket, operation: operation))
        case let .ui(.forget(ticket)):
            state.statuses[ticket] = nil
        case let .didSucceed(ticket, outcome):
            state.finish(ticket, .success)
            switch outcome {
            case let .data(data): state.replaceAll(by: data)
            case let .saved(animal): state.put(animal)
            case let .deleted(animal): state.remove(animal.id)
            }
        case let .didFail(ticket, error):
            if case let .unknownAnimal(id) = error { state.remove(id) }
            guard case let .waiting(attempt) = state.status(of: ticket) else { return state.finish(ticket, .empty) }
            state.finish(ticket, .failure(error, attempt: attempt))
        }
    }
}

extension AnimalsLibrary.State {
    /// `nil` while the ticket waits.
    fileprivate func nextAttempt(for ticket: AnimalsLibrary.Ticket) -> Int? {
        switch status(of: ticket) {
        case .waiting: nil
        case .empty, .success: queue.contains { $0.ticket == ticket } ? nil : 1
        case let .failure(_, attempt): attempt + 1
        }
    }

    /// Goes on to the next task. The status of a ticket that was forgotten is not kept.
    fileprivate mutating func finish(_ ticket: AnimalsLibrary.Ticket, _ status: AnimalsLibrary.Status) {
        queue.removeAll { $0.ticket == ticket }
        if statuses[ticket] != nil { statuses[ticket] = status }
    }

    fileprivate mutating func replaceAll(by data: AnimalsData) {
        categories = Dictionary(data.categories.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        animals = Dictionary(data.animals.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        members = [:]
        for animal in animals.values { members[animal.categoryId, default: []].insert(animal.id) }
        touched = .everything
    }

    fileprivate mutating func put(_ animal: Animal) {
        remove(animal.id)
        animals[animal.id] = animal
        members[animal.categoryId, default: []].insert(animal.id)
        touch(animal.categoryId)
    }

    fileprivate mutating func remove(_ id: Animal.ID) {
        guard let animal = animals.removeValue(forKey: id) else { return }
        members[animal.categoryId]?.remove(id)
        touch(animal.categoryId)
    }

    private mutating func touch(_ category: Category.ID) {
        switch touched {
        case .nothing: touched = .animals(in: [category])
        case .everything: break
        case let .animals(categories): touched = .animals(in: categories.union([category]))
        }
    }
}
