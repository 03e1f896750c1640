/// A way for a feedback's events to the end of its loop's queue.
public struct FeedbackOutput<Event: Sendable>: Sendable {
    @usableFromInline let route: Route

    /// The parts of an output, held together, as each effect needs them.
    @usableFromInline
    final class Route: Sendable {
        @usableFromInline let enqueue: @Sendable (Event, EffectToken) -> Void
        /// Runs work after all that is queued before it, and then reports the effects that have started or ended.
        @usableFromInline let enqueueWork: @Sendable (@escaping @Sendable () -> Void) -> Void
        @usableFromInline let effects: RunningEffects
        /// The token of events that do not come from an effect; never withdrawn, unless with `part`.
        @usableFromInline let outside: EffectToken
        /// The token of the part of the state that the feedback is about, if that can go.
        @usableFromInline let part: EffectToken?

        @inlinable
        init(
            to effects: RunningEffects, of feedback: FeedbackID, in part: EffectToken? = nil,
            enqueue: @escaping @Sendable (Event, EffectToken) -> Void,
            enqueueWork: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) {
            self.effects = effects
            self.part = part
            outside = EffectToken(of: feedback, in: part)
            self.enqueue = enqueue
            self.enqueueWork = enqueueWork
        }
    }

    @inlinable
    init(_ route: Route) {
        self.route = route
    }

    /// Queues an event that is never withdrawn: it is reduced unless the loop stops first.
    @inlinable
    public func send(_ event: Event) { route.enqueue(event, route.outside) }

    @inlinable var feedback: FeedbackID { route.outside.feedback }

    /// Returns the output for a part, whose events are embedded in those of the whole.
    ///
    /// - Parameter part: The token of the part, if that can go.
    @inlinable
    func pullback<Local>(
        _ embed: @escaping @Sendable (Local) -> Event, in part: EffectToken? = nil
    ) -> FeedbackOutput<Local> {
        let enqueue = route.enqueue
        return FeedbackOutput<Local>(
            FeedbackOutput<Local>.Route(
                to: route.effects, of: feedback, in: part ?? route.part,
                enqueue: { enqueue(embed($0), $1) }, enqueueWork: route.enqueueWork))
    }

    /// Returns the output for one of several feedbacks that are combined into one.
    @usableFromInline
    func named(_ name: String) -> FeedbackOutput {
        FeedbackOutput(
            Route(
                to: route.effects, of: FeedbackID(index: feedback.index, name: name), in: route.part,
                enqueue: route.enqueue, enqueueWork: route.enqueueWork))
    }

    // MARK: - Effects

    @inlinable
    func enqueue(_ event: Event, of effect: EffectToken) { route.enqueue(event, effect) }

    /// - Returns: True if the effect is to start; `false` if the loop has stopped.
    @inlinable
    func begin(_ token: EffectToken, inPlaceOf replaced: EffectToken? = nil) -> Bool {
        guard let hasChange = route.effects.begin(token, inPlaceOf: replaced) else { return false }
        if hasChange { route.enqueueWork {} }
        return true
    }

    @inlinable
    func cancel(_ token: EffectToken) {
        if route.effects.cancel(token) { route.enqueueWork {} }
    }

    /// Called in the loop's turn.
    func cancelAll(in part: EffectToken) {
        let running = route.effects.cancelAll(in: part)
        for effect in running { effect.dispose() }
        if !running.isEmpty { route.enqueueWork {} }
    }

    @inlinable
    func complete(_ token: EffectToken) {
        if !route.effects.completeUnlessListened(token) { completeAfterQueued(token) }
    }

    @usableFromInline
    func completeAfterQueued(_ token: EffectToken) {
        route.enqueueWork { [effects = route.effects] in effects.complete(token) }
    }
}

extension SignalProducer where Error == NoError {
    /// Sends all values to `output`, as events of one effect, for ``Feedback/custom(name:_:)``.
    ///
    /// Disposing the producer cancels the effect and withdraws its queued events. The producer completes when the
    /// effect has completed and all its events are reduced. So `flatMap(.latest)` withdraws queued events even if the
    /// effect has completed meanwhile.
    public func enqueue(to output: FeedbackOutput<Value>) -> SignalProducer<Never, NoError> {
        SignalProducer<Never, NoError> { observer, lifetime in
            let token = EffectToken(of: output.feedback, in: output.route.part)
            guard output.begin(token) else { return observer.sendInterrupted() }
            lifetime.observeEnded { output.cancel(token) }
            let scope = CompositeDisposable()
            lifetime += scope
            // Ended with the effect, also while it is being started.
            token.insert(scope)
            begin(
                Observer(
                    receive: { output.enqueue($0, of: token) },
                    finish: { _ in
                        output.route.enqueueWork {
                            output.route.effects.complete(token)
                            observer.sendCompleted()
                        }
                    }),
                Lifetime(scope))
        }
    }
}
