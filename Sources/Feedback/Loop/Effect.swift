/// One run of an effect, and the way of its events to the loop.
@usableFromInline
final class EffectRun<Event: Sendable>: EffectToken, @unchecked Sendable {  // Only what it inherits is ever written.
    @usableFromInline let output: FeedbackOutput<Event>
    /// Ends with the effect.
    @inlinable var scope: CompositeDisposable { self }

    @inlinable
    init(_ output: FeedbackOutput<Event>) {
        self.output = output
        super.init(of: output.feedback)
    }

    @inlinable
    func start(_ effect: SignalProducer<Event, NoError>) {
        // The run is all that the two functions capture, so they take no memory.
        let observer = Observer<Event, NoError>(receive: { self.enqueue($0) }, finish: { _ in self.complete() })
        effect.begin(effect.stage.origin.guarding(observer, during: scope), Lifetime(scope))
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
    // Both are guarded by law 1: decisions come in the loop's turn, or as the values of one stream.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var token: EffectToken?
    /// True if `running` may hold an effect that has not completed.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isRunning = false

    @inlinable
    init(_ output: FeedbackOutput<Event>) {
        self.output = output
    }

    /// Cancels the effect, and withdraws what it has queued, also when it has completed.
    @inlinable
    func cancel() {
        guard let token = token.take() else { return }
        output.cancel(token)
        stopRunning()
    }

    /// Cancels the effect, withdraws what it has queued, and starts `effect` in its place.
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
