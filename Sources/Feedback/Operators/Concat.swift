// One rule for all of `concat`, `prefix` and `flatten(.concat)`: a producer that is interrupted counts as one that has
// completed, unless the whole was disposed. `then` goes on after a completion only.

extension SignalProducer {
    /// Goes on with `next` when this producer has completed, or was interrupted.
    public func concat(_ next: SignalProducer) -> SignalProducer {
        followed(by: next, afterInterruption: true) { $0.receive }
    }

    /// Goes on with `next` when this producer has completed, or was interrupted.
    public func concat(_ next: some SignalProducerConvertible<Value, Error>) -> SignalProducer {
        concat(next.producer)
    }

    /// Delivers `value` when this producer has completed, or was interrupted.
    public func concat(value: Value) -> SignalProducer {
        concat(SignalProducer(value: value))
    }

    /// Fails with `error` when this producer has completed, or was interrupted.
    public func concat(error: Error) -> SignalProducer {
        concat(SignalProducer(error: error))
    }

    /// Starts with `previous`, and goes on with this producer when that one has completed, or was interrupted.
    public func prefix(_ previous: SignalProducer) -> SignalProducer {
        previous.concat(self)
    }

    /// Starts with `previous`, and goes on with this producer when that one has completed, or was interrupted.
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
        followed(by: replacement) { _ in { _ in } }
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
    @_disfavoredOverload
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, Error> where Next.Error == NoError {
        then(replacement.producer.promoteError(Error.self))
    }

    // MARK: Machinery

    /// Goes on with `next` in the scope of the whole, when this producer has completed.
    ///
    /// - Parameters:
    ///   - afterInterruption: True if the interruption of this producer, if it is not that of the whole, counts as its
    ///     completion.
    ///   - receive: Makes the function that gets the values of this producer.
    func followed<U>(
        by next: SignalProducer<U, Error>, afterInterruption: Bool = false,
        _ receive: @escaping @Sendable (Observer<U, Error>) -> @Sendable (Value) -> Void
    ) -> SignalProducer<U, Error> {
        followed(depth: max(stage.depth, next.stage.depth) &+ 1, receive) { end in
            switch end {
            case .failed: .end(end)
            case .interrupted where !afterInterruption: .end(end)
            case .completed, .interrupted: .next { next }
            }
        }
    }

    /// Goes on as `decide` says when this producer has ended, in the scope of the whole.
    ///
    /// In a long chain, what follows an end is a step of its own, so that many ends in a row are no deep recursion.
    ///
    /// - Parameters:
    ///   - depth: The depth of the result; greater than this producer's.
    ///   - receive: Makes the function that gets the values of this producer.
    func followed<U, F>(
        depth: UInt16, _ receive: @escaping @Sendable (Observer<U, F>) -> @Sendable (Value) -> Void,
        _ decide: @escaping @Sendable (Termination<Error>) -> Following<U, F>
    ) -> SignalProducer<U, F> {
        SignalProducer<U, F>(
            at: Stage(.work, depth: depth),
            begin: { [self] observer, lifetime in
                let chain = depth >= Stage.segment ? ThreadState.current.takeChain() : nil
                let first = Observer<Value, Error>(
                    receive: receive(observer),
                    finish: { end in
                        switch decide(end) {
                        case let .end(end):
                            observer.finish(end)
                        case let .next(make):
                            performAfterDeliveries(in: chain) {
                                if lifetime.hasEnded { return observer.finish(.interrupted) }
                                let next = make()
                                passing(chain, to: next.stage) { next.begin(observer, lifetime) }
                            }
                        }
                    })
                begin(first, within: lifetime, in: chain)
            })
    }
}

/// The continuation of a stream after the end of a part: its end, or another part.
enum Following<Value: Sendable, Error: Swift.Error>: Sendable {
    /// The end of the whole.
    case end(Termination<Error>)
    /// Another part, unless the whole has been disposed.
    case next(@Sendable () -> SignalProducer<Value, Error>)
}

extension SignalProducer where Error == NoError {
    /// Drops all values, and goes on with `replacement` when this producer has completed.
    @_disfavoredOverload  // As above.
    public func then<U, F>(_ replacement: SignalProducer<U, F>) -> SignalProducer<U, F> {
        promoteError(F.self).then(replacement)
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    @_disfavoredOverload
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, Next.Error> {
        promoteError(Next.Error.self).then(replacement.producer)
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<U>(_ replacement: SignalProducer<U, NoError>) -> SignalProducer<U, NoError> {
        followed(by: replacement) { _ in { _ in } }
    }

    /// Drops all values, and goes on with `replacement` when this producer has completed.
    public func then<Next: SignalProducerConvertible>(
        _ replacement: Next
    ) -> SignalProducer<Next.Value, NoError> where Next.Error == NoError {
        followed(by: replacement.producer) { _ in { _ in } }
    }
}
