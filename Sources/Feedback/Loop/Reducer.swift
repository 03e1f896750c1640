/// Changes a state by an event, in place. A pure function: the same state and event always give the same result.
///
/// It runs while the loop's state is locked, so it must not read the loop's state. It should not send events either:
/// that is what feedbacks are for.
public typealias Reducer<State, Event> = @Sendable (inout State, Event) -> Void

/// Returns a reducer that lets each of `reducers` handle each event, in this order.
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
///   - value: The key path from the whole's state to the part's.
///   - extract: Gets the part's event from the whole's; `nil` if it holds none.
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

/// Makes a reducer of an optional part into one of the whole. While the part is `nil`, its events are dropped.
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
