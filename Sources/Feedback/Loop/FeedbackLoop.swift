/// A running state machine. It holds a state, a reducer changes the state by events, and feedbacks start effects, whose
/// events come back into the loop.
///
/// ```swift
/// let loop = FeedbackLoop(initial: State(), reduce: reduce, feedbacks: [whenLoading(api: api)])
/// loop.producer.startWithValues { render($0) }
/// loop.start()
/// loop.send(.refresh)
/// ```
///
/// - Each event that `send` accepts, on any thread, is reduced exactly once, in the order of acceptance. Events sent
///   while another one is handled, by a feedback or an observer, are reduced after it. No thread waits for another one,
///   and nothing recurses.
/// - The state is changed in place. The cost of handling an event does not depend on the size of the state, as long as
///   no code keeps a copy of it.
/// - Releasing the last reference to the loop stops it.
public final class FeedbackLoop<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let core: LoopCore<State, Event>

    /// The state as a property, which completes when the loop stops.
    public let property: Property<State>

    /// Makes a loop whose reducer changes the state in place.
    ///
    /// Events that are sent before ``start()`` wait for it. In a debug build, releasing a loop that has such events and
    /// was neither started nor stopped is a failed assertion.
    @inlinable
    public init(
        initial: State,
        reduce: @escaping @Sendable (inout State, Event) -> Void,
        feedbacks: [Feedback<State, Event>] = []
    ) {
        core = LoopCore(initial: initial, reduce: reduce, feedbacks: feedbacks)
        property = Property(core: core.state)
    }

    /// Makes a loop whose reducer returns the new state.
    ///
    /// Events that are sent before ``start()`` wait for it.
    @inlinable
    public convenience init(
        initial: State,
        reduce: @escaping @Sendable (State, Event) -> State,
        feedbacks: [Feedback<State, Event>] = []
    ) {
        self.init(initial: initial, reduce: { $0 = reduce($0, $1) }, feedbacks: feedbacks)
    }

    deinit {
        assert(
            !core.isForgotten,
            """
            A FeedbackLoop got events and was released without being started, so they were never reduced. Call start() \
            after making the loop; to drop the events on purpose, call stop().
            """)
        core.stop()
    }

    // MARK: - Running

    /// Starts the feedbacks, with the first state, and then handles events. Only the first call does anything.
    @inlinable
    public func start() { core.start() }

    /// Ends the loop for good: effects are cancelled, queued events are dropped, and `property` completes and keeps the
    /// last state.
    public func stop() { core.stop() }

    /// Queues an event. If the loop has been started and no event is being handled, the event is handled before this
    /// function returns. If events are being handled, by another thread or around this call, it is handled after them,
    /// and the state may not show it yet when this function returns.
    ///
    /// - Returns: True if the event was accepted; `false` once the loop has stopped.
    @inlinable
    @discardableResult
    public func send(_ event: Event) -> Bool {
        core.send(event)
    }

    // MARK: - Watching

    /// The current state.
    @inlinable
    public var state: State { core.state.value }

    /// The current state at once, then the state after each event. It does not keep the loop alive.
    @inlinable
    public var producer: SignalProducer<State, NoError> { property.producer }

    /// The state after each event from now on.
    public var signal: Signal<State, NoError> { property.signal }

    /// All that happens in the loop, for logs, inspectors and tests: events, effects, and what is withdrawn.
    ///
    /// ```swift
    /// loop.steps.startWithValues { step in
    ///     if case let .reduced(event, source, state) = step { print("\(event), from \(source): \(state)") }
    /// }
    /// ```
    ///
    /// The first step is ``LoopStep/initial(_:running:)``; if the loop has not been started, it comes with the start.
    /// Every later step follows in the order in which it happened, in the loop's turn: what a listener sends is reduced
    /// after the step that it received. The producer completes when the loop stops, after the withdrawn events. It does
    /// not keep the loop alive, and a loop without listeners spends nothing on it.
    public var steps: SignalProducer<LoopStep<State, Event>, NoError> {
        SignalProducer { [weak core] observer, lifetime in
            guard let core else { return observer.sendCompleted() }
            lifetime += core.addListener(observer)
        }
    }

    /// The states as an asynchronous sequence. It skips states that are replaced before the iteration asks for them,
    /// and ends with the loop.
    public var values: AsyncValues<State, NoError> { property.values }
}

extension FeedbackLoop: BindingTargetProvider {
    /// Takes events: `loop <~ buttonTaps.map { .refresh }`.
    public var bindingTarget: BindingTarget<Event> {
        BindingTarget(lifetime: Lifetime(core.scope)) { [weak core] event in _ = core?.send(event) }
    }
}

extension SignalProducer where Error == NoError {
    /// Makes a producer of the states of a loop: each start runs a loop of its own, and disposing stops it.
    ///
    /// Events that a feedback sends before its start returns are reduced after it. So a source or an effect that delivers
    /// without end on the starting thread is never stopped by `take(first:)`. Start it on a scheduler:
    /// `source.start(on: QueueScheduler())`.
    public static func system<Event>(
        initial: Value,
        reduce: @escaping @Sendable (inout Value, Event) -> Void,
        feedbacks: [Feedback<Value, Event>]
    ) -> SignalProducer {
        SignalProducer { observer, lifetime in
            let loop = FeedbackLoop(initial: initial, reduce: reduce, feedbacks: feedbacks)
            // Keeps the loop as long as the stream.
            lifetime.observeEnded { loop.stop() }
            loop.producer.start(observer)
            loop.start()
        }
    }

    /// Makes a producer of the states of a loop: each start runs a loop of its own, and disposing stops it.
    public static func system<Event>(
        initial: Value,
        reduce: @escaping @Sendable (Value, Event) -> Value,
        feedbacks: [Feedback<Value, Event>]
    ) -> SignalProducer {
        system(initial: initial, reduce: { $0 = reduce($0, $1) }, feedbacks: feedbacks)
    }
}
