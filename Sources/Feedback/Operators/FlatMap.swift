// Each combination of streams that can fail has two overloads: one for producers, so that `.empty` and the like need no
// type, and one for everything that is convertible to a producer. Those that give a stream without an error the other one's
// are disfavored: if the error is open, as that of `SignalProducer(value: 1)`, both have the same.

extension SignalProducer {
    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, Error>
    ) -> SignalProducer<U, Error> {
        flattening(strategy, transform)
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> SignalProducer<Inner.Value, Error> where Inner.Error == Error {
        flattening(strategy) { transform($0).producer }
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @_disfavoredOverload
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> SignalProducer<Inner.Value, Error> where Inner.Error == NoError {
        flattening(strategy) { transform($0).producer.promoteError() }
    }
}

extension SignalProducer where Error == NoError {
    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @_disfavoredOverload
    @inlinable
    public func flatMap<U, F>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, F>
    ) -> SignalProducer<U, F> {
        promoteError().flattening(strategy, transform)
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @_disfavoredOverload
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> SignalProducer<Inner.Value, Inner.Error> {
        promoteError().flattening(strategy) { transform($0).producer }
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, NoError>
    ) -> SignalProducer<U, NoError> {
        flattening(strategy, transform)
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> SignalProducer<Inner.Value, NoError> where Inner.Error == NoError {
        flattening(strategy) { transform($0).producer }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, Error>
    ) -> Signal<U, Error> {
        Signal<U, Error>(joining: unretainedProducer.joining(strategy, transform))
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> Signal<Inner.Value, Error> where Inner.Error == Error {
        Signal<Inner.Value, Error>(joining: unretainedProducer.joining(strategy) { transform($0).producer })
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @_disfavoredOverload
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> Signal<Inner.Value, Error> where Inner.Error == NoError {
        Signal<Inner.Value, Error>(
            joining: unretainedProducer.joining(strategy) { transform($0).producer.promoteError() })
    }
}

extension Signal where Error == NoError {
    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<U, F>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, F>
    ) -> Signal<U, F> {
        Signal<U, F>(joining: unretainedProducer.promoteError().joining(strategy, transform))
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> Signal<Inner.Value, Inner.Error> {
        Signal<Inner.Value, Inner.Error>(
            joining: unretainedProducer.promoteError().joining(strategy) { transform($0).producer })
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, NoError>
    ) -> Signal<U, NoError> {
        Signal<U, NoError>(joining: unretainedProducer.joining(strategy, transform))
    }

    /// Delivers the values of the stream that `transform` makes from each value, brought together by `strategy`.
    @inlinable
    public func flatMap<Inner: SignalProducerConvertible>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> Inner
    ) -> Signal<Inner.Value, NoError> where Inner.Error == NoError {
        Signal<Inner.Value, NoError>(joining: unretainedProducer.joining(strategy) { transform($0).producer })
    }
}

// MARK: - Machinery

extension SignalProducer {
    @inlinable
    func flattening<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, Error>
    ) -> SignalProducer<U, Error> {
        SignalProducer<U, Error>(joining: joining(strategy, transform))
    }

    @inlinable
    func joining<U>(
        _ strategy: FlattenStrategy, _ transform: @escaping @Sendable (Value) -> SignalProducer<U, Error>
    ) -> Confluence<U, Error> {
        if isSpecialized(forLarge: (Value, U).self) { return unspecialized.joining(strategy, transform) }
        return Confluence(of: stage) { observer, lifetime, lane, parts in
            let runner = FlattenRunner(strategy, observer, lifetime, in: lane)
            let outer = Observer<Value, Error>(
                receive: { runner.arrive(transform($0)) },
                finish: { runner.finishOuter($0) })
            parts.beginApart(self, outer, within: lifetime)
        }
    }
}
