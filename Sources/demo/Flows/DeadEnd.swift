import Presentation

/// The flow of a feature that cannot start: one screen, which shows the reason.
final class DeadEnd: FlowController {
    let screens: ScreenStack
    private let title: String
    private let reason: String

    init(title: String, reason: String, on screens: ScreenStack) {
        self.title = title
        self.reason = reason
        self.screens = screens
    }

    func start() {
        screens.push(
            LiveScreen(DeadEndViewModel(initial: reason), DeadEndRenderer(title: title)) { [weak screens] _ in
                screens?.pop()
            })
    }
}

private struct DeadEndViewModel: ViewModel {
    enum Action: Sendable { case leave }
    enum Event: ActionEvent { case ui(Action) }

    /// The reason.
    let initial: String

    static func reduce(_ state: inout String, _ event: Event) {}
    static func route(_ event: Event, _ state: String) -> Action? { .leave }
}

private struct DeadEndRenderer: Renderer {
    let title: String

    func render(_ reason: String) -> Screen<DeadEndViewModel.Action> {
        Screen(
            title: title, sections: [.init(rows: [.notice(.error, reason)])],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}
