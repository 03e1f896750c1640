/// The decision of a feedback on its effect after a change of the state.
@usableFromInline
enum EffectDecision<Event: Sendable> {
    /// Leaves it as it is.
    case keep
    /// Cancels it, and withdraws what it has queued.
    case cancel
    /// Cancels it, withdraws what it has queued, and starts this one in its place.
    case start(SignalProducer<Event, NoError>)
}

/// Runs the effects of a feedback that has one at a time.
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
            guard let token else { return }
            // Also when the effect has completed: what it has queued is still out.
            output.cancel(token)
            self.token = nil
            running.inner = nil
        case let .start(effect):
            let token = EffectToken(of: output.feedback)
            let replaced = self.token
            self.token = token
            let hasBegun = output.begin(token, inPlaceOf: replaced)
            if replaced != nil { running.inner = nil }
            guard hasBegun else { return }
            let output = output
            running.inner = effect.start(
                Observer(receive: { output.enqueue($0, token) }, finish: { _ in output.complete(token) }))
        }
    }

    var isDisposed: Bool { running.isDisposed }

    func dispose() { running.dispose() }
}
