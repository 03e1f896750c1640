/// Changes a state by an event, in place. A pure function: the same state and event always give the same result.
///
/// It runs while the loop's state is locked, so it must not read the loop. Sending is harmless, and not its business.
public typealias Reducer<State, Event> = @Sendable (inout State, Event) -> Void

/// The reducer that lets each of `reducers` handle each event, in this order.
public func combine<State, Event>(_ reducers: Reducer<State, Event>...) -> Reducer<State, Event> {
    { state, event in
        for reduce in reducers { reduce(&state, event) }
    }
}

/// Makes a reducer of a part into one of the whole.
///
/// ```swift
/// let reduce = combine(
///     pullback(Editor.reduce, value: \.editor, event: { if case let .editor(event) = $0 { event } else { nil } }),
///     App.reduce)
/// ```
///
/// - Parameters:
///   - value: Where the part's state is in the whole's.
///   - extract: Takes the part's event out of the whole's; `nil` if it holds none.
public func pullback<State, Event, LocalState, LocalEvent>(
    _ reduce: @escaping Reducer<LocalState, LocalEvent>,
    value: WritableKeyPath<State, LocalState> & Sendable,
    event extract: @escaping @Sendable (Event) -> LocalEvent?
) -> Reducer<State, Event> {
    { state, event in
        guard let event = extract(event) else { return }
        reduce(&state[keyPath: value], event)
    }
}

/// Makes a reducer of a part that is not always there into one of the whole; without the part, its events are dropped.
public func pullback<State, Event, LocalState, LocalEvent>(
    _ reduce: @escaping Reducer<LocalState, LocalEvent>,
    value: WritableKeyPath<State, LocalState?> & Sendable,
    event extract: @escaping @Sendable (Event) -> LocalEvent?
) -> Reducer<State, Event> {
    { state, event in
        guard let event = extract(event), var local = state[keyPath: value].take() else { return }
        reduce(&local, event)
        state[keyPath: value] = local
    }
}
