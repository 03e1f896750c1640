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
        let depth = producers.reduce(0) { max($0, $1.stage.depth) } &+ 1
        if depth >= Stage.segment { return merging(producers, at: Stage(.work, depth: depth)) }
        let merged = SignalProducer<SignalProducer, Error>(producers).flattening(.merge) { $0 }
        return SignalProducer(at: Stage(merged.stage.origin, depth: depth), begin: merged.begin)
    }

    /// The same for a long chain of merges.
    @usableFromInline
    static func merging(_ producers: [SignalProducer], at stage: Stage) -> SignalProducer {
        SignalProducer(
            at: stage,
            begin: { observer, lifetime in
                let chain = ThreadState.current.takeChain()
                let runner = FlattenRunner(.merge, observer, lifetime, in: SignalLane(), disposals: chain?.disposals)
                // Each in a step of its own, so that the next one starts after all parts of the one before.
                for producer in producers {
                    perform(in: chain) { passing(chain, to: producer.stage) { runner.arrive(producer) } }
                }
                perform(in: chain) { runner.finishOuter(.completed) }
            })
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
        let signals = Array(signals)
        let place = SignalPlace(after: signals.map(\.core.place))
        return SignalProducer.merging(signals.map { $0.unretainedProducer(at: place) }).asSignal(at: place)
    }

    /// Delivers what this signal and `other` deliver.
    ///
    /// It completes when both have completed or were interrupted; a failure of one is the end of the whole.
    @inlinable
    public func merge(with other: Signal) -> Signal {
        Signal.merge(self, other)
    }
}
