/// A state together with the way to send events: all that a view needs of a loop.
///
/// ```swift
/// struct CitiesView: View {
///     let context: Context<CitiesState, CitiesEvent>
///     var body: some View { Button(context.title) { context.send(.refresh) } }
/// }
/// ```
@dynamicMemberLookup
public struct Context<State: Sendable, Event: Sendable>: Sendable {
    /// The state at the time when the context was made.
    public let state: State
    private let sendEvent: @Sendable (Event) -> Void

    /// Makes a context of any state, for previews and tests.
    public init(state: State, send: @escaping @Sendable (Event) -> Void) {
        self.state = state
        sendEvent = send
    }

    /// A part of the state.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
        state[keyPath: keyPath]
    }

    /// Sends an event to the loop.
    public func send(_ event: Event) { sendEvent(event) }

    /// The function that sends an event that is known now: `Button("Refresh", action: context.action(.refresh))`.
    public func action(_ event: Event) -> @Sendable () -> Void {
        { [sendEvent] in sendEvent(event) }
    }

    /// Returns a context of a part of the state. The events that are sent to it are embedded in those of the whole.
    public func scoped<LocalState, LocalEvent>(
        to value: (State) -> LocalState, event embed: @escaping @Sendable (LocalEvent) -> Event
    ) -> Context<LocalState, LocalEvent> {
        Context<LocalState, LocalEvent>(state: value(state), send: { [sendEvent] in sendEvent(embed($0)) })
    }
}

extension FeedbackLoop {
    /// The current state, with the way to send events. It does not keep the loop alive.
    public var context: Context<State, Event> { Context(state: state, send: sendWeakly) }

    /// Emits a context at once, then one after each event.
    public var contexts: SignalProducer<Context<State, Event>, NoError> {
        let send = sendWeakly
        return producer.map { Context(state: $0, send: send) }
    }

    private var sendWeakly: @Sendable (Event) -> Void {
        { [weak core] event in _ = core?.send(event) }
    }
}
