import Dispatch
import Feedback

/// An observer of a query. It gets one answer at a time, always the latest, and never the same one twice in a row.
///
///     start ──▶ telling ── told ──▶ idle ── change ──▶ telling
///                 │  ▲
///          change ▼  │ told, by the teller itself or on a queue
///               behind
///
/// If an observer is being told, a change only marks it. So answers do not pile up. A writer tells an observer only
/// about its own changes, and leaves the changes of other threads to a queue, so that other writers do not delay it. The
/// first answer is told by the thread that starts.
///
/// It is not generic in the type of the objects, since generic types would have to be looked up at each change.
final class Observation: Sendable {
    /// Tells the observer an answer or an error.
    typealias Send = @Sendable (Result<ObservedQuery.Answer, StoreError>) -> Void

    struct Phase: Sendable {
        enum Kind: Equatable, Sendable {
            case idle
            case telling
            /// True if only the teller itself has made changes since, inside the observer.
            case behind(isTellerAlone: Bool)
            case over
        }

        enum Action: Sendable {
            case none
            case tell
            case tellOnQueue
        }

        private(set) var kind = Kind.telling
        /// The thread that tells; nil before it has begun to, on a queue.
        private var teller: UInt?
        /// True if the observer took long the last time. Writers then no longer tell it themselves.
        private var isSlow = false

        /// Records a change that `thread` has made.
        mutating func change(by thread: UInt) -> Action {
            switch kind {
            case .idle:
                begin(isSlow ? nil : thread)
                return isSlow ? .tellOnQueue : .tell
            case .telling:
                kind = .behind(isTellerAlone: thread == teller)
                return .none
            case .behind(let isTellerAlone):
                kind = .behind(isTellerAlone: isTellerAlone && thread == teller)
                return .none
            case .over: return .none
            }
        }

        /// Records the thread that has begun to tell, as the starter or on a queue.
        mutating func begin(_ thread: UInt?) {
            guard kind != .over else { return }
            kind = .telling
            teller = thread
        }

        /// Records that the observer was told, and returns the next action. `wasSlow` is nil if there was nothing to
        /// tell.
        mutating func told(wasSlow: Bool?, isOnQueue: Bool) -> Action {
            isSlow = wasSlow ?? isSlow
            switch kind {
            case .idle, .over: return .none
            case .telling:
                kind = .idle
                return .none
            case .behind(let isTellerAlone):
                let stays = isOnQueue || (isTellerAlone && !isSlow)
                begin(stays ? teller : nil)
                return stays ? .tell : .tellOnQueue
            }
        }

        mutating func end() { kind = .over }
    }

    private struct State: Sendable {
        var phase = Phase()
        var send: Send?
        /// The answer that was told last.
        var answer: ObservedQuery.Answer?
    }

    /// An observer that needs longer than this for an answer is told on a queue from then on.
    static var patience: Duration { .milliseconds(50) }

    private let state: Locked<State>

    init(_ send: @escaping Send) { state = Locked(State(send: send)) }

    /// Tells the observer the first answer on this thread.
    func start(of query: ObservedQuery) {
        let thread = currentThread()
        state.withLock { $0.phase.begin(thread) }
        perform(.tell, query, isOnQueue: false)
    }

    /// Tells the observer on this thread, unless another one is telling it or it is slow.
    func change(of query: ObservedQuery) {
        let thread = currentThread()
        perform(state.withLock { $0.phase.change(by: thread) }, query, isOnQueue: false)
    }

    /// Ends from any thread, without waiting for the observer.
    func end() {
        let dropped = state.withLock { state in
            state.phase.end()
            return state.send.take()
        }
        // The observer's function is released here, without the lock.
        _ = dropped
    }

    private func perform(_ first: Phase.Action, _ query: ObservedQuery, isOnQueue: Bool) {
        var action = first
        while true {
            switch action {
            case .none: return
            case .tellOnQueue:
                return DispatchQueue.global().async { [self] in perform(.tell, query, isOnQueue: true) }
            case .tell:
                let wasSlow = tell(query)
                action = state.withLock { $0.phase.told(wasSlow: wasSlow, isOnQueue: isOnQueue) }
            }
        }
    }

    /// Tells the observer the answer. Returns true if it took long; nil if there was nothing new to tell.
    private func tell(_ query: ObservedQuery) -> Bool? {
        guard let answer = query.answer() else { return nil }
        let send = state.withLock { state -> Send? in
            if case .success(let answer) = answer {
                if answer === state.answer { return nil }
                state.answer = answer
            }
            return state.send
        }
        guard let send else { return nil }
        let start = ContinuousClock.now
        send(answer)
        return ContinuousClock.now - start > Self.patience
    }
}
