extension SignalProducer where Value: SignalProducerConvertible, Error == Value.Error {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: SignalProducerConvertible, Value.Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: SignalProducerConvertible, Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, Value.Error> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: SignalProducerConvertible, Error == NoError, Value.Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, NoError> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: Sequence, Value.Element: Sendable {
    /// Delivers the elements of each value.
    @inlinable
    public func flatten() -> SignalProducer<Value.Element, Error> {
        SignalProducer<Value.Element, Error>(
            stage.next.origin,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                begin(
                    observer.contramap { values in
                        for value in values {
                            // The sequence may be endless.
                            if lifetime.hasEnded { return }
                            receive(value)
                        }
                    }, lifetime)
            })
    }
}

// MARK: - Signal

extension Signal where Value: SignalProducerConvertible, Error == Value.Error {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> Signal<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension Signal where Value: SignalProducerConvertible, Value.Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> Signal<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension Signal where Value: SignalProducerConvertible, Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> Signal<Value.Value, Value.Error> {
        flatMap(strategy) { $0 }
    }
}

extension Signal where Value: SignalProducerConvertible, Error == NoError, Value.Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> Signal<Value.Value, NoError> {
        flatMap(strategy) { $0 }
    }
}

extension Signal where Value: Sequence, Value.Element: Sendable {
    /// Delivers the elements of each value.
    @inlinable
    public func flatten() -> Signal<Value.Element, Error> {
        // It has a lane of its own, in which an observer can go between two elements.
        let place = SignalPlace(after: [core.place])
        let elements = SignalCore<Value.Element, Error>(lane: SignalLane(steps: place.steps), depth: place.depth)
        let part = Observer(
            receive: { values in
                // The sequence may be endless.
                var iterator = values.makeIterator()
                while elements.isObserved, let element = iterator.next() { elements.send(element) }
            },
            finish: { elements.finish($0) })
        unretainedProducer(at: place).begin(part, Lifetime(elements.scope))
        return Signal<Value.Element, Error>(core: elements)
    }
}
