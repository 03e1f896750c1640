import Feedback
import Foundation
import Presentation

/// The form in which an animal is added or changed.
public struct AnimalEditorViewModel: ViewModel {
    /// The animal that is edited.
    public enum Subject: Equatable, Sendable {
        /// A new animal, perhaps in a given category.
        case new(in: Category.ID?)
        case existing(Animal)
    }

    public struct State: Equatable, Sendable {
        public var subject: Subject
        public var form: AnimalForm
        public var categories: [Category] = []
        /// Problems are shown only after the first attempt to save.
        public var showsProblems = false
        public var saving = Attempt<AnimalsError>.idle

        public init(_ subject: Subject) {
            self.subject = subject
            switch subject {
            case let .new(categoryId): form = AnimalForm(categoryId: categoryId)
            case let .existing(animal): form = AnimalForm(animal)
            }
        }

        var canEdit: Bool { !saving.isUnderWay && !saving.isDone }

        /// The request that saves the form; `nil` while a field has a problem.
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
        case edit(AnimalForm.Field, String)
        case chooseDiet(Animal.Diet)
        case chooseCategory(Category.ID)
        case save
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChangeCategories([Category])
        case didChangeSaving(Attempt<AnimalsError>)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    public let initial: State
    private let library: LiveViewModel<AnimalsLibrary>
    private let requester: AnimalsLibrary.Requester

    public init(_ subject: Subject, library: LiveViewModel<AnimalsLibrary>) {
        self.init(subject, library: library, requester: .screen(UUID()))
    }

    init(_ subject: Subject, library: LiveViewModel<AnimalsLibrary>, requester: AnimalsLibrary.Requester) {
        initial = State(subject)
        self.library = library
        self.requester = requester
    }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: library.categories(), as: Event.didChangeCategories),
            Feedback(source: library.attempt(of: requester), as: Event.didChangeSaving),
            .onEvent { [library, requester] in Self.request($0, $1, for: requester).map(library.send) },
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            if state.canEdit { state.form[field] = text }
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
        case let .didChangeSaving(attempt):
            // A saved form stays saved when the library forgets the attempt.
            if !state.saving.isDone { state.saving = attempt }
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.leave), .didChangeSaving(.done): .leave
        default: nil
        }
    }

    static func request(
        _ event: Event, _ state: State, for requester: AnimalsLibrary.Requester
    ) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.save): state.canEdit ? state.operation.map { .perform($0, for: requester) } : nil
        case .ui(.leave), .didChangeSaving(.done): .forget(requester)
        default: nil
        }
    }
}
