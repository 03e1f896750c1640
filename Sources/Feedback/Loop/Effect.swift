/// One run of an effect. It passes the effect's events on to the loop.
@usableFromInline
final class EffectRun<Event: Sendable>: EffectToken, @unchecked Sendable {  // Only what it inherits is ever written.
    @usableFromInline let output: FeedbackOutput<Event>
    /// Disposed when the effect ends.
    @inlinable var scope: CompositeDisposable { self }

    @inlinable
    init(_ output: FeedbackOutput<Event>) {
        self.output = output
        super.init(of: output.feedback, in: output.route.part)
    }

    @inlinable
    func start(_ effect: SignalProducer<Event, NoError>) {
        // The two functions capture nothing but the run, so no memory is allocated for them.
        effect.start(Observer(receive: { self.enqueue($0) }, finish: { _ in self.complete() }), in: scope)
    }

    @inlinable
    func enqueue(_ event: Event) { output.enqueue(event, of: self) }

    @inlinable
    func complete() {
        output.complete(self)
        scope.dispose()
    }
}

/// Runs the effects of a feedback that has one at a time.
@usableFromInline
final class EffectSlot<Event: Sendable>: Disposable {
    @usableFromInline let output: FeedbackOutput<Event>
    @usableFromInline let running = SerialDisposable()
    // Both are guarded by law 1: effects are started and cancelled in the loop's turn, or by the values of one stream.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var token: EffectToken?
    /// True if `running` may hold an effect that has not completed.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isRunning = false

    @inlinable
    init(_ output: FeedbackOutput<Event>) {
        self.output = output
    }

    /// Cancels the effect, and withdraws its queued events, even if it has completed.
    @inlinable
    func cancel() {
        guard let token = token.take() else { return }
        output.cancel(token)
        stopRunning()
    }

    /// Cancels the effect, withdraws its queued events, and starts `effect` in its place.
    @inlinable
    func start(_ effect: SignalProducer<Event, NoError>) {
        let run = EffectRun(output)
        var replaced: EffectToken? = run
        swap(&token, &replaced)
        let hasBegun = output.begin(run, inPlaceOf: replaced)
        stopRunning()
        guard hasBegun else { return }
        run.start(effect)
        if run.scope.isDisposed { return }
        isRunning = true
        running.inner = run.scope
    }

    @inlinable
    func stopRunning() {
        guard isRunning else { return }
        isRunning = false
        running.inner = nil
    }

    @usableFromInline var isDisposed: Bool { running.isDisposed }

    @usableFromInline
    func dispose() { running.dispose() }
}
