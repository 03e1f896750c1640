/// What a feedback does about its effect when the state has changed.
@usableFromInline
enum EffectDecision<Event: Sendable> {
    /// Leaves it as it is.
    case keep
    /// Cancels it, and withdraws what it has queued.
    case cancel
    /// Cancels it, withdraws what it has queued, and starts this one in its place.
    case start(SignalProducer<Event, NoError>)
}

/// The one place in which a feedback's effect runs.
final class EffectSlot<Event: Sendable>: Disposable {
    private let output: FeedbackOutput<Event>
    private let running = SerialDisposable()
    // Guarded by law 1: decisions come in the loop's turn, or as the values of one stream.
    nonisolated(unsafe) private var token: EffectToken?

    init(_ output: FeedbackOutput<Event>) {
        self.output = output
    }

    func carryOut(_ decision: EffectDecision<Event>) {
        switch decision {
        case .keep:
            break
        case .cancel:
            cancel()
        case let .start(effect):
            cancel()
            guard !running.isDisposed else { return }
            let token = EffectToken()
            self.token = token
            let output = output
            output.census?.began()
            running.inner = effect.start(
                Observer(receive: { output.enqueue($0, token) }, finish: { _ in output.census?.ended() }))
        }
    }

    private func cancel() {
        guard let token else { return }
        // Also when the effect has completed: what it has queued is still out.
        token.withdraw()
        self.token = nil
        running.inner = nil
    }

    var isDisposed: Bool { running.isDisposed }

    func dispose() { running.dispose() }
}
