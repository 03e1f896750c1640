extension SignalProducer {
    /// Delivers the first `count` values and completes, which tears down the work.
    @inlinable
    public func take(first count: Int) -> SignalProducer {
        precondition(count >= 0, "take(first:) needs a count of zero or more.")
        if count == 0 { return .empty }
        if isSpecialized(forLarge: Value.self) { return unspecialized.take(first: count) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let left = Serial(count)
                let part = Observer<Value, Error>(
                    receive: { value in
                        guard left.value > 0 else { return }
                        left.value -= 1
                        observer.receive(value)
                        if left.value == 0 { observer.finish(lifetime.completion()) }
                    },
                    finish: { if left.value > 0 { observer.finish($0) } })
                begin(part, lifetime)
            })
    }

    /// Delivers the last `count` values when the work completes.
    @inlinable
    public func take(last count: Int) -> SignalProducer {
        precondition(count >= 0, "take(last:) needs a count of zero or more.")
        if isSpecialized(forLarge: Value.self) { return unspecialized.take(last: count) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let latest = Serial(Queue<Value>())
                let part = Observer<Value, Error>(
                    receive: { value in
                        latest.value.append(value)
                        if latest.value.count > count { _ = latest.value.popFirst() }
                    },
                    finish: { end in
                        guard case .completed = end else { return observer.finish(end) }
                        while !lifetime.hasEnded, let value = latest.value.popFirst() { observer.receive(value) }
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }

    /// Delivers values for as long as `shouldContinue` accepts them; at the first that it does not, it completes.
    @inlinable
    public func take(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.take(while: shouldContinue) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let hasEnded = Serial(false)
                let part = Observer<Value, Error>(
                    receive: { value in
                        if hasEnded.value { return }
                        if shouldContinue(value) { return observer.receive(value) }
                        hasEnded.value = true
                        observer.finish(.completed)
                    },
                    finish: { if !hasEnded.value { observer.finish($0) } })
                begin(part, lifetime)
            })
    }

    /// Delivers values for as long as `shouldContinue` accepts them, and the first that it does not; then it completes.
    @inlinable
    public func take(until shouldContinue: @escaping @Sendable (Value) -> Bool) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.take(until: shouldContinue) }
        return SignalProducer(
            after: stage,
            begin: { [begin] observer, lifetime in
                let hasEnded = Serial(false)
                let part = Observer<Value, Error>(
                    receive: { value in
                        if hasEnded.value { return }
                        hasEnded.value = !shouldContinue(value)
                        observer.receive(value)
                        if hasEnded.value { observer.finish(lifetime.completion()) }
                    },
                    finish: { if !hasEnded.value { observer.finish($0) } })
                begin(part, lifetime)
            })
    }
}

extension Lifetime {
    /// The end of a stream that has delivered all that there is: `completed`, if it was not disposed meanwhile.
    @inlinable
    func completion<Error>(of _: Error.Type = Error.self) -> Termination<Error> {
        hasEnded ? .interrupted : .completed
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the first `count` values and completes.
    @inlinable
    public func take(first count: Int) -> Signal {
        passing { $0.take(first: count) }
    }

    /// Delivers the last `count` values when the signal completes.
    @inlinable
    public func take(last count: Int) -> Signal {
        passing { $0.take(last: count) }
    }

    /// Delivers values for as long as `shouldContinue` accepts them; at the first that it does not, it completes.
    @inlinable
    public func take(while shouldContinue: @escaping @Sendable (Value) -> Bool) -> Signal {
        passing { $0.take(while: shouldContinue) }
    }

    /// Delivers values for as long as `shouldContinue` accepts them, and the first that it does not; then it completes.
    @inlinable
    public func take(until shouldContinue: @escaping @Sendable (Value) -> Bool) -> Signal {
        passing { $0.take(until: shouldContinue) }
    }
}
