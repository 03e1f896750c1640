import Feedback
import Foundation
import Presentation

/// The screen of one animal, which can be deleted after a confirmation, or edited on another screen.
public struct AnimalDetailViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        /// The last known version of the animal.
        public var animal: Animal
        /// `true` if the animal was deleted, here or elsewhere.
        public var isGone = false
        public var categories: [Category] = []
        public var deletion = Confirmed<AnimalsError>()

        public init(animal: Animal) {
            self.animal = animal
        }

        var canChange: Bool { !isGone && deletion.isPossible }
    }

    public enum Action: Equatable, Sendable {
        case edit
        case delete
        case confirm
        case keep
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChangeAnimal(Animal?)
        case didChangeCategories([Category])
        case didChangeDeletion(Attempt<AnimalsError>)
    }

    public enum Route: Equatable, Sendable {
        case edit(Animal)
        case leave
    }

    public let initial: State
    private let library: LiveViewModel<AnimalsLibrary>
    private let requester: AnimalsLibrary.Requester

    public init(animal: Animal, library: LiveViewModel<AnimalsLibrary>) {
        self.init(animal: animal, library: library, requester: .screen(UUID()))
    }

    init(animal: Animal, library: LiveViewModel<AnimalsLibrary>, requester: AnimalsLibrary.Requester) {
        initial = State(animal: animal)
        self.library = library
        self.requester = requester
    }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: library.animal(initial.animal.id), as: Event.didChangeAnimal),
            Feedback(source: library.categories(), as: Event.didChangeCategories),
            Feedback(source: library.attempt(of: requester), as: Event.didChangeDeletion),
            .onEvent { [library, requester] in Self.request($0, $1, for: requester).map(library.send) },
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.delete):
            if state.canChange { state.deletion.ask() }
        case .ui(.confirm):
            if state.canChange { state.deletion.confirm() }
        case .ui(.keep):
            state.deletion.decline()
        case .ui(.edit), .ui(.leave):
            break
        case let .didChangeAnimal(animal):
            state.isGone = animal == nil
            if let animal { state.animal = animal }
        case let .didChangeCategories(categories):
            state.categories = categories
        case let .didChangeDeletion(attempt):
            state.deletion.attempt = attempt
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.edit): state.canChange ? .edit(state.animal) : nil
        case .ui(.leave), .didChangeDeletion(.done): .leave
        default: nil
        }
    }

    static func request(
        _ event: Event, _ state: State, for requester: AnimalsLibrary.Requester
    ) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.confirm):
            // The library ignores the second of two quick taps.
            !state.isGone && state.deletion.attempt.isUnderWay
                ? .perform(.delete(state.animal.id), for: requester) : nil
        case .ui(.keep): state.deletion.attempt == .idle ? .forget(requester) : nil
        case .ui(.leave), .didChangeDeletion(.done): .forget(requester)
        default: nil
        }
    }
}
