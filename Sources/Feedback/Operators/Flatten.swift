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
        let part: Signal<Value, Error>.Observer
        if let steps = place.steps {
            let run = FlattenedSequences<Value, Error>(elements, in: steps)
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

/// Delivers the elements of sequences deep in a row of signals.
///
/// There each signal takes its events in a step of its own, and so do those who may end the observation of an endless
/// sequence. So each element is delivered in another step, and the other signals have their turn in between.
@usableFromInline
final class FlattenedSequences<Value: Sequence & Sendable, Error: Swift.Error>: @unchecked Sendable
where Value.Element: Sendable {
    // Sendable: the lane of `steps` guards its variables.
    @usableFromInline
    enum Item {
        case sequence(Value)
        case end(Termination<Error>)
    }

    private let elements: SignalCore<Value.Element, Error>
    private let steps: SignalLane
    private var waiting = Queue<Item>()
    private var iterator: Value.Iterator?
    private var isRunning = false

    @usableFromInline
    init(_ elements: SignalCore<Value.Element, Error>, in steps: SignalLane) {
        self.elements = elements
        self.steps = steps
    }

    @usableFromInline
    func append(_ item: Item) {
        waiting.append(item)
        if !isRunning { runNext() }
    }

    private func runNext() {
        isRunning = true
        if elements.isObserved, let element = iterator?.next() {
            elements.send(element)
        } else {
            iterator = nil
            switch waiting.popFirst() {
            case let .sequence(values): iterator = values.makeIterator()
            case let .end(end): elements.finish(end)
            case nil: isRunning = false
            }
        }
        if isRunning { steps.perform { self.runNext() } }
    }
}
