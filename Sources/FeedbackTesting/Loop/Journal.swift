import Dispatch
import Feedback
import Foundation

/// An event that was reduced, and the state after it.
struct ReducedEvent<State: Sendable, Event: Sendable>: Sendable {
    let event: Event
    let source: EventSource
    let state: State
}

/// The events of a loop that are not asserted yet, and its running effects.
final class Journal<State: Sendable, Event: Sendable>: Sendable {
    private struct Contents: Sendable {
        var events: [ReducedEvent<State, Event>] = []
        var running: [LoopEffect] = []
        var asserted: State
        var hasEnded = false
    }

    private let contents: Locked<Contents>
    private let written = DispatchSemaphore(value: 0)

    init(_ initial: State) {
        contents = Locked(Contents(asserted: initial))
    }

    func write(_ step: LoopStep<State, Event>) {
        contents.withLock { contents in
            switch step {
            case .initial, .withdrawn: break
            case let .reduced(event, source, state):
                contents.events.append(ReducedEvent(event: event, source: source, state: state))
            case let .started(effect): contents.running.append(effect)
            case let .ended(effect, _): contents.running.removeAll { $0 == effect }
            }
        }
        written.signal()
    }

    /// The effects that run, oldest first.
    var running: [LoopEffect] { contents.withLock { $0.running } }

    /// Waits until no effect runs: one that has sent its last event may be about to end on another thread.
    ///
    /// - Returns: The effects that still run after the limit.
    func running(after limit: DispatchTime) -> [LoopEffect] {
        while !running.isEmpty, written.wait(timeout: limit) == .success {}
        return running
    }

    /// Waits until no effect runs, without blocking a thread.
    func waitForEffects(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while !running.isEmpty, ContinuousClock.now < deadline, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The next event, if there is one.
    func next() -> ReducedEvent<State, Event>? {
        contents.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    /// Waits for the next event, which another thread may be about to reduce.
    func next(within limit: DispatchTime) -> ReducedEvent<State, Event>? {
        repeat {
            if let event = next() { return event }
        } while written.wait(timeout: limit) == .success
        return nil
    }

    /// Waits for the next event without blocking a thread.
    func next(within limit: Duration) async -> ReducedEvent<State, Event>? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let event = next() { return event }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return nil }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    func takeAll() -> [ReducedEvent<State, Event>] {
        contents.withLock { contents in
            defer {
                if let last = contents.events.last { contents.asserted = last.state }
                contents.events = []
            }
            return contents.events
        }
    }

    /// Moves on to `state`.
    ///
    /// - Returns: The state that was asserted before.
    func asserted(_ state: State) -> State {
        contents.withLock { contents in
            defer { contents.asserted = state }
            return contents.asserted
        }
    }

    /// - Returns: True if this is the first end.
    @discardableResult
    func end() -> Bool {
        contents.withLock { contents in
            defer { contents.hasEnded = true }
            return !contents.hasEnded
        }
    }
}
