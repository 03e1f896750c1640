import Feedback
import Foundation
import Presentation

/// The form of an animal: of a new one to add, or of one that is there to change.
public final class AnimalEditorViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(_ subject: Subject, library: AnimalsLibrary, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(subject), reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(ticket: .screen(UUID()), library: library, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension AnimalEditorViewModel {
    /// What is edited.
    public enum Subject: Equatable, Sendable {
        /// A new animal, perhaps of a category that is known.
        case new(in: Category.ID?)
        case existing(Animal)
    }

    public struct State: Equatable, Sendable {
        public var subject: Subject
        public var form: AnimalForm
        public var categories: [Category] = []
        /// Nobody is told of a problem before saying that the form is complete.
        public var showsProblems = false
        public var saving = AnimalsLibrary.Status.empty

        public init(_ subject: Subject) {
            self.subject = subject
            switch subject {
            case let .new(categoryId): form = AnimalForm(categoryId: categoryId)
            case let .existing(animal): form = AnimalForm(animal)
            }
        }

        var canEdit: Bool { !saving.isWaiting && saving != .success }

        /// What saving means; `nil` while something is wrong with the form.
        var operation: AnimalsLibrary.Operation? {
            form.draft.map { draft in
                switch subject {
                case .new: .add(draft)
                case let .existing(animal): .update(draft.animal(withId: animal.id))
                }
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case editName(String)
        case chooseDiet(Animal.Diet)
        case chooseCategory(Category.ID)
        case save
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didChangeCategories([Category])
        case didChangeSaving(AnimalsLibrary.Status)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.editName(name)):
            if state.canEdit { state.form.name = name }
        case let .ui(.chooseDiet(diet)):
            if state.canEdit { state.form.diet = diet }
        case let .ui(.chooseCategory(id)):
            if state.canEdit { state.form.categoryId = id }
        case .ui(.save):
            if state.canEdit { state.showsProblems = state.operation == nil }
        case .ui(.leave):
            break
        case let .didChangeCategories(categories):
            state.categories = categories
        case let .didChangeSaving(status):
            // What is saved stays saved, also when its status is forgotten.
            if state.saving != .success { state.saving = status }
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.leave), .didChangeSaving(.success): .leave
        default: nil
        }
    }

    static func request(
        _ event: Event, _ state: State, for ticket: AnimalsLibrary.Ticket
    ) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.save): state.canEdit ? state.operation.map { .perform($0, for: ticket) } : nil
        case .ui(.leave), .didChangeSaving(.success): .forget(ticket)
        default: nil
        }
    }
}

// MARK: - Feedbacks

extension AnimalEditorViewModel {
    static func feedbacks(
        ticket: AnimalsLibrary.Ticket, library: AnimalsLibrary, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [
            Feedback(source: library.categories(), as: Event.didChangeCategories),
            Feedback(source: library.status(of: ticket), as: Event.didChangeSaving),
            .asking(library) { request($0, $1, for: ticket) },
            .routing(to: routes, route),
        ]
    }
}
