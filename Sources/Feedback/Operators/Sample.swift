extension SignalProducer {
    /// Delivers each value together with the latest one of `samplee`; nothing until that has delivered one.
    ///
    /// `samplee` is started first, and disposed at the end. Its own end does not matter.
    @inlinable
    public func withLatest<Samplee: SignalProducerConvertible>(
        from samplee: Samplee
    ) -> SignalProducer<(Value, Samplee.Value), Error> where Samplee.Error == NoError {
        withLatest(from: samplee.producer)
    }

    @inlinable
    func withLatest<U>(from samplee: SignalProducer<U, NoError>) -> SignalProducer<(Value, U), Error> {
        if isSpecialized(forLarge: (Value, U).self) { return unspecialized.withLatest(from: samplee) }
        let deepest = stage.deeper(samplee.stage)
        return SignalProducer<(Value, U), Error>(.guarded, of: deepest) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: U?.none)
            parts.begin(
                samplee, Observer(receive: { junction.take($0) { $0.state = $1 } }, finish: { _ in }), within: lifetime)
            let part = Observer<Value, Error>(
                receive: { value in
                    junction.take(value) { junction, value in
                        if let latest = junction.state { junction.deliver((value, latest)) }
                    }
                },
                finish: { junction.finish($0) })
            parts.begin(self, part, lifetime)
        }
    }

    /// Delivers the latest value, together with that of `sampler`, each time `sampler` delivers one; nothing until this
    /// producer has delivered one.
    ///
    /// It completes when both have completed; an interruption of one is the end of the whole.
    public func sample<Sampler: SignalProducerConvertible>(
        with sampler: Sampler
    ) -> SignalProducer<(Value, Sampler.Value), Error> where Sampler.Error == NoError {
        sample(with: sampler.producer)
    }

    /// Delivers the latest value each time `sampler` delivers one; nothing until this producer has delivered one.
    ///
    /// It completes when both have completed; an interruption of one is the end of the whole.
    public func sample(on sampler: some SignalProducerConvertible<Void, NoError>) -> SignalProducer {
        sample(with: sampler.producer).map { $0.0 }
    }

    func sample<U>(with sampler: SignalProducer<U, NoError>) -> SignalProducer<(Value, U), Error> {
        SignalProducer<(Value, U), Error>(.guarded, of: stage.deeper(sampler.stage)) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: Sampling<Value>())
            let finish: @Sendable (Termination<Error>) -> Void = { end in
                guard case .completed = end else { return junction.finish(end) }
                junction.take(()) { junction, _ in
                    junction.state.running -= 1
                    if junction.state.running == 0 { junction.deliver(.completed) }
                }
            }
            let sampled = Observer<Value, Error>(
                receive: { junction.take($0) { $0.state.latest = $1 } }, finish: finish)
            parts.begin(self, sampled, within: lifetime)
            let sampling = Observer<U, NoError>(
                receive: { sample in
                    junction.take(sample) { junction, sample in
                        if let latest = junction.state.latest { junction.deliver((latest, sample)) }
                    }
                },
                finish: { finish($0.mapError()) })
            parts.begin(sampler, sampling, within: lifetime)
        }
    }
}

private struct Sampling<Value: Sendable> {
    var latest: Value?
    var running = 2
}

// MARK: - Signal

extension Signal {
    /// Delivers each value together with the latest one of `samplee`; nothing until that has delivered one.
    ///
    /// `samplee` is disposed at the end. Its own end does not matter.
    @inlinable
    public func withLatest<Samplee: SignalProducerConvertible>(
        from samplee: Samplee
    ) -> Signal<(Value, Samplee.Value), Error> where Samplee.Error == NoError {
        derive { $0.withLatest(from: samplee) }
    }

    /// Delivers the latest value, together with that of `sampler`, each time `sampler` delivers one; nothing until this
    /// signal has delivered one.
    ///
    /// It completes when both have completed; an interruption of one is the end of the whole.
    public func sample<U>(with sampler: Signal<U, NoError>) -> Signal<(Value, U), Error> {
        derive { $0.sample(with: sampler.unretainedProducer) }
    }

    /// Delivers the latest value each time `sampler` delivers one; nothing until this signal has delivered one.
    ///
    /// It completes when both have completed; an interruption of one is the end of the whole.
    public func sample(on sampler: Signal<Void, NoError>) -> Signal {
        derive { $0.sample(on: sampler.unretainedProducer) }
    }
}
