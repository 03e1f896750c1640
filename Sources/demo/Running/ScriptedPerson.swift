import Feedback
import Presentation

/// Uses the screens of a flow as a person would: looks for a control by its name, uses it, waits until the screen is
/// done, and tries again what has failed. All that happens is reported.
final class ScriptedPerson: Sendable {
    private let screens: ScreenStack
    private let report: Report
    /// How often something is tried again before it counts as broken.
    private let patience = 25
    private let limit = Duration.seconds(60)

    init(on screens: ScreenStack, report: Report) {
        self.screens = screens
        self.report = report
    }

    // MARK: - Doing

    /// Uses a button or makes a choice; twice in a row, like somebody who is in a hurry, with `times: 2`.
    func uses(_ name: String, times: Int = 1) async throws(ScriptError) {
        try await settle()
        report.act(times == 1 ? "uses \"\(name)\"" : "uses \"\(name)\", \(times) times", on: screens)
        let action: AnyAction = try await found({ control(named: name) }, else: { .noControl(name, screen: $0) })
        await take(action, times: times)
        try await settle()
    }

    func types(_ text: String, into name: String) async throws(ScriptError) {
        try await settle()
        report.act("types \"\(text)\" into \"\(name)\"", on: screens)
        let action: AnyAction = try await found({ edit(text, in: name) }, else: { .noControl(name, screen: $0) })
        await take(action)
        try await settle()
    }

    /// Looks for a text on the screen, until it is there.
    func sees(_ text: String) async throws(ScriptError) {
        try await settle()
        try await found(
            { self.text(of: screen).contains(text) ? () : nil }, else: { .neverSaw(text, screen: $0) })
        try await settle()
    }

    /// Looks at the screen.
    ///
    /// - Returns: How it looks when nothing is under way.
    func look() async throws(ScriptError) -> String {
        try await settle()
        return text(of: screen)
    }

    // MARK: - Machinery

    private var screen: Screen<AnyAction>? { screens.top?.screen }
    private var controls: [Screen<AnyAction>.Control] { screen?.controls ?? [] }

    private func text(of screen: Screen<AnyAction>?) -> String {
        screen?.text(width: 200) ?? "(none)\n"
    }

    /// What `look` finds: if not at once, then within a moment, as what an event leads to is seen a little after it.
    private func found<Finding>(
        _ look: () -> Finding?, else error: (_ screen: String) -> ScriptError
    ) async throws(ScriptError) -> Finding {
        let end = ContinuousClock.now + .seconds(5)
        repeat {
            if let finding = look() { return finding }
            try? await Task.sleep(for: .milliseconds(1))
        } while ContinuousClock.now < end
        throw error(text(of: screen))
    }

    private func edit(_ text: String, in name: String) -> AnyAction? {
        for case let .field(field) in controls where field.label == name && field.isEnabled { return field.edit(text) }
        return nil
    }

    private func control(named name: String) -> AnyAction? {
        for control in controls where control.name == name && control.isEnabled {
            switch control {
            case let .button(button): return button.action
            case let .choice(choice): return choice.action
            case .field: continue
            }
        }
        return nil
    }

    /// Takes an action, and waits until its events are reduced: while the loop is at another one, they wait in its queue.
    private func take(_ action: AnyAction, times: Int = 1) async {
        let events = report.tally.events + times
        for _ in 0..<times { action() }
        let end = ContinuousClock.now + .seconds(1)
        while report.tally.events < events, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(1)) }
    }

    /// Waits until nothing is under way. What has failed is tried again.
    private func settle() async throws(ScriptError) {
        for _ in 0..<patience {
            try await waitUntilIdle()
            guard let button = screen?.errors.first?.button else { return }
            report.act("uses \"\(button.title)\"", on: screens)
            report.countRetry()
            await take(button.action)
        }
        throw .stillFailing(screen?.errors.first?.message ?? "", attempts: patience)
    }

    private func waitUntilIdle() async throws(ScriptError) {
        let end = ContinuousClock.now + limit
        while let screen, let progress = screen.progress.first {
            guard ContinuousClock.now < end else {
                throw .neverSaw("The end of \(progress.label)", screen: text(of: screen))
            }
            await idle(before: end)
        }
        report.catchUp(with: screens)
    }

    private func idle(before end: ContinuousClock.Instant) async {
        let isIdle = screens.changes.map { [screens] _ in screens.top?.screen.progress.isEmpty ?? true }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await isIdle in isIdle.values where isIdle { return } }
            group.addTask { try? await Task.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
    }
}
