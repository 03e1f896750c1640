extension SignalProducer {
    /// Delivers the values of all `producers`, as they arrive.
    ///
    /// It completes when all have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public static func merge(_ producers: any SignalProducerConvertible<Value, Error>...) -> SignalProducer {
        merging(producers.map { $0.producer })
    }

    /// Delivers the values of all `producers`, as they arrive.
    ///
    /// It completes when all have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public static func merge<Producers: Sequence>(
        _ producers: Producers
    ) -> SignalProducer where Producers.Element: SignalProducerConvertible<Value, Error> {
        merging(producers.map(\.producer))
    }

    /// Delivers what this producer and `other` deliver.
    ///
    /// It completes when both have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public func merge(with other: SignalProducer) -> SignalProducer {
        .merging([self, other])
    }

    /// Delivers what this producer and `other` deliver.
    ///
    /// It completes when both have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public func merge(with other: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        .merging([self, other.producer])
    }

    @inlinable
    static func merging(_ producers: [SignalProducer]) -> SignalProducer {
        SignalProducer<SignalProducer, Error>(producers).flattening(.merge) { $0 }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the values of all `signals`, as they arrive.
    ///
    /// It completes when all have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public static func merge(_ signals: Signal...) -> Signal {
        merge(signals)
    }

    /// Delivers the values of all `signals`, as they arrive.
    ///
    /// It completes when all have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public static func merge(_ signals: some Sequence<Signal>) -> Signal {
        SignalProducer.merging(signals.map(\.unretainedProducer)).asSignal()
    }

    /// Delivers what this signal and `other` deliver.
    ///
    /// It completes when both have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public func merge(with other: Signal) -> Signal {
        Signal.merge(self, other)
    }
}
