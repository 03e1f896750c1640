import Feedback
import Presentation

/// A feature as small as a feature can be.
final class CounterViewModel: ViewModel {
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

    enum Route: Equatable, Sendable {
        case leave
    }

    let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Action>

    var state: Property<State> { loop.property }

    init(log: EventLog = .silent, feedbacks: [Feedback<State, Action>] = []) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        let routing = Feedback<State, Action>.routing(to: observer) { event, _ in event == .leave ? .leave : nil }
        loop = FeedbackLoop(initial: State(), reduce: log.recording(Self.reduce), feedbacks: [routing] + feedbacks)
        loop.start()
    }

    func send(_ action: Action) { loop.send(action) }

    static func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .increment: state.count += 1
        case let .rename(name): state.name = name
        case .work: state.isBusy.toggle()
        case .leave: break
        }
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
