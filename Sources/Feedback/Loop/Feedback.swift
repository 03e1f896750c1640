/// A description of the effects that a loop starts for its states. The effects send events back into the loop. A
/// feedback is a value, and does nothing until a loop starts it.
///
/// ```swift
/// func whenLoading(api: API) -> Feedback<State, Event> {
///     Feedback(whenBecomesTrue: \.isLoading) { _ in
///         api.fetch().map(Event.didLoad).replaceError(Event.didFail)
///     }
/// }
/// ```
///
/// The variants differ in when an effect starts and when it is cancelled. In all of them, an effect that is cancelled
/// or replaced is disposed, and those of its events that are queued and not yet reduced are withdrawn, even if it has
/// completed meanwhile. After each event, and before the next one is reduced ("in the loop's turn"), the feedbacks look
/// at the state in their order.
public struct Feedback<State: Sendable, Event: Sendable>: Sendable {
    /// The name under which steps report the feedback.
    @usableFromInline let name: String
    /// Starts the feedback for one loop, in the loop's turn.
    @usableFromInline let attach: Attach

    /// Gets the scope in which the feedback is at work. Any thread may dispose it, also while the feedback is being
    /// started: what delivers without end before its start returns can only be ended in this way.
    ///
    /// Returns a function that is called in the loop's turn, with the first state and no event, then after each event;
    /// `nil` for a feedback that does not look at the state.
    @usableFromInline typealias Attach = @Sendable (FeedbackOutput<Event>, CompositeDisposable) -> Watch?
    @usableFromInline typealias Watch = @Sendable (State, Event?) -> Void

    @inlinable
    init(name: String, attach: @escaping Attach) {
        self.name = name
        self.attach = attach
    }

    /// Makes a feedback with one effect at a time.
    ///
    /// - Parameter watch: Makes the function that looks at the state after each event, and starts and cancels the
    ///   effect.
    @inlinable
    init(
        name: String,
        watching watch: @escaping @Sendable (_ effect: EffectSlot<Event>) -> Watch
    ) {
        self.init(
            name: name,
            attach: { output, scope in
                let slot = EffectSlot(output)
                scope.insert(slot)
                return watch(slot)
            })
    }

    // MARK: - From outside

    /// Sends each value of `source` as an event, from the loop's start to its end. These events are never withdrawn.
    ///
    /// ```swift
    /// let whenOnline = Feedback<State, Event>(source: connectivity.signal, as: Event.didChangeConnectivity)
    /// ```
    @inlinable
    public init<Value>(
        source: some SignalProducerConvertible<Value, NoError>, as event: @escaping @Sendable (Value) -> Event,
        name: String = #function
    ) {
        let producer = source.producer
        self.init(
            name: name,
            attach: { output, scope in
                producer.start({ output.send(event($0)) }, within: scope)
                return nil
            })
    }

    /// Sends each value of `source` as an event, from the loop's start to its end. These events are never withdrawn.
    @inlinable
    public init(source: some SignalProducerConvertible<Event, NoError>, name: String = #function) {
        self.init(source: source, as: { $0 }, name: name)
    }

    /// A feedback together with the function that sends events through it, into all loops that have it.
    public static var input: (feedback: Feedback, observer: @Sendable (Event) -> Void) {
        let (signal, observer) = Signal<Event, NoError>.pipe()
        return (Feedback(source: signal), { observer.send(value: $0) })
    }

    // MARK: - To the outside

    /// Calls `action` with each event and the state after it, in the loop's turn: for routes, messages to other parts
    /// of the program, and measurements.
    ///
    /// ```swift
    /// let saving = Feedback<State, Event>.onEvent { event, state in
    ///     if case .ui(.save) = event { library.send(.save(state.draft)) }
    /// }
    /// ```
    public static func onEvent(
        name: String = #function, _ action: @escaping @Sendable (Event, State) -> Void
    ) -> Feedback {
        Feedback(
            name: name,
            attach: { _, _ in { state, event in if let event { action(event, state) } } })
    }

    // MARK: - Free form

