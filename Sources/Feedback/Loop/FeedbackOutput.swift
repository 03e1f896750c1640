import Synchronization

/// Where a feedback's events go: to the end of its loop's queue.
public struct FeedbackOutput<Event: Sendable>: Sendable {
    @usableFromInline let enqueue: @Sendable (Event, EffectToken?) -> Void
    /// Runs work after all that is queued before it.
    let enqueueWork: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Where running effects are counted, if anybody wants to know.
    let census: CensusEntry?

    /// Queues an event that will be reduced whatever happens until then.
    public func send(_ event: Event) { enqueue(event, nil) }

    /// The output of a part, whose events are embedded in those of the whole.
    func pullback<Local>(_ embed: @escaping @Sendable (Local) -> Event) -> FeedbackOutput<Local> {
        let enqueue = enqueue
        return FeedbackOutput<Local>(enqueue: { enqueue(embed($0), $1) }, enqueueWork: enqueueWork, census: census)
    }
}

/// The identity of one run of an effect. What it has queued counts as long as it is not withdrawn.
@usableFromInline
final class EffectToken: Sendable {
    private let withdrawn = Atomic(false)

    @usableFromInline
    init() {}

    @usableFromInline var isWithdrawn: Bool { withdrawn.load(ordering: .acquiring) }

    @usableFromInline
    func withdraw() { withdrawn.store(true, ordering: .releasing) }
}

extension SignalProducer where Error == NoError {
    /// Sends all values to `output`, as those of one effect: for ``Feedback/custom(_:)``.
    ///
    /// Disposing the producer cancels the effect and withdraws those of its events that wait. It completes when the
    /// effect has completed and all its events are reduced, so that `flatMap(.latest)` withdraws what waits also when
    /// the effect has completed meanwhile.
    public func enqueue(to output: FeedbackOutput<Value>) -> SignalProducer<Never, NoError> {
        SignalProducer<Never, NoError> { observer, lifetime in
            let token = EffectToken()
            lifetime.observeEnded { token.withdraw() }
            let scope = CompositeDisposable()
            lifetime += scope
            output.census?.began()
            begin(
                Observer(
                    receive: { output.enqueue($0, token) },
                    finish: { _ in
                        output.census?.ended()
                        output.enqueueWork { observer.sendCompleted() }
                    }),
                Lifetime(scope))
        }
    }
}
