extension SignalProducer {
    /// Delivers what `transform` makes of each value.
    @inlinable
    public func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> SignalProducer<U, Error> {
        SignalProducer<U, Error>(begin: { [begin] observer, lifetime in
            let receive = observer.receive
            begin(observer.contramap { receive(transform($0)) }, lifetime)
        })
    }

    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
        SignalProducer(begin: { [begin] observer, lifetime in
            let receive = observer.receive
            begin(observer.contramap { if isIncluded($0) { receive($0) } }, lifetime)
        })
    }
}
extension Signal {
    @inlinable
    public func map<U>(_ transform: @escaping @Sendable (Value) -> U) -> Signal<U, Error> {
        lift { $0.map(transform) }
    }
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
        lift { $0.filter(isIncluded) }
    }
}

extension SignalProducer {
    /// Delivers `value` before all others.
    func starting(with value: Value) -> SignalProducer {
        SignalProducer(begin: { [begin] observer, lifetime in
            observer.receive(value)
            begin(observer, lifetime)
        })
    }
}
