import Dispatch
import Feedback

/// One observer of a query. It is told one answer at a time, always the latest, and never the same one twice.
///
///     idle ── change ──▶ telling ── told ──▶ idle
///                          │  ▲
///                   change ▼  │ told, by the teller itself or on a queue
///                        behind
///
/// A change only marks an observer that is being told. So nothing piles up, and a writer is held by no other writer's
/// observer: the thread that tells leaves what it did not cause to a queue.
///
/// It does not know the type of the objects: types that depend on it would have to be looked up with each change.
final class Observation: Sendable {
    /// Tells the observer an answer or an error.
    typealias Send = @Sendable (Result<ObservedQuery.Answer, StoreError>) -> Void

    struct Phase: Sendable {
        enum Kind: Sendable {
            case idle
            case telling
            case behind
            case over
        }

        enum Action: Sendable {
            case none
            case tell
            case tellOnQueue
        }

        private(set) var kind = Kind.idle
        /// The thread that tells.
        private var teller: UInt = 0
        /// True if only the teller has made changes since it began, from inside of the observer.
        private var isTellerAlone = true
        /// True if the observer took long the last time. Then no writer tells it any more.
        private var isSlow = false

        /// Notes a change that `thread` made.
        mutating func change(by thread: UInt) -> Action {
            switch kind {
            case .idle:
                begin(isSlow ? 0 : thread)
                return isSlow ? .tellOnQueue : .tell
            case .telling:
                kind = .behind
                isTellerAlone = thread == teller
                return .none
            case .behind:
                if thread != teller { isTellerAlone = false }
                return .none
            case .over: return .none
            }
        }

        /// Notes on which thread a queue has begun to tell.
        mutating func begin(_ thread: UInt) {
            guard kind != .over else { return }
            kind = .telling
            teller = thread
            isTellerAlone = true
        }

        /// Notes that the observer was told, and whether it was slow, or nil if there was nothing to tell; returns how to go on.
        mutating func told(wasSlow: Bool?, isOnQueue: Bool) -> Action {
            isSlow = wasSlow ?? isSlow
            switch kind {
            case .idle, .over: return .none
            case .telling:
                kind = .idle
                return .none
            case .behind:
                let stays = isOnQueue || (isTellerAlone && !isSlow)
                begin(stays ? teller : 0)
                return stays ? .tell : .tellOnQueue
            }
        }

        mutating func end() { kind = .over }
    }

    private struct State: Sendable {
        var phase = Phase()
        var send: Send?
        /// The revision of the answer that was told last.
        var revision = 0
    }

    /// An observer that needs longer than this for an answer is told on a queue from then on.
    static var patience: Duration { .milliseconds(50) }

    private let state: Locked<State>

    init(_ send: @escaping Send) { state = Locked(State(send: send)) }

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
        // What the observer holds goes here, without the lock.
        _ = dropped
    }

    private func perform(_ first: Phase.Action, _ query: ObservedQuery, isOnQueue: Bool) {
        var action = first
        while true {
            switch action {
            case .none: return
            case .tellOnQueue:
                return DispatchQueue.global().async { [self] in
                    let thread = currentThread()
                    state.withLock { state in if state.phase.kind != .behind { state.phase.begin(thread) } }
                    perform(.tell, query, isOnQueue: true)
                }
            case .tell:
                let wasSlow = tell(query)
                action = state.withLock { $0.phase.told(wasSlow: wasSlow, isOnQueue: isOnQueue) }
            }
        }
    }

    /// Returns whether the observer took long, or nil if the answer is the one that it was told last.
    private func tell(_ query: ObservedQuery) -> Bool? {
        guard let answer = query.answer() else { return nil }
        let send = state.withLock { state -> Send? in
            if case .success(let answer) = answer {
                if answer.revision == state.revision { return nil }
                state.revision = answer.revision
            }
            return state.send
        }
        guard let send else { return nil }
        let start = ContinuousClock.now
        send(answer)
        return ContinuousClock.now - start > Self.patience
    }
}
