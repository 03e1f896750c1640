extension SignalProducer {
    /// Delivers all but the first `count` values.
    @inlinable
    public func skip(first count: Int) -> SignalProducer {
        precondition(count >= 0, "skip(first:) needs a count of zero or more.")
        if isSpecialized(forLarge: Value.self) { return unspecialized.skip(first: count) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let left = Serial(count)
                begin(
                    observer.contramap { value in
                        if left.value == 0 { return receive(value) }
                        left.value -= 1
                    }, lifetime)
            })
    }

    /// Delivers the first value that `shouldContinue` does not accept, and all that follow it.
    @inlinable
    public func skip(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.skip(while: shouldContinue) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let receive = observer.receive
                let isSkipping = Serial(true)
                begin(
                    observer.contramap { value in
                        if isSkipping.value, shouldContinue(value) { return }
                        isSkipping.value = false
                        receive(value)
                    }, lifetime)
            })
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers all but the first `count` values.
    @inlinable
    public func skip(first count: Int) -> Signal {
        passing { $0.skip(first: count) }
    }

    /// Delivers the first value that `shouldContinue` does not accept, and all that follow it.
    @inlinable
    public func skip(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> Signal {
        passing { $0.skip(while: shouldContinue) }
    }
}
