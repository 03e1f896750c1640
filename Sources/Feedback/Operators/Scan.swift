extension SignalProducer {
    /// Delivers for each value the result of `nextPartialResult` for the previous result, at first `initialResult`, and
    /// the value.
    @inlinable
    public func scan<U: Sendable>(
        _ initialResult: U, _ nextPartialResult: @escaping @Sendable (U, Value) -> U
    ) -> SignalProducer<U, Error> {
        scan(into: initialResult) { $0 = nextPartialResult($0, $1) }
    }

    /// Delivers for each value the result so far, at first `initialResult`, after `nextPartialResult` has changed it in
    /// place.
    @inlinable
    public func scan<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> SignalProducer<U, Error> {
        if isSpecialized(forLarge: (Value, U).self) {
            return unspecialized.scan(into: initialResult, nextPartialResult)
        }
        return SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let result = Serial(initialResult)
                begin(
                    observer.contramap { value in
                        nextPartialResult(&result.value, value)
                        receive(result.value)
                    }, lifetime)
            })
    }

    /// Delivers for each value the second part of what `next` returns for a state and the value; the first part
    /// replaces the state.
    @inlinable
    public func scanMap<State: Sendable, U>(
        _ initialState: State, _ next: @escaping @Sendable (State, Value) -> (State, U)
    ) -> SignalProducer<U, Error> {
        scanMap(into: initialState) { state, value in
            let (newState, result) = next(state, value)
            state = newState
            return result
        }
    }

    /// Delivers for each value what `next` returns for it and for a state, which `next` changes in place.
    @inlinable
    public func scanMap<State: Sendable, U>(
        into initialState: State, _ next: @escaping @Sendable (inout State, Value) -> U
    ) -> SignalProducer<U, Error> {
        if isSpecialized(forLarge: (Value, State, U).self) { return unspecialized.scanMap(into: initialState, next) }
        return SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let state = Serial(initialState)
                begin(observer.contramap { receive(next(&state.value, $0)) }, lifetime)
            })
    }

    /// Delivers, when the work completes, the result of `nextPartialResult` for `initialResult` and all values.
    @inlinable
    public func reduce<U: Sendable>(
        _ initialResult: U, _ nextPartialResult: @escaping @Sendable (U, Value) -> U
    ) -> SignalProducer<U, Error> {
        reduce(into: initialResult) { $0 = nextPartialResult($0, $1) }
    }

    /// Delivers, when the work completes, the result of `nextPartialResult` for `initialResult` and all values. It
    /// changes the result in place.
    @inlinable
    public func reduce<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> SignalProducer<U, Error> {
        if isSpecialized(forLarge: (Value, U).self) {
            return unspecialized.reduce(into: initialResult, nextPartialResult)
        }
        return SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let result = Serial(initialResult)
                let part = Observer<Value, Error>(
                    receive: { nextPartialResult(&result.value, $0) },
                    finish: { end in
                        guard case .completed = end else { return observer.finish(end) }
                        observer.receive(result.value)
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }

    /// Delivers each value together with the one before it; nothing for the first.
    @inlinable
    public func combinePrevious() -> SignalProducer<(Value, Value), Error> {
        combiningPrevious(nil)
    }

    /// Delivers each value together with the one before it; the first together with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> SignalProducer<(Value, Value), Error> {
        combiningPrevious(initial)
    }

    @inlinable
    func combiningPrevious(_ initial: Value?) -> SignalProducer<(Value, Value), Error> {
        if isSpecialized(forLarge: Value.self) { return unspecialized.combiningPrevious(initial) }
        return SignalProducer<(Value, Value), Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let previous = Serial(initial)
                begin(
                    observer.contramap { value in
                        let before = previous.value
                        previous.value = value
                        if let before { receive((before, value)) }
                    }, lifetime)
            })
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers for each value the result of `nextPartialResult` for the previous result, at first `initialResult`, and
    /// the value.
    @inlinable
    public func scan<U: Sendable>(
        _ initialResult: U, _ nextPartialResult: @escaping @Sendable (U, Value) -> U
    ) -> Signal<U, Error> {
        passing { $0.scan(initialResult, nextPartialResult) }
    }

    /// Delivers for each value the result so far, at first `initialResult`, after `nextPartialResult` has changed it in
    /// place.
    @inlinable
    public func scan<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> Signal<U, Error> {
        passing { $0.scan(into: initialResult, nextPartialResult) }
    }

    /// Delivers for each value the second part of what `next` returns for a state and the value; the first part
    /// replaces the state.
    @inlinable
    public func scanMap<State: Sendable, U>(
        _ initialState: State, _ next: @escaping @Sendable (State, Value) -> (State, U)
    ) -> Signal<U, Error> {
        passing { $0.scanMap(initialState, next) }
    }

    /// Delivers for each value what `next` returns for it and for a state, which `next` changes in place.
    @inlinable
    public func scanMap<State: Sendable, U>(
        into initialState: State, _ next: @escaping @Sendable (inout State, Value) -> U
    ) -> Signal<U, Error> {
        passing { $0.scanMap(into: initialState, next) }
    }

    /// Delivers, when the signal completes, the result of `nextPartialResult` for `initialResult` and all values.
    @inlinable
    public func reduce<U: Sendable>(
        _ initialResult: U, _ nextPartialResult: @escaping @Sendable (U, Value) -> U
    ) -> Signal<U, Error> {
        passing { $0.reduce(initialResult, nextPartialResult) }
    }

    /// Delivers, when the signal completes, the result of `nextPartialResult` for `initialResult` and all values. It
    /// changes the result in place.
    @inlinable
    public func reduce<U: Sendable>(
        into initialResult: U, _ nextPartialResult: @escaping @Sendable (inout U, Value) -> Void
    ) -> Signal<U, Error> {
        passing { $0.reduce(into: initialResult, nextPartialResult) }
    }

    /// Delivers each value together with the one before it; nothing for the first.
    @inlinable
    public func combinePrevious() -> Signal<(Value, Value), Error> {
        passing { $0.combinePrevious() }
    }

    /// Delivers each value together with the one before it; the first together with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> Signal<(Value, Value), Error> {
        passing { $0.combinePrevious(initial) }
    }
}
