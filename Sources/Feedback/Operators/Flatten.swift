extension SignalProducer where Value: SignalProducerConvertible, Error == Value.Error {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: SignalProducerConvertible, Value.Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @_disfavoredOverload  // As that of `flatMap`.
    @inlinable
    public func flatten(_ strategy: FlattenStrategy) -> SignalProducer<Value.Value, Error> {
        flatMap(strategy) { $0 }
    }
}

extension SignalProducer where Value: SignalProducerConvertible, Error == NoError {
    /// Delivers the values of the streams that this one delivers, brought together by `strategy`.
    @_disfavoredOverload  // As that of `flatMap`.
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
            after: stage,
            begin: { [self] observer, lifetime in
                let parts = Parts(at: stage.next.depth)
                if let chain = parts.chain { return beginFlattened(observer, lifetime, in: chain) }
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
        let part: Signal<Value, Error>.Observer
        if let steps = place.steps {
            let sink = Feedback::Observer<Value.Element, Error>(
                receive: { elements.send($0) }, finish: { elements.finish($0) })
            let run = FlattenedSequences<Value, Error>(sink, in: steps) { !elements.isObserved }
            part = Observer(receive: { run.append(.sequence($0)) }, finish: { run.append(.end($0)) })
        } else {
            part = Observer(
                receive: { values in
                    // The sequence may be endless.
                    var iterator = values.makeIterator()
                    while elements.isObserved, let element = iterator.next() { elements.send(element) }
                },
                finish: { elements.finish($0) })
        }
        unretainedProducer(at: place).begin(part, Lifetime(elements.scope))
        return Signal<Value.Element, Error>(core: elements)
    }
}

// MARK: - Machinery

extension SignalProducer where Value: Sequence, Value.Element: Sendable {
    /// Begins as the source of `flatten()` in a long chain.
    @usableFromInline
    func beginFlattened(_ observer: Observer<Value.Element, Error>, _ lifetime: Lifetime, in chain: Chain) {
        let run = FlattenedSequences<Value, Error>(observer, in: chain.deliveries) { lifetime.hasEnded }
        // Not each source delivers in the steps of the chain: that of `observe(on:)` does not.
        let part = Observer<Value, Error>(
            receive: { values in chain.deliver { run.append(.sequence(values)) } },
            finish: { end in chain.deliver { run.append(.end(end)) } })
        passing(chain, to: stage) { begin(part, lifetime) }
    }
}

/// Delivers the elements of sequences deep in a row of signals, or in a long chain of producers.
///
/// There, each of them takes its events in a step of its own, also one that may end the observation of an endless
/// sequence. So each element is delivered in a step of its own, and the others have their turn in between.
@usableFromInline
final class FlattenedSequences<Value: Sequence & Sendable, Error: Swift.Error>: @unchecked Sendable
where Value.Element: Sendable {
    // Sendable: the lane of `steps` guards its variables.
    @usableFromInline
    enum Item {
        case sequence(Value)
        case end(Termination<Error>)
    }

    private let sink: Observer<Value.Element, Error>
    private let steps: SignalLane
    private let isUnused: @Sendable () -> Bool
    private var waiting = Queue<Item>()
    private var iterator: Value.Iterator?
    private var isRunning = false

    @usableFromInline
    init(
        _ sink: Observer<Value.Element, Error>, in steps: SignalLane, isUnused: @escaping @Sendable () -> Bool
    ) {
        self.sink = sink
        self.steps = steps
        self.isUnused = isUnused
    }

    @usableFromInline
    func append(_ item: Item) {
        waiting.append(item)
        if !isRunning { runNext() }
    }

    private func runNext() {
        isRunning = true
        if !isUnused(), let element = iterator?.next() {
            sink.receive(element)
        } else {
            iterator = nil
            switch waiting.popFirst() {
            case let .sequence(values): iterator = values.makeIterator()
            case let .end(end): sink.finish(end)
            case nil: isRunning = false
            }
        }
        if isRunning { steps.perform { self.runNext() } }
    }
}