    /// Makes a feedback from a function that gets the states and sends events, for what no other variant does.
    ///
    /// - Parameter setup: Called when a loop starts. It gets the states, and the output that takes events. The states
    ///   are the first one, then one after each event, in the loop's turn; a producer of them that is started later
    ///   begins with the next state. Prefer `enqueue(to:)` for sending events: it withdraws those of an effect that is
    ///   cancelled, and ends work that delivers without end before `setup` returns. The disposable that `setup` returns
    ///   is disposed when the loop stops.
    public static func custom(
        name: String = #function,
        _ setup:
            @escaping @Sendable (
                _ states: SignalProducer<State, NoError>, _ output: FeedbackOutput<Event>
            ) -> any Disposable
    ) -> Feedback {
        .custom(name: name) { states, output, scope in scope.insert(setup(states, output)) }
    }

    private static func custom(
        name: String,
        _ setup:
            @escaping @Sendable (SignalProducer<State, NoError>, FeedbackOutput<Event>, CompositeDisposable) -> Void
    ) -> Feedback {
        Feedback(
            name: name,
            attach: { output, scope in
                let (states, observer) = Signal<State, NoError>.pipe()
                setup(states.producer, output, scope)
                scope.add { observer.sendCompleted() }
                return { state, _ in observer.send(value: state) }
            })
    }

    /// Starts an effect for each value of the producer that `transform` makes from the states, in place of the previous
    /// effect.
    ///
    /// ```swift
    /// let transform = { @Sendable (states: SignalProducer<State, NoError>) in
    ///     states.map(\.query).skipRepeats().debounce(.milliseconds(300), on: scheduler)
    /// }
    /// let searching = Feedback<State, Event>(compacting: transform) { query in
    ///     api.search(query).map(Event.didFind).replaceError(Event.didFail)
    /// }
    /// ```
    public init<Value, Effect: SignalProducerConvertible>(
        compacting transform:
            @escaping @Sendable (SignalProducer<State, NoError>) -> SignalProducer<Value, NoError>,
        effects: @escaping @Sendable (Value) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self = .custom(name: name) { states, output, scope in
            let slot = EffectSlot(output)
            transform(states).start({ slot.start(effects($0).producer) }, within: scope)
            scope.insert(slot)
        }
    }

    // MARK: - Composing

    /// Combines several feedbacks into one.
    public static func combine(_ feedbacks: [Feedback]) -> Feedback {
        Feedback(
            name: #function,
            attach: { output, scope in
                var watches: [Watch] = []
                // A feedback may stop the loop.
                for feedback in feedbacks where !output.route.effects.hasStopped {
                    if let watch = feedback.attach(output.named(feedback.name), scope) { watches.append(watch) }
                }
                return { [watches] state, event in
                    for watch in watches { watch(state, event) }
                }
            })
    }

    /// Combines several feedbacks into one.
    public static func combine(_ feedbacks: Feedback...) -> Feedback {
        combine(feedbacks)
    }

    /// Makes a feedback of a part into one of the whole.
    ///
    /// ```swift
    /// let saving: Feedback<State, Event> = .pullback(
    ///     Editor.whenSaving(api), value: \.editor, event: Event.editor
    /// ) {
    ///     if case let .editor(event) = $0 { event } else { nil }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - value: Gets the part's state from the whole's; a key path will do.
    ///   - embed: Embeds the part's events in the whole's.
    ///   - extract: Gets the part's event from the whole's; `nil` if it holds none. A feedback that starts its effects
    ///     on events sees only these events.
    @inlinable
    public static func pullback<LocalState, LocalEvent>(
        _ feedback: Feedback<LocalState, LocalEvent>,
        value: @escaping @Sendable (State) -> LocalState,
        event embed: @escaping @Sendable (LocalEvent) -> Event,
        extract: @escaping @Sendable (Event) -> LocalEvent?
    ) -> Feedback {
        Feedback(
            name: feedback.name,
            attach: { output, scope in
                guard let watch = feedback.attach(output.pullback(embed), scope) else { return nil }
                return { state, event in watch(value(state), event.flatMap(extract)) }
            })
    }
}
