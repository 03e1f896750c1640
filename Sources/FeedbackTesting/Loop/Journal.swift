import Dispatch
import Feedback
import Foundation

/// Who brought an event into the loop.
enum Origin<Event: Sendable>: Sendable {
    case sent(Event)
    case fedBack(Event)

    var event: Event {
        switch self {
        case let .sent(event), let .fedBack(event): event
        }
    }
}

/// One event, and the state after it.
struct Step<State: Sendable, Event: Sendable>: Sendable {
    let origin: Origin<Event>
    let state: State
}

/// The steps of a loop that are not asserted yet.
final class Journal<State: Sendable, Event: Sendable>: Sendable {
    private struct Pages: Sendable {
        var steps: [Step<State, Event>] = []
        var asserted: State
        var hasEnded = false
    }

    private let pages: Locked<Pages>
    private let written = DispatchSemaphore(value: 0)

    init(_ initial: State) {
        pages = Locked(Pages(asserted: initial))
    }

    func write(_ step: Step<State, Event>) {
        pages.withLock { $0.steps.append(step) }
        written.signal()
    }

    /// The next step, if there is one.
    func next() -> Step<State, Event>? {
        pages.withLock { $0.steps.isEmpty ? nil : $0.steps.removeFirst() }
    }

    /// Waits for the next step, which another thread may be about to write.
    func next(within limit: DispatchTime) -> Step<State, Event>? {
        repeat {
            if let step = next() { return step }
        } while written.wait(timeout: limit) == .success
        return nil
    }

    /// Waits for the next step without holding a thread.
    func next(within limit: Duration) async -> Step<State, Event>? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let step = next() { return step }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return nil }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    func takeAll() -> [Step<State, Event>] {
        pages.withLock { pages in
            defer {
                if let last = pages.steps.last { pages.asserted = last.state }
                pages.steps = []
            }
            return pages.steps
        }
    }

    /// Moves on to `state`.
    ///
    /// - Returns: The state that was asserted before.
    func asserted(_ state: State) -> State {
        pages.withLock { pages in
            defer { pages.asserted = state }
            return pages.asserted
        }
    }

    /// - Returns: Whether this is the first end.
    @discardableResult
    func end() -> Bool {
        pages.withLock { pages in
            defer { pages.hasEnded = true }
            return !pages.hasEnded
        }
    }
}
