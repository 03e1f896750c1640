import Feedback
import Foundation
import Presentation

/// The categories and animals as the app knows them, and what it is doing about them; all screens look at this one.
///
/// What is asked of the store is done one after the other, in the order asked: no answer overtakes a later one, and a
/// change goes on when the screen that asked for it is left. Letting go of the library cancels all.
public final class AnimalsLibrary: Sendable {
    let loop: FeedbackLoop<State, Event>
    /// Called for each list that is computed.
    private let onComputing: @Sendable () -> Void

    /// Fetches categories and animals as soon as it is started.
    public convenience init(businessController: any AnimalsBusinessControllerProtocol, log: EventLog = .silent) {
        self.init(businessController: businessController, log: log, onComputing: {})
    }

    init(
        businessController: any AnimalsBusinessControllerProtocol, log: EventLog = .silent,
        onComputing: @escaping @Sendable () -> Void
    ) {
        self.onComputing = onComputing
        loop = FeedbackLoop(
            initial: State(), reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(businessController: businessController))
    }

    /// Only the first call does anything.
    public func start() { loop.start() }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - Selections

extension AnimalsLibrary {
    /// A category, and how many animals it has.
    public struct Shelf: Equatable, Sendable {
        public var category: Category
        public var count: Int

        public init(category: Category, count: Int) {
            self.category = category
            self.count = count
        }
    }

    /// How things stand with a ticket.
    public func status(of ticket: Ticket) -> Property<Status> {
        loop.select(where: { _, event in event.concerns(ticket) }) { $0.status(of: ticket) }
    }

    /// All categories by name, with the number of their animals.
    public func shelves() -> Property<[Shelf]> {
        loop.select(where: { state, _ in state.touched != .nothing }) { [onComputing] state in
            onComputing()
            return Self.categories(of: state).map { category in
                Shelf(category: category, count: state.members[category.id]?.count ?? 0)
            }
        }
    }

    /// All categories by name.
    public func categories() -> Property<[Category]> {
        loop.select(where: { state, _ in state.touched == .everything }) { [onComputing] state in
            onComputing()
            return Self.categories(of: state)
        }
    }

    /// The animals of a category by name. It is computed anew only when one of them has changed.
    public func animals(in category: Category.ID) -> Property<[Animal]> {
        loop.select(where: { state, _ in state.touched.contains(category) }) { [onComputing] state in
            onComputing()
            return (state.members[category] ?? []).compactMap { state.animals[$0] }
                .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        }
    }

    /// An animal; `nil` when there is none, or none any more.
    public func animal(_ id: Animal.ID) -> Property<Animal?> {
        loop.select(where: { state, _ in state.touched != .nothing }) { $0.animals[id] }
    }

    private static func categories(of state: State) -> [Category] {
        state.categories.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}

// MARK: - Feedbacks

extension AnimalsLibrary {
    static func feedbacks(
        businessController: any AnimalsBusinessControllerProtocol
    ) -> [Feedback<State, Event>] {
        [whenWorking(businessController)]
    }

    private static func whenWorking(
        _ businessController: any AnimalsBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.queue.first) { task in
            carryOut(task.operation, key: task.ticket.key, by: businessController)
                .map { Event.didSucceed(task.ticket, $0) }
                .replaceError { Event.didFail(task.ticket, $0) }
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
