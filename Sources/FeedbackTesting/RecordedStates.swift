import Feedback
import Networking
import Presentation
@_exported import Recordings

/// Compares the states of a flow's screens with text that was recorded.
///
/// ```swift
/// let states = RecordedStates(screens)
/// flow.start()
/// try await person.uses("Refresh")
/// await states.expect("""
///     CitiesViewModel
///       loading: .underWay
///     """)
/// ```
///
/// `RecordedTest` writes such tests from recordings. `<redacted>` in the text stands for any text.
public final class RecordedStates: Sendable {
    private struct Model: Sendable {
        let id: Int
        let name: String
        var state: any Sendable
        /// The state that was asserted last.
        var asserted: ValueLines?
    }

    private let screens: ScreenStack
    private let models = Locked<[Model]>([])
    /// Kept for the whole test, so that an identifier keeps its name, and another identifier is a change.
    private let describer: Locked<ValueDescriber>
    private let listening: ScopedDisposable

    /// Makes an object that listens to the screens from now on. Make it before the flow starts.
    ///
    /// - Parameter redaction: The recorder's.
    public init(_ screens: ScreenStack, redaction: Redaction = Redaction()) {
        self.screens = screens
        describer = Locked(ValueDescriber(redaction))
        let (steps, observer) = Signal<ScreenStack.Step, NoError>.pipe()
        listening = ScopedDisposable(screens.steps.start(observer))
        steps.observeValues { [weak self] in self?.note($0) }
    }

    private func note(_ step: ScreenStack.Step) {
        guard step.look != nil else { return }
        models.withLock { models in
            switch step.step {
            case let .initial(state, _):
                let number = models.count { $0.name == step.name || $0.name.hasPrefix(step.name + " ") } + 1
                models.append(Model(id: step.id, name: StateText.name(step.name, number: number), state: state))
            case let .reduced(_, _, state):
                if let index = models.lastIndex(where: { $0.id == step.id }) { models[index].state = state }
            case .started, .ended, .withdrawn:
                break
            }
        }
    }

    // MARK: - Asserting

    /// Waits until the states have changed as the text says since the last expectation, and fails the test if they do
    /// not.
    ///
    /// Screens that are no longer on the stack are not compared.
    public func expect(
        _ text: String, within limit: Duration = .seconds(60), fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        let end = ContinuousClock.now + limit
        var (now, lines) = current(text)
        while !Self.isSame(now, text), ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(2))
            (now, lines) = current(text)
        }
        let reached = lines
        models.withLock { models in
            for index in models.indices { models[index].asserted = reached[models[index].id] ?? models[index].asserted }
        }
        guard !Self.isSame(now, text) else { return }
        let difference = Difference(
            expected: text.split(separator: "\n", omittingEmptySubsequences: false),
            actual: now.split(separator: "\n", omittingEmptySubsequences: false))
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            .fail("The states are not as they were recorded (- recorded, + now):\n\(difference)")
    }

    /// Returns true if the texts are equal line by line, but for secrets.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        guard a != b else { return true }
        let (a, b) = (a.split(separator: "\n"), b.split(separator: "\n"))
        return a.count == b.count && zip(a, b).allSatisfy { String($0).isSame(as: String($1)) }
    }

    /// Returns the text for the states now, and their lines.
    ///
    /// - Parameter expected: The expected text. It gives the order of the models, and the lines of those that are no
    ///   longer on the stack.
    private func current(_ expected: String) -> (text: String, lines: [Int: ValueLines]) {
        let models = models.withLock { $0 }
        let present = Set(screens.screens.map(\.id))
        let parts = StateText.parts(of: expected)
        var describer = describer.withLock { $0 }
        defer { self.describer.withLock { [describer] in $0 = describer } }
        var lines: [Int: ValueLines] = [:]
        var texts: [String: [String]] = [:]
        var order = parts.map(\.name)
        for model in models {
            guard present.contains(model.id) else {
                texts[model.name] = parts.first { $0.name == model.name }?.lines
                continue
            }
            let state = describer.lines(of: model.state)
            lines[model.id] = state
            texts[model.name] = StateText.lines(of: model.name, from: model.asserted, to: state)
            if !order.contains(model.name) { order.append(model.name) }
        }
        return (order.flatMap { texts[$0] ?? [] }.joined(separator: "\n"), lines)
    }
}
