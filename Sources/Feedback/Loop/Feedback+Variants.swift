/// Each variant takes its effects either as producers, or as an async function that returns an event, or `nil` for
/// none.
///
/// A feedback has the name of the function that makes it, unless you pass another one. ``FeedbackLoop/steps`` reports
/// it.
extension Feedback {
    // MARK: - While a state holds

    /// Starts the effect on every state that passes `predicate`, in place of the previous effect, and cancels it on the
    /// first state that does not pass.
    @inlinable
    public init<Effect: SignalProducerConvertible>(
        predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                { state, _ in
                    if predicate(state) { effect.start(effects(state).producer) } else { effect.cancel() }
                }
            })
    }

    /// Starts the effect when a state passes `predicate` and the state before it did not, or it is the first state.
    /// Cancels the effect on the next state that does not pass; states in between leave it alone.
    @inlinable
    public init<Effect: SignalProducerConvertible>(
        whenBecomesTrue predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                let wasTrue = Serial(false)
                return { state, _ in
                    let isTrue = predicate(state)
                    defer { wasTrue.value = isTrue }
                    switch (wasTrue.value, isTrue) {
                    case (false, true): effect.start(effects(state).producer)
                    case (true, false): effect.cancel()
                    default: break
                    }
                }
            })
    }

    // MARK: - While a part of the state is there

    /// Starts the effect on every state from which `transform` gets a value, in place of the previous effect, and
    /// cancels it on the first state for which `transform` returns `nil`.
    @inlinable
    public init<Control, Effect: SignalProducerConvertible>(
        lensing transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                { state, _ in
                    guard let control = transform(state) else { return effect.cancel() }
                    effect.start(effects(control).producer)
                }
            })
    }

    /// Starts the effect when the value that `transform` gets from the state changes, in place of the previous effect.
    /// When the value becomes `nil`, the effect is cancelled and none starts.
    ///
    /// A value that does not equal itself, such as one with a NaN in it, counts as changed after each event.
    @inlinable
    public init<Control: Equatable & Sendable, Effect: SignalProducerConvertible>(
        skippingRepeated transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                let last = Serial<Control?>(nil)
                return { state, _ in
                    let control = transform(state)
                    guard control != last.value else { return }
                    last.value = control
                    guard let control else { return effect.cancel() }
                    effect.start(effects(control).producer)
                }
            })
    }

    /// Starts the effect when the value that `transform` gets from the state changes, and again on each event that
    /// passes `isRestart`, in place of the previous effect. While the value is `nil`, there is no effect.
    ///
    /// ```swift
    /// // Loads the page that is asked for, and loads it again when the list has changed meanwhile.
    /// let paging = Feedback<State, Event>(skippingRepeated: \.wantedPage, restartingOn: { $0 == .didChange }) { page in
    ///     api.fetch().map(Event.didLoad).replaceError(Event.didFail)
    /// }
    /// ```
    @inlinable
    public init<Control: Equatable & Sendable, Effect: SignalProducerConvertible>(
        skippingRepeated transform: @escaping @Sendable (State) -> Control?,
        restartingOn isRestart: @escaping @Sendable (Event) -> Bool,
        effects: @escaping @Sendable (Control) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                let last = Serial<Control?>(nil)
                return { state, event in
                    let control = transform(state)
                    guard control != last.value || (event.map(isRestart) ?? false) else { return }
                    last.value = control
                    guard let control else { return effect.cancel() }
                    effect.start(effects(control).producer)
                }
            })
    }

    /// Starts the effect with the first value that `transform` gets after `nil`, and cancels it on the next `nil`.
    /// Other values in between leave it alone.
    @inlinable
    public init<Control, Effect: SignalProducerConvertible>(
        firstValueAfterNil transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                let hadValue = Serial(false)
                return { state, _ in
                    let control = transform(state)
                    defer { hadValue.value = control != nil }
                    guard let control else { return effect.cancel() }
                    if !hadValue.value { effect.start(effects(control).producer) }
                }
            })
    }

    // MARK: - On an event

    /// Starts the effect on each event from which `extract` gets a payload, in place of the previous effect. Other
    /// events leave it alone.
    ///
    /// - Parameter effects: Gets the payload, and the state after the event.
    @inlinable
    public init<Payload, Effect: SignalProducerConvertible>(
        extracting extract: @escaping @Sendable (Event) -> Payload?,
        effects: @escaping @Sendable (Payload, State) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            watching: { effect in
                { state, event in
                    guard let payload = event.flatMap(extract) else { return }
                    effect.start(effects(payload, state).producer)
                }
            })
    }

    /// Starts the effect on each event from which `extract` gets a payload, in place of the previous effect. Other
    /// events leave it alone.
    @inlinable
    public init<Payload, Effect: SignalProducerConvertible>(
        extracting extract: @escaping @Sendable (Event) -> Payload?,
        effects: @escaping @Sendable (Payload) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(extracting: extract, effects: { payload, _ in effects(payload) }, name: name)
    }
}
