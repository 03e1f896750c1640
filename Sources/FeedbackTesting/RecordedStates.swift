import Feedback
import Networking
import Presentation
@_exported import Recordings

/// Asserts the events and the states of a flow, as text that was recorded.
///
/// ```swift
/// let states = RecordedStates(screens)
/// flow.start()
/// try await person.uses("Refresh")
/// await states.expect("""
///     CitiesViewModel .ui .refresh
///       loading: .underWay
///     """)
/// ```
///
/// `RecordedTest` writes such tests from recordings.
public final class RecordedStates: Sendable {
    private struct Contents: Sendable {
        var names: [Int: String] = [:]
        var states: [Int: any Sendable] = [:]
        var events: [Reduced] = []
    }

    private struct Reduced: Sendable {
        let id: Int
        let model: String
        let event: any Sendable
        let source: EventSource
        let before: any Sendable
        let after: any Sendable
    }

    private let contents = Locked(Contents())
    private let listening: ScopedDisposable

    /// Listens to the screens from now on. Make it before the flow starts.
    public init(_ screens: ScreenStack) {
        let (steps, observer) = Signal<ScreenStack.Step, NoError>.pipe()
        listening = ScopedDisposable(screens.steps.start(observer))
        steps.observeValues { [weak self] in self?.note($0) }
    }

    private func note(_ step: ScreenStack.Step) {
        guard step.look != nil else { return }
        contents.withLock { contents in
            switch step.step {
            case let .initial(state, _):
                (contents.names[step.id], contents.states[step.id]) = (step.name, state)
            case let .reduced(event, source, state):
                contents.events.append(
                    Reduced(
                        id: step.id, model: step.name, event: event, source: source,
                        before: contents.states[step.id] ?? state, after: state))
                contents.states[step.id] = state
            case .started, .ended, .withdrawn:
                break
            }
        }
    }

    // MARK: - Asserting

    /// Waits for as many events as the text has, and fails the test if they, or their effects on the states, are others.
    public func expect(
        _ text: String, within limit: Duration = .seconds(20), fileID: String = #fileID,
        filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) async {
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            if let model = StepText.model(ofLine: line) { counts[model, default: 0] += 1 }
        }
        let end = ContinuousClock.now + limit
        var taken: [Reduced]?
        while taken == nil, ContinuousClock.now < end {
            taken = take(counts)
            if taken == nil { try? await Task.sleep(for: .milliseconds(1)) }
        }
        let now = Self.text(of: taken ?? takeAll(), order: text)
        guard now != text else { return }
        let difference = Difference(
            expected: text.split(separator: "\n", omittingEmptySubsequences: false),
            actual: now.split(separator: "\n", omittingEmptySubsequences: false))
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            .fail("The flow does not do what was recorded (- recorded, + now):\n\(difference)")
    }

    /// Fails the test if there are events that were not expected.
    public func finish(
        fileID: String = #fileID, filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
    ) {
        let rest = takeAll()
        guard !rest.isEmpty else { return }
        TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            .fail("There are events that were not recorded:\n\(Self.text(of: rest, order: ""))")
    }

    /// The first events of each model, as many as asked for; `nil` if they have not come yet.
    private func take(_ counts: [String: Int]) -> [Reduced]? {
        contents.withLock { contents in
            let isComplete = counts.allSatisfy { name, count in contents.events.count { $0.model == name } >= count }
            guard isComplete else { return nil }
            var left = counts
            var taken: [Reduced] = []
            contents.events.removeAll { event in
                guard let count = left[event.model], count > 0 else { return false }
                left[event.model] = count - 1
                taken.append(event)
                return true
            }
            return taken
        }
    }

    private func takeAll() -> [Reduced] {
        contents.withLock { contents in
            defer { contents.events = [] }
            return contents.events
        }
    }

    /// - Parameter order: A text that has the models in the order in which they are wanted.
    private static func text(of reduced: [Reduced], order: String) -> String {
        let wanted = order.split(separator: "\n").compactMap(StepText.model)
        var names: [String] = []
        for name in wanted + reduced.map(\.model) where !names.contains(name) { names.append(name) }
        var describing = Describing(Redaction())
        let events = names.flatMap { name in
            reduced.filter { $0.model == name }.map {
                (model: name, event: describing.event($0.event, $0.source, $0.before, $0.after))
            }
        }
        return StepText.text(of: events)
    }
}
