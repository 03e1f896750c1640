/// The variants whose effect is an async function. The function returns an event, or `nil` for none. It runs in a task,
/// which is cancelled with the effect; an event that it returns after that is ignored.
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
    /// Starts the effect on every state that passes `predicate`, in place of the previous effect, and cancels it on the
    /// first state that does not pass.
    public init(
        predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) async -> Event?,
        name: String = #function
    ) {
        self.init(predicate: predicate, effects: { state in task { await effects(state) } }, name: name)
    }

    /// Starts the effect when a state passes `predicate` and the state before it did not, or it is the first state.
    /// Cancels the effect on the next state that does not pass; states in between leave it alone.
    public init(
        whenBecomesTrue predicate: @escaping @Sendable (State) -> Bool,
        effects: @escaping @Sendable (State) async -> Event?,
        name: String = #function
    ) {
        self.init(whenBecomesTrue: predicate, effects: { state in task { await effects(state) } }, name: name)
    }

    /// Starts the effect on every state from which `transform` gets a value, in place of the previous effect, and
    /// cancels it on the first state for which `transform` returns `nil`.
    public init<Control: Sendable>(
        lensing transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(lensing: transform, effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect when the value that `transform` gets from the state changes, in place of the previous effect.
    /// When the value becomes `nil`, the effect is cancelled and none starts.
    public init<Control: Equatable & Sendable>(
        skippingRepeated transform: @escaping @Sendable (State) -> Control?,
        effects: @escaping @Sendable (Control) async -> Event?,
        name: String = #function
    ) {
        self.init(skippingRepeated: transform, effects: { control in task { await effects(control) } }, name: name)
    }

    /// Starts the effect when the value that `transform` gets from the state changes, and again on each event that
    /// passes `isRestart`, in place of the previous effect. While the value is `nil`, there is no effect.
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

    /// Starts the effect on each event from which `extract` gets a payload, in place of the previous effect. Other
    /// events leave it alone.
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

    /// Starts the effect on each event from which `extract` gets a payload, in place of the previous effect. Other
    /// events leave it alone.
    public init<Payload: Sendable>(
        extracting extract: @escaping @Sendable (Event) -> Payload?,
        effects: @escaping @Sendable (Payload) async -> Event?,
        name: String = #function
    ) {
        self.init(extracting: extract, effects: { payload in task { await effects(payload) } }, name: name)
    }

    /// Starts an effect for each value of the producer that `transform` makes from the states, in place of the previous
    /// effect.
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
