import Feedback
import Presentation

/// The smallest feature there can be.
struct CounterViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var count = 0
        var name = ""
        var isBusy = false
    }

    enum Action: Equatable, Sendable {
        case increment
        case rename(String)
        case work
        case leave
    }

    enum Event: ActionEvent, Equatable {
        case ui(Action)
    }

    enum Route: Equatable, Sendable {
        case leave
    }

    var initial = State()
    var feedbacks: [Feedback<State, Event>] = []

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.increment): state.count += 1
        case let .ui(.rename(name)): state.name = name
        case .ui(.work): state.isBusy.toggle()
        case .ui(.leave): break
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }
}

struct CounterRenderer: Renderer {
    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        Screen(
            title: "Counter",
            sections: [
                .init(rows: state.isBusy ? [.progress(.init("Working"))] : []),
                .init(rows: [
                    .value("Count", "\(state.count)"),
                    .field(.init("Name", text: state.name, edit: { .rename($0) })),
                ]),
            ],
            actions: [
                .init("Increment", key: "+", action: .increment),
                .init("Work", key: "w", action: .work),
                .init("Leave", key: .escape, action: .leave),
            ])
    }
}

extension LiveScreen {
    static func counter(
        _ viewModel: CounterViewModel = CounterViewModel(),
        onRoute: @escaping @Sendable (CounterViewModel.Route) -> Void = { _ in }
    ) -> LiveScreen {
        LiveScreen(viewModel, CounterRenderer(), onRoute: onRoute)
    }

    func use(_ name: String) {
        for case let .button(button) in screen.controls where button.title == name { return button.action() }
    }
}
