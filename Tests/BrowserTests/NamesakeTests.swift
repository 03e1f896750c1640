import Feedback
import Presentation
import Testing

@testable import Browser

/// Rows with the same button and the same field, and an error that can be tried again.
private struct TasksViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var tasks = [1, 2]
        var error: String? = "The tasks could not be loaded."
        var title = "Tasks"
    }

    enum Action: Equatable, Sendable {
        case drop(Int), rename(Int, String), replace([Int]), fail(String), tryAgain, show(String)
    }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    var initial: State { State() }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.drop(task)): state.tasks.removeAll { $0 == task }
        case .ui(.rename): break
        case let .ui(.replace(tasks)): state.tasks = tasks
        case let .ui(.fail(error)): state.error = error
        case .ui(.tryAgain): state.error = nil
        case let .ui(.show(title)): state.title = title
        }
    }
}

private struct TasksRenderer: Renderer {
    func render(_ state: TasksViewModel.State) -> Screen<TasksViewModel.Action> {
        Screen(
            title: "Tasks",
            sections: [
                .init(rows: state.error.map { [.notice(.error, $0, button: .tryAgain(.tryAgain))] } ?? []),
                .init(
                    state.title,
                    rows: [
                        .button("Drop all", action: .replace([])), .field("Find", text: "", edit: { .show($0) }),
                    ] + state.tasks.map { .button("Drop", action: .drop($0)) }),
                .init("Names", rows: state.tasks.map { task in .field("Name", text: "", edit: { .rename(task, $0) }) }),
            ], actions: state.tasks.map { .init("Drop", action: .drop($0)) })
    }
}

/// Fields of one name, each of which replaces all texts.
private struct WordsViewModel: ViewModel {
    enum Event: ActionEvent { case ui([String]) }

    let initial = ["", ""]

    static func reduce(_ state: inout [String], _ event: Event) {
        if case let .ui(words) = event { state = words }
    }
}

private struct WordsRenderer: Renderer {
    func render(_ words: [String]) -> Screen<[String]> {
        Screen(
            title: "Words",
            sections: [
                .init(
                    rows: words.indices.map { index in
                        .field("Word", text: words[index]) { text in
                            words.enumerated().map { $0 == index ? text : $1 }
                        }
                    })
            ])
    }
}

@Suite("A control that a browser names, when the screen has changed meanwhile")
struct NamesakeTests {
    private let model = LiveViewModel(TasksViewModel())
    private let screen: LiveScreen
    private let stream: PageStream

    init() {
        let screens = ScreenStack()
        screen = LiveScreen(model, TasksRenderer()) { _ in }
        screens.push(screen)
        stream = PageStream(screens, server: "server")
        _ = stream.next()
    }

    private func isUsable(_ id: String) -> Bool { stream.control(id, on: screen) != nil }

    @Test("Is not used if another one of its name has gone: it could be the wrong one of them")
    func namesake() {
        #expect(["r1", "r4", "r5"].allSatisfy(isUsable))
        model.send(.drop(1))
        #expect(isUsable("r1") && !isUsable("r4") && !isUsable("r5"))
        _ = stream.next()
        #expect(isUsable("r4"))
    }

    @Test("Is not used if another one of its name is in its place")
    func order() {
        #expect(["r4", "r5", "a0", "a1"].allSatisfy(isUsable))
        model.send(.replace([2, 1]))
        #expect(!["r4", "r5", "a0", "a1"].contains(where: isUsable))
        _ = stream.next()
        #expect(["r4", "r5", "a0", "a1"].allSatisfy(isUsable))
        model.send(.replace([2, 3]))
        #expect(isUsable("r4") && !isUsable("r5") && isUsable("a0") && !isUsable("a1"))
    }

    @Test("Is not used if it is a field, and another one of its name is in its place")
    func fields() {
        #expect(["r6", "r7"].allSatisfy(isUsable))
        model.send(.replace([2, 1]))
        #expect(!isUsable("r6") && !isUsable("r7"))
        _ = stream.next()
        #expect(["r6", "r7"].allSatisfy(isUsable))
    }

    @Test("Is used if it is a field whose action holds a part of the state that has changed")
    func fieldsOfAState() {
        let (model, screens) = (LiveViewModel(WordsViewModel()), ScreenStack())
        let screen = LiveScreen(model, WordsRenderer()) { _ in }
        screens.push(screen)
        let stream = PageStream(screens, server: "server")
        _ = stream.next()
        model.send(["a", ""])
        #expect(stream.control("r1", on: screen) != nil && stream.control("r2", on: screen) != nil)
    }

    @Test("Is not used if an action of its name has gone")
    func action() {
        model.send(.drop(1))
        #expect(!isUsable("a0") && !isUsable("a1"))
        _ = stream.next()
        #expect(isUsable("a0"))
    }

    @Test("Is not used if its section has another title, unless it is a field")
    func section() {
        model.send(.show("Notes"))
        #expect(!isUsable("r2") && isUsable("r3"))
        _ = stream.next()
        #expect(isUsable("r2") && isUsable("r3"))
    }

    @Test("Is not used if it belongs to a notice that says something else now")
    func notice() {
        model.send(.fail("The task could not be dropped."))
        #expect(!isUsable("r1") && isUsable("r2"))
        _ = stream.next()
        #expect(isUsable("r1"))
    }
}
