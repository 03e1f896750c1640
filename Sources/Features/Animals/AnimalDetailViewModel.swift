import Feedback
import Foundation
import Presentation

/// One animal, which can be deleted, after a confirmation, or edited elsewhere.
public final class AnimalDetailViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(animal: Animal, library: AnimalsLibrary, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(animal: animal), reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(
                animal: animal.id, ticket: .screen(UUID()), library: library, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension AnimalDetailViewModel {
    public struct State: Equatable, Sendable {
        /// The animal as it was seen last.
        public var animal: Animal
        /// Whether it was deleted, here or by somebody else.
        public var isGone = false
        public var categories: [Category] = []
        public var intent = Intent.look
        public var deletion = AnimalsLibrary.Status.empty

        public enum Intent: Equatable, Sendable {
            case look
            /// Deleting is to be confirmed.
            case perhapsDelete
            case delete
        }

        public init(animal: Animal) {
            self.animal = animal
        }

        var canChange: Bool { !isGone && !deletion.isWaiting }
    }

    public enum Action: Equatable, Sendable {
        case edit
        case delete
        case confirm
        case keep
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didChangeAnimal(Animal?)
        case didChangeCategories([Category])
        case didChangeDeletion(AnimalsLibrary.Status)
    }

    public enum Route: Equatable, Sendable {
        case edit(Animal)
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.delete):
            if state.canChange { state.intent = .perhapsDelete }
        case .ui(.confirm):
            if state.intent == .perhapsDelete { state.intent = .delete }
        case .ui(.keep):
            if state.intent == .perhapsDelete { state.intent = .look }
        case .ui(.edit), .ui(.leave):
            break
        case let .didChangeAnimal(animal):
            state.isGone = animal == nil
            if let animal { state.animal = animal }
        case let .didChangeCategories(categories):
            state.categories = categories
        case let .didChangeDeletion(status):
            state.deletion = status
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.edit): state.canChange ? .edit(state.animal) : nil
        case .ui(.leave), .didChangeDeletion(.success): .leave
        default: nil
        }
    }

    static func request(
        _ event: Event, _ state: State, for ticket: AnimalsLibrary.Ticket
    ) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.confirm):
            state.intent == .delete && state.canChange ? .perform(.delete(state.animal.id), for: ticket) : nil
        case .ui(.leave), .didChangeDeletion(.success): .forget(ticket)
        default: nil
        }
    }
}

// MARK: - Feedbacks

extension AnimalDetailViewModel {
    static func feedbacks(
        animal: Animal.ID, ticket: AnimalsLibrary.Ticket, library: AnimalsLibrary,
        routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [
            Feedback(source: library.animal(animal), as: Event.didChangeAnimal),
            Feedback(source: library.categories(), as: Event.didChangeCategories),
            Feedback(source: library.status(of: ticket), as: Event.didChangeDeletion),
            .asking(library) { request($0, $1, for: ticket) },
            .routing(to: routes, route),
        ]
    }
}
