import Feedback
import Foundation

@testable import Animals

/// A business controller that answers when the test says so, and remembers what it is asked for.
final class AnimalsBusinessControllerStub: AnimalsBusinessControllerProtocol {
    /// One kind of request, answered by hand.
    final class Requests<Asked: Sendable, Answer: Sendable>: Sendable {
        private struct State {
            var asked: [Asked] = []
            var running: [Int: Signal<Answer, AnimalsError>.Observer] = [:]
        }

        private let state = Locked(State())

        /// What was asked for, in order.
        var asked: [Asked] { state.withLock { $0.asked } }
        /// How many requests wait for their answer.
        var running: Int { state.withLock { $0.running.count } }

        func producer(_ asked: Asked) -> SignalProducer<Answer, AnimalsError> {
            SignalProducer { [self] observer, lifetime in
                let number = state.withLock { state in
                    state.asked.append(asked)
                    state.running[state.asked.count] = observer
                    return state.asked.count
                }
                lifetime.observeEnded { [self] in _ = state.withLock { $0.running.removeValue(forKey: number) } }
            }
        }

        /// Answers all that wait.
        func answer(_ result: Result<Answer, AnimalsError>) {
            for observer in state.withLock({ $0.running.values.map { $0 } }) {
                switch result {
                case let .success(answer):
                    observer.send(value: answer)
                    observer.sendCompleted()
                case let .failure(error):
                    observer.send(error: error)
                }
            }
        }
    }

    let fetches = Requests<Void, AnimalsData>()
    let additions = Requests<AnimalDraft, Animal>()
    let updates = Requests<Animal, Animal>()
    let deletions = Requests<Animal.ID, Animal>()
    let reloads = Requests<Void, AnimalsData>()

    func fetchData() -> SignalProducer<AnimalsData, AnimalsError> { fetches.producer(()) }
    /// The keys of the additions, in order.
    let keys = MutableProperty<[UUID]>([])

    func addAnimal(_ draft: AnimalDraft, key: UUID) -> SignalProducer<Animal, AnimalsError> {
        keys.modify { $0.append(key) }
        return additions.producer(draft)
    }
    func updateAnimal(_ animal: Animal) -> SignalProducer<Animal, AnimalsError> { updates.producer(animal) }
    func deleteAnimal(_ id: Animal.ID) -> SignalProducer<Animal, AnimalsError> { deletions.producer(id) }
    func reloadSampleData() -> SignalProducer<AnimalsData, AnimalsError> { reloads.producer(()) }

    /// How many lists the libraries of this controller have computed.
    let computations = MutableProperty(0)

    /// A library that asks this controller.
    func emptyLibrary() -> AnimalsLibrary {
        AnimalsLibrary(businessController: self) { [computations] in computations.modify { $0 += 1 } }
    }

    /// The same, with the data loaded.
    func library(_ data: AnimalsData = .sample) -> AnimalsLibrary {
        let library = emptyLibrary()
        library.start()
        fetches.answer(.success(data))
        return library
    }
}

/// Remembers the routes that a view model has asked for.
final class RouteLog<Route: Sendable>: Sendable {
    private let all = MutableProperty<[Route]>([])

    init(_ routes: Signal<Route, NoError>) {
        routes.observeValues { [all] route in all.modify { $0.append(route) } }
    }

    var routes: [Route] { all.value }
}
