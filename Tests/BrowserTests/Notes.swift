import Feedback
import LocalBackend
@testable import Presentation

@testable import Browser

/// A small feature with a list, a field and a second screen.
struct NotesViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var draft = ""
        var notes: [String] = []
        var isWorking = false
    }

    enum Action: Equatable, Sendable {
        case write(String)
        case add
        case work
        case open(String)
    }

    enum Event: ActionEvent, Equatable {
        case ui(Action)
    }

    var initial = State()

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        // Refuses a text with an exclamation mark.
        case let .ui(.write(text)): if !text.contains("!") { state.draft = text }
        case .ui(.add):
            state.notes.append(state.draft)
            state.draft = ""
        case .ui(.work): state.isWorking.toggle()
        case .ui(.open): break
        }
    }

    static func route(_ event: Event, _ state: State) -> String? {
        if case let .ui(.open(note)) = event { note } else { nil }
    }
}

struct NotesRenderer: Renderer {
    func render(_ state: NotesViewModel.State) -> Screen<NotesViewModel.Action> {
        Screen(
            title: state.draft.hasPrefix("#") ? state.draft : "Notes",
            sections: [
                .init(rows: state.isWorking ? [.progress("Working")] : []),
                .init(
                    "New note",
                    rows: [.field("Text", text: state.draft, placeholder: "Milk", edit: { .write($0) })]),
                .init("All notes", rows: state.notes.map { .choice($0, action: .open($0)) }),
            ],
            actions: [
                .init("Add", key: .enter, isEnabled: !state.draft.isEmpty, action: .add),
                .init("Work", key: "w", action: .work),
            ])
    }
}

struct NoteViewModel: ViewModel {
    enum Event: ActionEvent, Equatable {
        case ui(Bool)
    }

    let note: String
    var initial: String { note }

    static func reduce(_ state: inout String, _ event: Event) {}
    static func route(_ event: Event, _ state: String) -> Bool? { state == "Kept" ? nil : true }
}

/// A note that is called "Kept" cannot be left, and one that is called "Locked" has a way back that is disabled.
struct NoteRenderer: Renderer {
    func render(_ note: String) -> Screen<Bool> {
        Screen(
            title: "A note", sections: [.init(rows: [.text(note)])],
            actions: [.init("Back", key: .escape, isEnabled: note != "Locked", action: true)])
    }
}

final class NotesFlowController: FlowController {
    let screens: ScreenStack
    private let initial: NotesViewModel.State

    init(on screens: ScreenStack, initial: NotesViewModel.State = .init()) {
        self.screens = screens
        self.initial = initial
    }

    func start() {
        screens.push(
            LiveScreen(NotesViewModel(initial: initial), NotesRenderer()) { [weak screens] note in
                screens?.push(
                    LiveScreen(NoteViewModel(note: note), NoteRenderer()) { [weak screens] _ in screens?.pop() })
            })
    }
}
