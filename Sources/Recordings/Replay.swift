import Feedback
import Foundation
import Networking
import Presentation

/// Repeats a recorded run without a network, and compares each state with the one that was recorded.
///
/// ```swift
/// let replay = Replay(run)
/// let screens = ScreenStack()
/// let flow = CitiesFlowController(CitiesBuilder(accessible: replay.session()), on: screens)
/// try await replay.play(on: screens, start: flow.start)
/// ```
///
/// Acts, answers and events come in the order in which they were recorded: a request is answered only after the events
/// that came before its answer. What the feature does after the last entry is not compared: a recording can end at any
/// time.
public final class Replay: Sendable {
    private let run: Recording.Run
    private let redaction: Redaction
    private let patience: Duration
    private let requests = ReplayedRequests()
    private let models = ReplayedModels()

    /// - Parameter patience: The time to wait for each entry of the recording.
    public init(_ run: Recording.Run, redaction: Redaction = Redaction(), patience: Duration = .seconds(30)) {
        self.run = run
        self.redaction = redaction
        self.patience = patience
    }

    /// The time that the flow's clock must show.
    public var now: Date { run.time }

    /// Answers requests as they were answered when they were recorded.
    public var transport: any Transport { requests }

    /// Returns a session whose requests this replay answers.
    public func session(
        credentials: any CredentialProvider = FixedCredentials(.bearer("replay")),
        configure: (inout BackendSession.Configuration) -> Void = { _ in }
    ) -> BackendSession {
        let services = run.services.map { (BackendEnvironment.Service($0.key), $0.value) }
        let environment = BackendEnvironment(name: "replay", services: Dictionary(services, uniquingKeysWith: { $1 }))
        return BackendSession(
            environment: environment, credentials: credentials, transport: transport, configure: configure)
    }

    // MARK: - Playing

    /// Starts the flow, and repeats the recorded acts on its screens.
    ///
    /// Throws a ``ReplayError`` at the first difference.
    ///
    /// - Parameters:
    ///   - start: Starts the flow on the screens.
    ///   - onEntry: Called before each entry.
    public func play(
        on screens: ScreenStack, start: @Sendable () -> Void,
        onEntry: @Sendable (Recording.Entry) async -> Void = { _ in }
    ) async throws(ReplayError) {
        let following = ScopedDisposable(models.follow(screens))
        defer { following.dispose() }
        defer { requests.refuseAll() }
        start()
        var course = Course(describing: Describing(redaction))
        for (index, entry) in run.entries.enumerated() {
            await onEntry(entry)
            do throws(ReplayError.Reason) {
                switch entry {
                case let .model(model): try await meet(model, &course)
                case let .act(act, _): try await take(act, on: screens, &course)
                case let .answer(answer): try await give(answer)
                case let .event(event): try await compare(event, on: screens, &course)
                }
            } catch {
                throw ReplayError(entry: index + 1, count: run.entries.count, after: course.lastAct, reason: error)
            }
        }
    }

    /// The progress of the replay.
    private struct Course {
        var describing: Describing
        var lines: [Int: ValueLines] = [:]
        var names: [Int: String] = [:]
        /// The number of a model's recorded events that had been reduced before it was listened to.
        var skipped: [Int: Int] = [:]
        var lastAct: ScreenStack.Act?
        var lastAction: AnyAction?
    }

    private func meet(_ recorded: Recording.Model, _ course: inout Course) async throws(ReplayError.Reason) {
        let model = try await find(.noModel(recorded.name)) {
            models[recorded.model]
        }
        guard model.name == recorded.name else { throw .otherModel(recorded.name, model.name) }
        let lines = course.describing.lines(of: model.state)
        let expected = ValueLines(recorded.state)
        course.lines[recorded.model] = lines
        course.names[recorded.model] = recorded.name
        if lines != expected { try await meetLater(recorded, expected, &course) }
    }

