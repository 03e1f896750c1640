/// The variants with an async function for an effect: it returns the event, or `nil` for none. It runs in a task, which is
/// cancelled with the effect; what it returns after that counts for nothing.
///
/// ```swift
/// let loading = Feedback<State, Event>(whenBecomesTrue: \.isLoading) { _ in
///     do throws(ApiError) {
///         return .didLoad(try await api.cities())
///     } catch {
///         return .didFail(error)
///     }
/// }
/// ```
extension Feedback {
    /// Starts the effect on every state that passes `predicate`, in place of the one before, and cancels it on the
    /// first state that does not pass.
    public init(
        predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) async -> Event?,
        name: String = #function
    ) {
        self.init(predicate: predicate, effects: { state in task { await effects(state) } }, name: name)
    }

    /// Starts the effect on the first state that passes `predicate` after one that did not, and cancels it on the first
    /// that does not pass again. In between it is left alone.
    public init(
        whenBecomesTrue predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) async -> Event?,
        name: String = #function
    ) {
        self.init(whenBecomesTrue: predicate, effects: { state in task { await effects(state) } }, name: name)
    }

    /// Starts the effect on every state from which `transform` gets a value, in place of the one before, and cancels it
    /// on the first without.
    public init<Control: Sendable>(
        lensing transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(lensing: transform, effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect when what `transform` gets from the state differs from what it got before, in place of the
    /// effect before; on `nil` the effect is cancelled and none starts.
    public init<Control: Equatable & Sendable>(
        skippingRepeated transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(skippingRepeated: transform, effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect when what `transform` gets from the state differs from what it got before, and starts it anew on
    /// each event that passes `isRestart`, in place of the effect before; on `nil` the effect is cancelled and none starts.
    public init<Control: Equatable & Sendable>(
        skippingRepeated transform: @escaping @Sendable (State) -> Control?,
        restartingOn isRestart: @escaping @Sendable (Event) -> Bool,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(
            skippingRepeated: transform, restartingOn: isRestart,
            effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect with the first value that `transform` gets after `nil`, and cancels it on the next `nil`.
    /// Other values in between leave it alone.
    public init<Control: Sendable>(
        firstValueAfterNil transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(firstValueAfterNil: transform, effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect on each event from which `extract` gets a payload, in place of the one before. Other events
    /// leave it alone.
    ///
    /// - Parameter effects: Gets the payload, and the state after the event.
    public init<Payload: Sendable>(
        extracting extract: @escaping @Sendable (Event) -> Payload?,
        effects: @escaping @Sendable (Payload, State) async -> Event?,
        name: String = #function
    ) {
        self.init(
            extracting: extract, effects: { payload, state in task { await effects(payload, state) } }, name: name)
    }

    /// Starts the effect on each event from which `extract` gets a payload, in place of the one before. Other events
    /// leave it alone.
    public init<Payload: Sendable>(
        extracting extract: @escaping @Sendable (Event) -> Payload?,
        effects: @escaping @Sendable (Payload) async -> Event?,
        name: String = #function
    ) {
        self.init(extracting: extract, effects: { payload in task { await effects(payload) } }, name: name)
    }

    /// Starts the effect of each value that `transform` makes from the states; the one before it is cancelled.
    public init<Value: Sendable>(
        compacting transform:
            @escaping @Sendable (SignalProducer<State, NoError>) -> SignalProducer<Value, NoError>,
        effects: @escaping @Sendable (Value) async -> Event?,
        name: String = #function
    ) {
        self.init(compacting: transform, effects: { value in task { await effects(value) } }, name: name)
    }
}

private func task<Event: Sendable>(
    _ effect: @escaping @Sendable () async -> Event?
) -> SignalProducer<Event, NoError> {
    SignalProducer<Event?, NoError> { () async -> Event? in await effect() }.skipNil()
}
