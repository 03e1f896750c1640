import Feedback
import Presentation

/// The flow of a feature that cannot begin: one screen, which says why.
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
        let viewModel = DeadEndViewModel(reason)
        screens.push(LiveScreen(viewModel, DeadEndRenderer(title: title)) { [screens] in screens.pop() })
    }
}

private final class DeadEndViewModel: ViewModel {
    let state: Property<String>
    let routes: Signal<Void, NoError>
    private let observer: Signal<Void, NoError>.Observer

    init(_ reason: String) {
        state = Property(value: reason)
        (routes, observer) = Signal.pipe()
    }

    func send(_ action: Void) { observer.send(value: ()) }
}

private struct DeadEndRenderer: Renderer {
    let title: String

    func render(_ reason: String) -> Screen<Void> {
        Screen(
            title: title, sections: [.init(rows: [.notice(.init(.error, reason))])],
            actions: [.init("Leave", key: .escape, action: ())])
    }
}
