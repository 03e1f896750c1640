// The overloads for a context that gives the type of the result.

extension SignalProducer {
    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: SignalProducer<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first stream says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable>(
        _ a: some SignalProducerConvertible<A, Error>, _ b: some SignalProducerConvertible<B, Error>
    ) -> SignalProducer where Value == (A, B) {
        SignalProducer(joining: combiningLatest(a.producer, with: b.producer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: SignalProducer<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first stream says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
        _ a: some SignalProducerConvertible<A, Error>, _ b: some SignalProducerConvertible<B, Error>,
        _ c: some SignalProducerConvertible<C, Error>
    ) -> SignalProducer where Value == (A, B, C) {
        SignalProducer(joining: combiningLatest(a.producer, b.producer, c.producer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: SignalProducer<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first stream says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: some SignalProducerConvertible<A, Error>, _ b: some SignalProducerConvertible<B, Error>,
        _ c: some SignalProducerConvertible<C, Error>, _ d: some SignalProducerConvertible<D, Error>
    ) -> SignalProducer where Value == (A, B, C, D) {
        SignalProducer(joining: combiningLatest(a.producer, b.producer, c.producer, d.producer))
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: Signal<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first signal says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable>(
        _ a: Signal<A, Error>, _ b: Signal<B, Error>
    ) -> Signal where Value == (A, B) {
        Signal(joining: combiningLatest(a.unretainedProducer, with: b.unretainedProducer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: Signal<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first signal says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
        _ a: Signal<A, Error>, _ b: Signal<B, Error>, _ c: Signal<C, Error>
    ) -> Signal where Value == (A, B, C) {
        Signal(joining: combiningLatest(a.unretainedProducer, b.unretainedProducer, c.unretainedProducer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    ///
    /// Use it where the context gives the type: `let pair: Signal<(A, B), E> = .combineLatest(a, b)`.
    @inlinable
    @_disfavoredOverload  // In other places the first signal says what `Value` is.
    public static func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ a: Signal<A, Error>, _ b: Signal<B, Error>, _ c: Signal<C, Error>, _ d: Signal<D, Error>
    ) -> Signal where Value == (A, B, C, D) {
        Signal(
            joining: combiningLatest(
                a.unretainedProducer, b.unretainedProducer, c.unretainedProducer, d.unretainedProducer))
    }
}

// MARK: - Property

extension Property {
    /// The property of both values.
    ///
    /// Use it where the context gives the type: `let pair: Property<(A, B)> = .combineLatest(a, b)`.
    @_disfavoredOverload  // In other places the first property says what `Value` is.
    public static func combineLatest<A: PropertyProtocol, B: PropertyProtocol>(
        _ a: A, _ b: B
    ) -> Property where Value == (A.Value, B.Value) {
        a.combineLatest(with: b)
    }
}
