extension SignalProducer where Value == Bool {
    /// Delivers true for false, and false for true.
    public func negate() -> SignalProducer { map(!) }

    /// Delivers whether the latest values of both are true.
    public func and(_ booleans: some SignalProducerConvertible<Bool, Error>) -> SignalProducer {
        combineLatest(with: booleans.producer).map { $0 && $1 }
    }

    /// Delivers whether the latest value of either is true.
    public func or(_ booleans: some SignalProducerConvertible<Bool, Error>) -> SignalProducer {
        combineLatest(with: booleans.producer).map { $0 || $1 }
    }

    /// Delivers whether the latest values of all are true; true for none.
    public static func all<Booleans: Collection>(
        _ booleans: Booleans
    ) -> SignalProducer where Booleans.Element: SignalProducerConvertible<Bool, Error> {
        combineLatest(booleans, emptySentinel: []).map { $0.allSatisfy { $0 } }
    }

    /// Delivers whether the latest values of all are true.
    public static func all(_ booleans: any SignalProducerConvertible<Bool, Error>...) -> SignalProducer {
        all(booleans.map { $0.producer })
    }

    /// Delivers whether the latest value of any is true; false for none.
    public static func any<Booleans: Collection>(
        _ booleans: Booleans
    ) -> SignalProducer where Booleans.Element: SignalProducerConvertible<Bool, Error> {
        combineLatest(booleans, emptySentinel: []).map { $0.contains(true) }
    }

    /// Delivers whether the latest value of any is true.
    public static func any(_ booleans: any SignalProducerConvertible<Bool, Error>...) -> SignalProducer {
        any(booleans.map { $0.producer })
    }
}

// MARK: - Signal

extension Signal where Value == Bool {
    /// Delivers true for false, and false for true.
    public func negate() -> Signal { map(!) }

    /// Delivers whether the latest values of both are true.
    public func and(_ signal: Signal) -> Signal {
        combineLatest(with: signal).map { $0 && $1 }
    }

    /// Delivers whether the latest value of either is true.
    public func or(_ signal: Signal) -> Signal {
        combineLatest(with: signal).map { $0 || $1 }
    }

    /// Delivers whether the latest values of all are true.
    public static func all(_ booleans: some Collection<Signal>) -> Signal {
        SignalProducer.all(booleans.map(\.unretainedProducer)).asSignal()
    }

    /// Delivers whether the latest values of all are true.
    public static func all(_ booleans: Signal...) -> Signal { all(booleans) }

    /// Delivers whether the latest value of any is true.
    public static func any(_ booleans: some Collection<Signal>) -> Signal {
        SignalProducer.any(booleans.map(\.unretainedProducer)).asSignal()
    }

    /// Delivers whether the latest value of any is true.
    public static func any(_ booleans: Signal...) -> Signal { any(booleans) }
}
