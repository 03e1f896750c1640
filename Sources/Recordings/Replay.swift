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
/// If the flow makes identifiers or reads a clock, give it ``ids`` and ``now``, as it had the recorder's.
///
/// Acts, answers and events come in the order in which they were recorded: a request is answered only after the events
/// that came before its answer. What the feature does after the last entry is not compared: a recording can end at any
/// time. But at the end no request may be under way that was not so at the end of the recording.
///
/// `Redaction.mark` stands for any text, in the recording and in the replay: the mark is typed in place of a secret.
public final class Replay: Sendable {
    /// The identifiers for the objects that the flow makes: those of the recorded run.
    public let ids: RepeatableIDs

    private let run: Recording.Run
    private let redaction: Redaction
    private let patience: Duration
    private let requests = ReplayedRequests()
    private let models = ReplayedModels()

    /// - Parameter patience: The time to wait for each entry of the recording.
    public init(_ run: Recording.Run, redaction: Redaction = Redaction(), patience: Duration = .seconds(30)) {
        self.run = run
        ids = RepeatableIDs(seed: run.seed)
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
        var progress = Progress(describer: ValueDescriber(redaction))
        var number = 0
        do throws(ReplayError.Reason) {
            for entry in run.entries {
                number += 1
                await onEntry(entry)
                switch entry {
                case let .model(model): try await check(model, followedBy: run.entries[number...], &progress)
                case let .act(act, _):
                    await settle(screens)
                    try await perform(act, on: screens, &progress)
                case let .answer(answer):
                    await settle(screens)
                    try await self.answer(answer)
                case let .event(event): try await compare(event, on: screens, &progress)
                }
            }
            try await checkRequests()
        } catch {
            throw ReplayError(entry: number, count: run.entries.count, after: progress.lastAct, reason: error)
        }
    }

    /// The progress of the replay.
    private struct Progress {
        var describer: ValueDescriber
        var models: [Int: Model] = [:]
        var lastAct: ScreenStack.Act?
        var lastAction: AnyAction?
    }

    /// A model whose beginning was compared.
    private struct Model {
        let name: String
        /// The state in the replay, and in the recording.
        var lines: ValueLines
        var recorded: ValueLines
        /// The number of recorded events to come that had been reduced before the model was listened to.
        var skipped = 0
        /// True if the model's screen has left before all of its recorded events came.
        var isGone = false
    }

    private func check(
        _ recorded: Recording.Model, followedBy later: ArraySlice<Recording.Entry>, _ progress: inout Progress
    ) async throws(ReplayError.Reason) {
        let model = try await find(.noModel(recorded.name)) { models[recorded.model] }
        guard model.name == recorded.name else { throw .otherModel(recorded.name, model.name) }
        var progressed = Model(
            name: recorded.name, lines: progress.describer.lines(of: model.state), recorded: ValueLines(recorded.state))
        if progressed.lines != progressed.recorded, !progressed.lines.differsOnlyInSecrets(from: progressed.recorded) {
            try await checkOtherFirstState(of: recorded.model, followedBy: later, &progressed, &progress.describer)
        }
        progress.models[recorded.model] = progressed
    }

    /// A model runs before a listener can be added, so the first state that is seen can be a few events earlier or
    /// later than the one that was recorded.
    private func checkOtherFirstState(
        of number: Int, followedBy entries: ArraySlice<Recording.Entry>, _ model: inout Model,
        _ describer: inout ValueDescriber
    ) async throws(ReplayError.Reason) {
        let first = model.lines
        // Later: it has reduced some of the recorded events already. Those after the next act or answer are still to come,
        // even if they lead to a state like this one.
        let entries = entries.prefix { entry in
            switch entry {
            case .act, .answer: false
            case .model, .event: true
            }
        }
        var later = model.recorded
        var count = 0
        for case let .event(event) in entries where event.model == number {
            later = later.applying(.init(changed: event.changed, removed: event.removed))
            count += 1
            if later.byPath == first.byPath {
                model.skipped = count
                model.recorded = later
                return
            }
        }
        // Earlier: the events up to the recorded state are still to come.
        let isReached = await wait {
            while model.lines != model.recorded, let event = models.nextEvent(of: number) {
                model.lines = describer.lines(of: event.state)
            }
            return model.lines == model.recorded
        }
        if !isReached { throw .otherState(model.name, nil, self.first(model.recorded, first)) }
    }