    /// A model runs before a listener can be added, so the first state that is seen can be a few events earlier or
    /// later than the one that was recorded.
    private func meetLater(
        _ recorded: Recording.Model, _ expected: ValueLines, _ course: inout Course
    ) async throws(ReplayError.Reason) {
        let first = course.lines[recorded.model] ?? expected
        // Later: it has reduced some of the recorded events already.
        var later = expected
        var count = 0
        for case let .event(event) in run.entries where event.model == recorded.model {
            later = later.applying(.init(changed: event.changed, removed: event.removed))
            count += 1
            if later.byPath == first.byPath {
                course.skipped[recorded.model] = count
                return
            }
        }
        // Earlier: the events up to the recorded state are still to come.
        let end = ContinuousClock.now + min(patience, .seconds(10))
        while ContinuousClock.now < end, !Task.isCancelled, course.lines[recorded.model] != expected {
            if let event = models.nextEvent(of: recorded.model) {
                course.lines[recorded.model] = course.describing.lines(of: event.state)
            } else {
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        guard course.lines[recorded.model] == expected else {
            throw .otherState(recorded.name, nil, self.first(expected, first))
        }
    }

    private func take(
        _ act: ScreenStack.Act, on screens: ScreenStack, _ course: inout Course
    ) async throws(ReplayError.Reason) {
        // A person in a hurry uses a control twice, and the control may be gone the second time.
        if act == course.lastAct, let action = course.lastAction, screens.top?.screen.action(of: act) == nil {
            return action()
        }
        let action = try await find(.noControl(act, screens.top?.screen.text(width: 120))) {
            screens.top?.screen.action(of: act)
        }
        (course.lastAct, course.lastAction) = (act, action)
        action()
    }

    private func give(_ answer: Recording.Answer) async throws(ReplayError.Reason) {
        let canned = answer.canned
        let request = try await find(.noRequest("\(answer.method) \(answer.path)")) { requests.take(canned.answers) }
        request.answer(with: canned.outcome)
    }

    private func compare(
        _ recorded: Recording.Event, on screens: ScreenStack, _ course: inout Course
    ) async throws(ReplayError.Reason) {
        let name = course.names[recorded.model] ?? "model \(recorded.model)"
        if let skipped = course.skipped[recorded.model], skipped > 0 {
            course.skipped[recorded.model] = skipped - 1
            return
        }
        let now: ReplayedModels.Reduced? = try await find(.noEvent(name, recorded.event)) {
            if let event = models.nextEvent(of: recorded.model) { return .some(event) }
            // The screen has left the stack. The number of events that a model reduces after that depends on timing.
            return models.hasLeft(recorded.model, screens) ? .some(nil) : nil
        }
        guard let now else { return }
        let event = course.describing.line(of: now.event)
        let before = course.lines[recorded.model] ?? ValueLines([])
        let after = course.describing.lines(of: now.state)
        course.lines[recorded.model] = after
        guard event == recorded.event, "\(now.source)" == recorded.source else {
            throw .otherEvent(name, "\(recorded.event) from \(recorded.source)", "\(event) from \(now.source)")
        }
        let difference = after.difference(from: before)
        let expected = ValueLines.Difference(changed: recorded.changed, removed: recorded.removed)
        if difference != expected {
            throw .otherState(name, event, first(before.applying(expected), before.applying(difference)))
        }
    }

    /// Returns the first line in which two states differ.
    private func first(_ recorded: ValueLines, _ now: ValueLines) -> ReplayError.Lines {
        let (old, new) = (recorded.byPath, now.byPath)
        let paths = recorded.lines.map(\.path) + now.lines.map(\.path)
        guard let path = paths.first(where: { old[$0] != new[$0] }) else {
            return .init(path: "", recorded: "the parts in one order", now: "the same parts in another order")
        }
        return .init(path: path, recorded: old[path], now: new[path])
    }

    /// Waits until `look` finds something.
    private func find<Finding>(
        _ problem: @autoclosure () -> ReplayError.Reason, _ look: () -> Finding?
    ) async throws(ReplayError.Reason) -> Finding {
        let end = ContinuousClock.now + patience
        repeat {
            if let finding = look() { return finding }
            try? await Task.sleep(for: .milliseconds(1))
        } while ContinuousClock.now < end && !Task.isCancelled
        throw problem()
    }
}
