import Feedback
import Foundation
import Presentation

/// The categories and animals that the app knows, and its requests to the store. All screens share one library.
///
/// ```swift
/// let library = LiveViewModel(AnimalsLibrary(businessController: controller))
/// let mammals = library.animals(in: "Mammal")
/// library.send(.perform(.delete("Cat"), for: .screen(id)))
/// ```
///
/// It fetches categories and animals as soon as it starts. Requests are performed one after the other, in the order in
/// which they were made, so no answer overtakes another one. A request continues after its screen was left.
///
/// It stores its data in dictionaries by id, and not in a `NormalizedCache`. The cache would replace only about thirty
/// lines: the three dictionaries and the changes of them, not the queue of requests and their attempts. The data would
/// then be in two places, the cache and this state, and a test of the reducer could no longer assert an answer and its
/// changes in one step. A cache makes sense if several requests fetch the same entities, page by page, and not all are
/// kept, as in the timeline. Here one request fetches everything, and everything is kept.
public struct AnimalsLibrary: ViewModel {
    public enum Action: Equatable, Sendable {
        /// Makes a request to the store. Does nothing while the same requester waits for an answer.
        case perform(Operation, for: Requester)
        /// Forgets the attempt of a requester that no longer needs it. A request that is under way continues.
        case forget(Requester)
    }

    /// An operation of the store.
    public enum Operation: Equatable, Sendable {
        case fetch
        case add(AnimalDraft)
        case update(Animal)
        case delete(Animal.ID)
        case reloadSampleData
    }

    /// The part of the app that makes a request and follows its attempt.
    public enum Requester: Hashable, Sendable {
        case fetch
        case reloadSampleData
        /// A screen that changes one animal.
        case screen(UUID)

        /// The key of an addition. It is the same for each attempt of a screen, so that a repeated addition adds
        /// nothing twice.
        var key: UUID { if case let .screen(id) = self { id } else { UUID() } }
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didSucceed(Requester, Outcome)
        case didFail(Requester, AnimalsError)

        func concerns(_ requester: Requester) -> Bool {
            switch self {
            case let .ui(.perform(_, other)), let .ui(.forget(other)): other == requester
            case let .didSucceed(other, .data): other == requester || requester == .fetch
            case let .didSucceed(other, _), let .didFail(other, _): other == requester
            }
        }
    }

    /// The store's answer.
    public enum Outcome: Equatable, Sendable {
        case data(AnimalsData)
        case saved(Animal)
        case deleted(Animal)
    }

    private let businessController: any AnimalsBusinessControllerProtocol
    /// Called for each list that is computed.
    fileprivate let onComputing: @Sendable () -> Void

    public init(businessController: any AnimalsBusinessControllerProtocol) {
        self.init(businessController: businessController, onComputing: {})
    }

    init(businessController: any AnimalsBusinessControllerProtocol, onComputing: @escaping @Sendable () -> Void) {
        self.businessController = businessController
        self.onComputing = onComputing
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenRequested(businessController)] }

    private static func whenRequested(
        _ businessController: any AnimalsBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.queue.first) { request in
            carryOut(request.operation, key: request.requester.key, by: businessController)
                .map { Event.didSucceed(request.requester, $0) }
                .replaceError { Event.didFail(request.requester, $0) }
        }
    }

    private static func carryOut(
        _ operation: Operation, key: UUID, by businessController: any AnimalsBusinessControllerProtocol
    ) -> SignalProducer<Outcome, AnimalsError> {
        switch operation {
        case .fetch: businessController.fetchData().map(Outcome.data)
        case let .add(draft): businessController.addAnimal(draft, key: key).map(Outcome.saved)
        case let .update(animal): businessController.updateAnimal(animal).map(Outcome.saved)
        case let .delete(id): businessController.deleteAnimal(id).map(Outcome.deleted)
        case .reloadSampleData: businessController.reloadSampleData().map(Outcome.data)
        }
    }
}

// MARK: - Selections

extension AnimalsLibrary {
    /// A category, and the number of its animals.
    public struct CategorySummary: Equatable, Sendable {
        public var category: Category
        public var count: Int

        public init(category: Category, count: Int) {
            self.category = category
            self.count = count
        }
    }
}

extension LiveViewModel where Model == AnimalsLibrary {
    /// The attempt of a requester.
    public func attempt(of requester: AnimalsLibrary.Requester) -> Property<Attempt<AnimalsError>> {
        select(where: { _, event in event.concerns(requester) }) { $0.attempt(of: requester) }
    }

    /// Returns all categories, sorted by name, with the numbers of their animals.
    public func summaries() -> Property<[AnimalsLibrary.CategorySummary]> {
        let onComputing = model.onComputing
        return select(where: { state, _ in state.lastChange != .nothing }) { state in
            onComputing()
            return state.categoriesByName.map { category in
                .init(category: category, count: state.members[category.id]?.count ?? 0)
            }
        }
    }

    /// Returns all categories, sorted by name.
    public func categories() -> Property<[Category]> {
        let onComputing = model.onComputing
        return select(where: { state, _ in state.lastChange == .everything }) { state in
            onComputing()
            return state.categoriesByName
        }
    }

    /// Returns the animals of a category, sorted by name. The list is computed again only if the category's animals
    /// have changed.
    public func animals(in category: Category.ID) -> Property<[Animal]> {
        let onComputing = model.onComputing
        return select(where: { state, _ in state.lastChange.concerns(category) }) { state in
            onComputing()
            return state.animalsByName(in: category)
        }
    }

    /// Returns an animal; `nil` if there is none with this id.
    public func animal(_ id: Animal.ID) -> Property<Animal?> {
        select(where: { state, _ in state.lastChange != .nothing }) { $0.animals[id] }
    }
}
