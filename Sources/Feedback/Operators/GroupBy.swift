/// The values of a stream that have the same key.
public struct Group<Key: Hashable & Sendable, Value: Sendable, Error: Swift.Error>: SignalProducerConvertible {
    /// The key that the values have in common.
    public let key: Key
    /// Delivers the values from now on, and ends as the whole does. Observe it when the group arrives, as its first value
    /// follows at once.
    public let signal: Signal<Value, Error>

    /// A producer that observes `signal` from each start on.
    public var producer: SignalProducer<Value, Error> { signal.producer }
}

extension SignalProducer {
    /// Delivers a group of values for each key, when the first value with that key arrives.
    ///
    /// ```swift
    /// events.groupBy(\.room).flatMap(.merge) { room in room.signal.throttle(.seconds(1), on: scheduler) }
    /// ```
    ///
    /// All groups end as this producer does; disposing a start interrupts them. The keys are kept until then.
    public func groupBy<Key: Hashable & Sendable>(
        _ key: @escaping @Sendable (Value) -> Key
    ) -> SignalProducer<Group<Key, Value, Error>, Error> {
        SignalProducer<Group<Key, Value, Error>, Error>(
            after: stage,
            begin: { [self] observer, lifetime in
                let parts = Parts(at: stage.next.depth)
                let inputs = Serial<[Key: Observer<Value, Error>]>([:])
                let part = Observer<Value, Error>(
                    receive: { value in
                        let key = key(value)
                        if let input = inputs.value[key] { return input.receive(value) }
                        let (signal, input) = Signal<Value, Error>.pipe()
                        inputs.value[key] = input
                        observer.receive(Group(key: key, signal: signal))
                        if !lifetime.hasEnded { input.receive(value) }
                    },
                    finish: { end in
                        let ending = inputs.value
                        inputs.value = [:]
                        for input in ending.values { input.finish(end) }
                        observer.finish(end)
                    })
                // Apart, so that a group has arrived before its first value.
                passing(parts.chain?.apart, to: stage) { begin(part, lifetime) }
            })
    }
}

extension Signal {
    /// Delivers a group of values for each key, when the first value with that key arrives.
    ///
    /// All groups end as this signal does. The keys are kept until then.
    public func groupBy<Key: Hashable & Sendable>(
        _ key: @escaping @Sendable (Value) -> Key
    ) -> Signal<Group<Key, Value, Error>, Error> {
        passing { $0.groupBy(key) }
    }
}
