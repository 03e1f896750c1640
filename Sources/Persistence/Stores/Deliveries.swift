import Feedback

/// Hands out what observers are to be told, in the order in which it was put in, with no lock held.
///
/// Writes put in while they hold their store's lock, and hand out after. Whoever finds another thread handing out leaves the
/// work to it, so an observer is told one thing at a time, and may itself write.
final class Deliveries: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isHandingOut = false
    }

    private let state = Locked(State())

    func put(_ delivery: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(delivery) }
    }

    func handOut() {
        while true {
            let batch = state.withLock { state -> [@Sendable () -> Void] in
                guard !state.isHandingOut, !state.waiting.isEmpty else { return [] }
                state.isHandingOut = true
                defer { state.waiting = [] }
                return state.waiting
            }
            guard !batch.isEmpty else { return }
            for delivery in batch { delivery() }
            state.withLock { $0.isHandingOut = false }
        }
    }
}
