import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Testing

@testable import demo

/// A screen whose model is stuck from the first use of its button on.
private struct StuckViewModel: ViewModel {
    struct State: Equatable, Sendable {}
    enum Action: Equatable, Sendable { case hang }
    enum Event: ActionEvent, Equatable { case ui(Action) }

    static let isStuck = Locked(false)

    let initial = State()

    static func reduce(_ state: inout State, _ event: Event) {
        isStuck.withLock { $0 = true }
        DispatchSemaphore(value: 0).wait()
    }
}

private struct StuckRenderer: Renderer {
    func render(_ state: StuckViewModel.State) -> Screen<StuckViewModel.Action> {
        Screen(title: "Stuck", actions: [.init("Hang", key: "h", action: .hang)])
    }
}

struct InterruptionTests {
    @Test("A second signal ends a program whose screen is stuck, and restores the terminal")
    func stuck() async throws {
        let terminal = try PseudoTerminal(columns: 60, rows: 12)
        let before = terminal.settings
        terminal.type("h")
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = terminal.path as String] in
            let file = open(path, O_RDWR | O_NOCTTY)
            let screens = ScreenStack()
            screens.push(LiveScreen(StuckViewModel(), StuckRenderer()))
            let isCancelled = Locked(false)
            Task.detached {
                await eventually("the model is stuck") { StuckViewModel.isStuck.withLock { $0 } }
                kill(getpid(), SIGTERM)
                await eventually("the work is cancelled") { isCancelled.withLock { $0 } }
                kill(getpid(), SIGTERM)
            }
            _ = await Interruption.cancelling {
                await withTaskCancellationHandler {
                    await TerminalSession(screens, on: Terminal(input: file, output: file)).run()
                } onCancel: {
                    isCancelled.withLock { $0 = true }
                }
            }
        }
        #expect(await terminal.hasShown("\u{1B}[?25h\u{1B}[?1049l"))
        #expect(terminal.settings == before)
    }
}
