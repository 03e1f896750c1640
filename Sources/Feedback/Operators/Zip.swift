extension SignalProducer {
    /// Delivers the first values of all together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the others waits without a limit.
    public static func zip<each Other: Sendable>(
        _ first: any SignalProducerConvertible<Value, Error>,
        _ others: repeat any SignalProducerConvertible<each Other, Error>
    ) -> SignalProducer<(Value, repeat each Other), Error> {
        SignalProducer<(Value, repeat each Other), Error>(
            joining: zipping(first.producer, repeat (each others).producer))
    }

    /// Delivers the first values of both together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the other waits without a limit.
    @inlinable
    public static func zip<Other: Sendable>(
        _ first: some SignalProducerConvertible<Value, Error>, _ second: some SignalProducerConvertible<Other, Error>
    ) -> SignalProducer<(Value, Other), Error> {
        SignalProducer<(Value, Other), Error>(joining: zipping(first.producer, with: second.producer))
    }

    /// Delivers the first values of both together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the other waits without a limit.
    @inlinable
    public func zip<Other: SignalProducerConvertible>(
        with other: Other
    ) -> SignalProducer<(Value, Other.Value), Error> where Other.Error == Error {
        SignalProducer<(Value, Other.Value), Error>(joining: zipping(self, with: other.producer))
    }

    /// Delivers the first values of all together, in their order, then their second ones, and so on. If there are no
    /// producers, delivers `emptySentinel`, if that is given.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the others waits without a limit.
    public static func zip<Producers: Sequence>(
        _ producers: Producers, emptySentinel: [Value]? = nil
    ) -> SignalProducer<[Value], Error>
    where Producers.Element: SignalProducerConvertible<Value, Error> {
        let producers = producers.map(\.producer)
        if producers.isEmpty { return emptySentinel.map { SignalProducer<[Value], Error>(value: $0) } ?? .empty }
        return SignalProducer<[Value], Error>(joining: zipping(all: producers))
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the first values of all together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the others waits without a limit.
    public static func zip<each Other: Sendable>(
        _ first: Signal, _ others: repeat Signal<each Other, Error>
    ) -> Signal<(Value, repeat each Other), Error> {
        SignalProducer<(Value, repeat each Other), Error>(
            joining: zipping(first.unretainedProducer, repeat (each others).unretainedProducer)
        ).asSignal()
    }

    /// Delivers the first values of both together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the other waits without a limit.
    @inlinable
    public static func zip<Other: Sendable>(
        _ first: Signal, _ second: Signal<Other, Error>
    ) -> Signal<(Value, Other), Error> {
        first.zip(with: second)
    }

    /// Delivers the first values of both together, then their second ones, and so on.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the other waits without a limit.
    @inlinable
    public func zip<U>(with other: Signal<U, Error>) -> Signal<(Value, U), Error> {
        let place = SignalPlace(after: [core.place, other.core.place])
        return SignalProducer<(Value, U), Error>(
            joining: zipping(unretainedProducer(at: place), with: other.unretainedProducer(at: place))
        ).asSignal(at: place)
    }

    /// Delivers the first values of all together, in their order, then their second ones, and so on. If there are no
    /// signals, it completes at once.
    ///
    /// It completes when one has completed and all of its values were delivered; a failure or an interruption of one is
    /// the end of the whole. What one delivers ahead of the others waits without a limit.
    public static func zip(_ signals: some Sequence<Signal>) -> Signal<[Value], Error> {
        SignalProducer.zip(signals.map(\.unretainedProducer)).asSignal()
    }
}
