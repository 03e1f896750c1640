extension SignalProducer {
    /// Goes on with `next` when this producer has completed.
    public func concat(_ next: SignalProducer) -> SignalProducer {
        followed(by: next) { observer, _ in observer.receive }
    }

    /// Goes on with `next` when this producer has completed.
    public func concat(_ next: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        concat(next.producer)
    }

    /// Delivers `value` when this producer has completed.
    public func concat(value: Value) -> SignalProducer {
        concat(SignalProducer(value: value))
    }

    /// Fails with `error` when this producer has completed.
    public func concat(error: Error) -> SignalProducer {
        concat(SignalProducer(error: error))
    }

    /// Starts with `previous`, and goes on with this producer when that one has completed.
    public func prefix(_ previous: SignalProducer) -> SignalProducer {
        previous.concat(self)
    }

    /// Starts with `previous`, and goes on with this producer when that one has completed.
    public func prefix(_ previous: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        previous.producer.concat(self)
    }

    /// Delivers `value` before all others.
    @inlinable
    public func prefix(value: Value) -> SignalProducer {
        starting(with: value)
    }

    // MARK: Then

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<U>(_ replacement: SignalProducer<U, Error>) -> SignalProducer<U, Error> {
        followed(by: replacement) { _, _ in { _ in } }
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, Error> where Next.Error == Error {
        then(replacement.producer)
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    @_disfavoredOverload  // A producer that could fail either way, such as `.init(value:)`, fails like this one.
    public func then<U>(_ replacement: SignalProducer<U, NoError>) -> SignalProducer<U, Error> {
        then(replacement.promoteError(Error.self))
    }

    /// Drops all values, and delivers `value` when this producer has completed: `request.then(value: Event.didOrder)`.
    public func then<U>(value: U) -> SignalProducer<U, Error> {
        then(SignalProducer<U, Error>(value: value))
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, Error> where Next.Error == NoError {
        then(replacement.producer.promoteError(Error.self))
    }

    // MARK: Machinery

    /// Goes on with `next` in the scope of the whole, when this producer has completed.
    func followed<U>(
        by next: SignalProducer<U, Error>,
        _ receive: @escaping @Sendable (Observer<U, Error>, Lifetime) -> @Sendable (Value) -> Void
    ) -> SignalProducer<U, Error> {
        SignalProducer<U, Error>(begin: { observer, lifetime in
            let first = Observer<Value, Error>(
                receive: receive(observer, lifetime),
                finish: { end in
                    guard case .completed = end else { return observer.finish(end) }
                    guard !lifetime.hasEnded else { return observer.finish(.interrupted) }
                    next.begin(observer, lifetime)
                })
            begin(first, within: lifetime)
        })
    }
}

extension SignalProducer where Error == NoError {
    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<U, F>(_ replacement: SignalProducer<U, F>) -> SignalProducer<U, F> {
        promoteError(F.self).then(replacement)
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, Next.Error> {
        promoteError(Next.Error.self).then(replacement.producer)
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<U>(_ replacement: SignalProducer<U, NoError>) -> SignalProducer<U, NoError> {
        followed(by: replacement) { _, _ in { _ in } }
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, NoError> where Next.Error == NoError {
        followed(by: replacement.producer) { _, _ in { _ in } }
    }
}
