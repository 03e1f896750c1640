/// The way of a feedback's events to the end of its loop's queue.
public struct FeedbackOutput<Event: Sendable>: Sendable {
    @usableFromInline let enqueue: @Sendable (Event, EffectToken?) -> Void
    /// Runs work after all that is queued before it, and then reports the effects that have started or ended.
    let enqueueWork: @Sendable (@escaping @Sendable () -> Void) -> Void
    let effects: RunningEffects
    /// The token of events that do not come from an effect; never withdrawn.
    let outside: EffectToken

    /// Queues an event that will be reduced whatever happens until then.
    public func send(_ event: Event) { enqueue(event, outside) }

    var feedback: FeedbackID { outside.feedback }

    /// The output of a part, whose events are embedded in those of the whole.
    func pullback<Local>(_ embed: @escaping @Sendable (Local) -> Event) -> FeedbackOutput<Local> {
        let enqueue = enqueue
        return FeedbackOutput<Local>(
            enqueue: { enqueue(embed($0), $1) }, enqueueWork: enqueueWork, effects: effects, outside: outside)
    }

    /// The output of a feedback that is one of several at the same place.
    func named(_ name: String) -> FeedbackOutput {
        FeedbackOutput(
            enqueue: enqueue, enqueueWork: enqueueWork, effects: effects,
            outside: EffectToken(of: FeedbackID(index: feedback.index, name: name)))
    }

    // MARK: - Effects

    /// - Returns: Whether the effect is to start; `false` if the loop has stopped.
    func begin(_ token: EffectToken, inPlaceOf replaced: EffectToken? = nil) -> Bool {
        guard let hasChange = effects.begin(token, inPlaceOf: replaced) else { return false }
        if hasChange { enqueueWork {} }
        return true
    }

    func cancel(_ token: EffectToken) {
        if effects.cancel(token) { enqueueWork {} }
    }

    func complete(_ token: EffectToken) {
        guard !effects.completeUnlessListened(token) else { return }
        enqueueWork { [effects] in effects.complete(token) }
    }
}

extension SignalProducer where Error == NoError {
    /// Sends all values to `output`, as those of one effect: for ``Feedback/custom(name:_:)``.
    ///
    /// Disposing the producer cancels the effect and withdraws those of its events that wait. It completes when the
    /// effect has completed and all its events are reduced, so that `flatMap(.latest)` withdraws what waits also when
    /// the effect has completed meanwhile.
    public func enqueue(to output: FeedbackOutput<Value>) -> SignalProducer<Never, NoError> {
        SignalProducer<Never, NoError> { observer, lifetime in
            let token = EffectToken(of: output.feedback)
            guard output.begin(token) else { return observer.sendInterrupted() }
            lifetime.observeEnded { output.cancel(token) }
            let scope = CompositeDisposable()
            lifetime += scope
            begin(
                Observer(
                    receive: { output.enqueue($0, token) },
                    finish: { _ in
                        output.enqueueWork {
                            output.effects.complete(token)
                            observer.sendCompleted()
                        }
                    }),
                Lifetime(scope))
        }
    }
}