    /// Waits until the loops have reacted to their events: a route may lead to another screen, which has a control of the
    /// same name, and a request may be cancelled and sent again.
    private func settle(_ screens: ScreenStack) async {
        for screen in screens.screens { await screen.settled() }
    }

    private func perform(
        _ act: ScreenStack.Act, on screens: ScreenStack, _ progress: inout Progress
    ) async throws(ReplayError.Reason) {
        func look() -> AnyAction? { screens.top?.screen.action(of: act) }
        // A person in a hurry uses a control twice, and the control may be gone the second time.
        if act == progress.lastAct, let last = progress.lastAction, look() == nil { return last() }
        let action = try await find(.noControl(act, screens.top?.screen.text(width: 120)), look)
        (progress.lastAct, progress.lastAction) = (act, action)
        action()
    }

    private func answer(_ answer: Recording.Answer) async throws(ReplayError.Reason) {
        let canned = answer.canned
        let request = try await find(.noRequest("\(answer.method) \(answer.path)")) { requests.take(canned.answers) }
        request.answer(with: canned.outcome)
    }

    private func compare(
        _ recorded: Recording.Event, on screens: ScreenStack, _ progress: inout Progress
    ) async throws(ReplayError.Reason) {
        var model =
            progress.models[recorded.model]
            ?? Model(name: "model \(recorded.model)", lines: ValueLines([]), recorded: ValueLines([]))
        defer { progress.models[recorded.model] = model }
        if model.skipped > 0 {
            model.skipped -= 1
            return
        }
        if model.isGone { return }
        let now: ReplayedModels.Reduced? = try await find(.noEvent(model.name, recorded.event)) {
            if let event = models.nextEvent(of: recorded.model) { return .some(event) }
            return models.hasLeft(recorded.model, screens) ? .some(nil) : nil
        }
        guard let now else {
            // The screen has left the stack. The number of events that a model reduces after that depends on timing, and
            // one that comes now is not the next one that was recorded.
            model.isGone = true
            return
        }
        let event = progress.describer.line(of: now.event)
        let (before, after) = (model.lines, progress.describer.lines(of: now.state))
        model.lines = after
        guard event.isSame(as: recorded.event), "\(now.source)" == recorded.source else {
            throw .otherEvent(model.name, "\(recorded.event) from \(recorded.source)", "\(event) from \(now.source)")
        }
        let difference = after.difference(from: before)
        let change = ValueLines.Difference(changed: recorded.changed, removed: recorded.removed)
        model.recorded = model.recorded.applying(change)
        // A secret that was replayed as another text may make the changes differ, but not the states.
        if difference != change, after != model.recorded, !after.differsOnlyInSecrets(from: model.recorded) {
            throw .otherState(model.name, event, first(before.applying(change), before.applying(difference)))
        }
    }

    /// Fails if a request is under way that was not so at the end of the recording. One that the feature has given up
    /// may take a moment to be cancelled.
    private func checkRequests() async throws(ReplayError.Reason) {
        guard let unanswered = run.unanswered else { return }
        var extra: TransportRequest?
        await wait {
            extra = requests.waiting(beside: unanswered).first
            return extra == nil
        }
        if let extra { throw .extraRequest("\(Recording.Request(extra, redaction))") }
    }

    /// Returns the first line in which two states differ.
    private func first(_ recorded: ValueLines, _ now: ValueLines) -> ReplayError.Lines {
        let (old, new) = (recorded.byPath, now.byPath)
        let paths = recorded.lines.map(\.path) + now.lines.map(\.path)
        guard let path = paths.first(where: { !(old[$0] ?? "").isSame(as: new[$0] ?? "") }) else {
            return .init(path: "", recorded: "the parts in one order", now: "the same parts in another order")
        }
        return .init(path: path, recorded: old[path], now: new[path])
    }

    /// Waits until `look` finds something.
    private func find<Finding>(
        _ problem: @autoclosure () -> ReplayError.Reason, _ look: () -> Finding?
    ) async throws(ReplayError.Reason) -> Finding {
        var finding: Finding?
        await wait {
            finding = look()
            return finding != nil
        }
        guard let finding else { throw problem() }
        return finding
    }

    /// Waits until a condition is true. Returns false if the patience ends before that.
    @discardableResult
    private func wait(until isTrue: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + patience
        repeat {
            if isTrue() { return true }
            try? await Task.sleep(for: .milliseconds(1))
        } while ContinuousClock.now < end && !Task.isCancelled
        return false
    }
}
