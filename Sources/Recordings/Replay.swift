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
/// Acts, answers and events come in the order in which they were recorded: a request is answered only after the events that came
/// before its answer.
public final class Replay: Sendable {
    private struct Contents: Sendable {
        var pending: [Pending] = []
        var lastRequest = 0
        var hasEnded = false
        /// The models in the order in which they began.
        var models: [Model] = []
    }

    private struct Pending: Sendable {
        let id: Int
        let request: TransportRequest
        let continuation: CheckedContinuation<Result<TransportResponse, CoreError>, Never>
    }

    private struct Model: Sendable {
        let id: Int
        let name: String
        let isScreen: Bool
        let state: any Sendable
        var events: [Reduced] = []
    }

    private struct Reduced: Sendable {
        let event: any Sendable
        let source: EventSource
        let state: any Sendable
    }

    private let run: Recording.Run
    private let redaction: Redaction
    private let patience: Duration
    private let contents = Locked(Contents())

    /// - Parameter patience: How long to wait for something that was recorded.
    public init(_ run: Recording.Run, redaction: Redaction = Redaction(), patience: Duration = .seconds(30)) {
        self.run = run
        self.redaction = redaction
        self.patience = patience
    }

    /// The time that the flow's clock must show.
    public var now: Date { run.time }

    /// Answers requests as they were answered when they were recorded.
    public var transport: any Transport { ReplayTransport(replay: self) }

    /// A session that this replay answers.
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

    /// Starts the flow, and does on its screens what was recorded.
    ///
    /// Throws a ``ReplayError`` at the first difference.
    ///
    /// - Parameters:
    ///   - start: Starts the flow on the screens.
    ///   - onEntry: Called before each entry.
    public func play(
        on screens: ScreenStack, start: () -> Void, onEntry: @Sendable (Recording.Entry) -> Void = { _ in }
    ) async throws(ReplayError) {
        let following = ScopedDisposable(screens.steps.startWithValues { [weak self] step in self?.note(step) })
        defer { following.dispose() }
        defer { refuseAll() }
        start()
        var course = Course(describing: Describing(redaction))
        for (index, entry) in run.entries.enumerated() {
            onEntry(entry)
            do throws(ReplayError.Reason) {
                switch entry {
                case let .model(model): try await meet(model, &course)
                case let .act(act): try await take(act, on: screens, &course)
                case let .answer(answer): try await give(answer)
                case let .event(event): try await compare(event, on: screens, &course)
                }
            } catch {
                throw ReplayError(entry: index + 1, count: run.entries.count, after: course.lastAct, reason: error)
            }
        }
    }

    /// The way so far.
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
            contents.withLock { $0.models.count >= recorded.model ? $0.models[recorded.model - 1] : nil }
        }
        guard model.name == recorded.name else { throw .otherModel(recorded.name, model.name) }
        let lines = course.describing.lines(of: model.state)
        let expected = ValueLines(recorded.state)
        course.lines[recorded.model] = lines
        course.names[recorded.model] = recorded.name
        if lines != expected { try await meetLater(recorded, expected, &course) }
    }

    /// A model runs before anybody can listen to it, so the first state that is seen can be a few events earlier or later than
    /// the one that was recorded.
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
        while ContinuousClock.now < end, course.lines[recorded.model] != expected {
            if let event = nextEvent(of: recorded.model) {
                course.lines[recorded.model] = course.describing.lines(of: event.state)
            } else {
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        guard course.lines[recorded.model] == expected else {
            throw .otherState(recorded.name, nil, self.first(expected, first))
        }
    }

    /// Returns whether the screen of a model is no longer on the stack.
    private func hasLeft(_ model: Int, _ screens: ScreenStack) -> Bool {
        let known = contents.withLock { $0.models.indices.contains(model - 1) ? $0.models[model - 1] : nil }
        guard let known, known.isScreen else { return false }
        return !screens.screens.contains { $0.id == known.id }
    }

    private func nextEvent(of model: Int) -> Reduced? {
        contents.withLock { contents in
            let index = model - 1
            guard contents.models.indices.contains(index), !contents.models[index].events.isEmpty else { return nil }
            return contents.models[index].events.removeFirst()
        }
    }

    private func take(
        _ act: ScreenStack.Act, on screens: ScreenStack, _ course: inout Course
    ) async throws(ReplayError.Reason) {
        // Somebody in a hurry uses a control twice, which may be gone the second time.
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
        let pending = try await find(.noRequest("\(answer.method) \(answer.path)")) {
            contents.withLock { contents in
                contents.pending.firstIndex { canned.answers($0.request) }.map { contents.pending.remove(at: $0) }
            }
        }
        switch canned.outcome {
        case let .failure(error):
            pending.continuation.resume(returning: .failure(error))
        case let .response(status, headers, body):
            do throws(CoreError) {
                let kept = try pending.request.destination.deliver(body, status: status, from: pending.request.url)
                pending.continuation.resume(
                    returning: .success(
                        try TransportResponse(status: status, headers: headers, body: kept, url: pending.request.url)))
            } catch {
                pending.continuation.resume(returning: .failure(error))
            }
        }
    }

    private func compare(
        _ recorded: Recording.Event, on screens: ScreenStack, _ course: inout Course
    ) async throws(ReplayError.Reason) {
        let name = course.names[recorded.model] ?? "model \(recorded.model)"
        if let skipped = course.skipped[recorded.model], skipped > 0 {
            course.skipped[recorded.model] = skipped - 1
            return
        }
        let now: Reduced? = try await find(.noEvent(name, recorded.event)) {
            if let event = nextEvent(of: recorded.model) { return .some(event) }
            // The screen is gone. It is a matter of chance how many events come between a way out and the end.
            return hasLeft(recorded.model, screens) ? .some(nil) : nil
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

    /// The first line in which two states differ.
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

    // MARK: - What happens

    private func note(_ step: ScreenStack.Step) {
        contents.withLock { contents in
            switch step.step {
            case let .initial(state, _):
                contents.models.append(Model(id: step.id, name: step.name, isScreen: step.look != nil, state: state))
            case let .reduced(event, source, state):
                guard let index = contents.models.lastIndex(where: { $0.id == step.id }) else { return }
                contents.models[index].events.append(Reduced(event: event, source: source, state: state))
            case .started, .ended, .withdrawn:
                break
            }
        }
    }

    // MARK: - Requests

    fileprivate func answer(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let id = contents.withLock { contents in
            contents.lastRequest += 1
            return contents.lastRequest
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                contents.withLock {
                    $0.pending.append(Pending(id: id, request: request, continuation: continuation))
                }
                // It may have been cancelled, or the run may have ended, before it was noted.
                if Task.isCancelled || contents.withLock(\.hasEnded) { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }

    private func cancel(_ id: Int) {
        let pending = contents.withLock { contents in
            contents.pending.firstIndex { $0.id == id }.map { contents.pending.remove(at: $0) }
        }
        pending?.continuation.resume(returning: .failure(.cancelled))
    }

    /// Nothing is answered after the end.
    private func refuseAll() {
        let pending = contents.withLock { contents in
            defer { contents.pending = [] }
            contents.hasEnded = true
            return contents.pending
        }
        for pending in pending { pending.continuation.resume(returning: .failure(.cancelled)) }
    }
}

private struct ReplayTransport: Transport {
    let replay: Replay

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        try await replay.answer(request)
    }
}
