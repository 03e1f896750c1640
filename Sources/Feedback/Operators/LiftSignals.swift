extension SignalProducer {
    /// Makes a producer that applies an operator of signals to the signal of each start.
    ///
    /// ```swift
    /// let shouted = names.lift { $0.map { $0.uppercased() }.skipRepeats() }
    /// ```
    public func lift<U, F>(
        _ transform: @escaping @Sendable (Signal<Value, Error>) -> Signal<U, F>
    ) -> SignalProducer<U, F> {
        SignalProducer<U, F> { [self] observer, lifetime in
            startWithSignal { signal, interruptHandle in
                lifetime += interruptHandle
                lifetime += transform(signal).observe(observer)
            }
        }
    }

    /// Makes a function of a second producer, which applies an operator of two signals to the signals of each start.
    ///
    /// ```swift
    /// let pairs = names.lift(Signal.zip(with:))(ages)
    /// ```
    public func lift<U, F, V, G>(
        _ transform: @escaping @Sendable (Signal<Value, Error>) -> @Sendable (Signal<U, F>) -> Signal<V, G>
    ) -> @Sendable (SignalProducer<U, F>) -> SignalProducer<V, G> {
        { other in
            SignalProducer<V, G> { [self] observer, lifetime in
                startWithSignal { signal, interruptHandle in
                    lifetime += interruptHandle
                    other.startWithSignal { otherSignal, otherHandle in
                        lifetime += otherHandle
                        lifetime += transform(signal)(otherSignal).observe(observer)
                    }
                }
            }
        }
    }
}
