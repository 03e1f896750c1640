extension SignalProducer {
    /// Goes on with the producer that `transform` returns for the error.
    ///
    /// Any number of them can follow each other. A replacement that fails and goes on with a replacement of its own
    /// takes room on the stack, as a call in a call does: 300, one in the other, fit on a stack of 512 KB.
    public func flatMapError<F>(
        _ transform: @escaping @Sendable (Error) -> SignalProducer<Value, F>
    ) -> SignalProducer<Value, F> {
        followed(depth: stage.depth &+ 1) {
            $0.receive
        } _: { end in
            switch end {
            case let .failed(error): .next { transform(error) }
            case .completed: .end(.completed)
            case .interrupted: .end(.interrupted)
            }
        }
    }

    /// Goes on with the stream that `transform` returns for the error.
    public func flatMapError<Next: SignalProducerConvertible>(
        _ transform: @escaping @Sendable (Error) -> Next
    ) -> SignalProducer<Value, Next.Error> where Next.Value == Value {
        flatMapError { transform($0).producer }
    }

    /// Delivers the value that `transform` returns for the error, and completes.
    ///
    /// ```swift
    /// api.fetch().map(Event.didLoad).replaceError(Event.didFail)
    /// ```
    @inlinable
    public func replaceError(_ transform: @escaping @Sendable (Error) -> Value) -> SignalProducer<Value, NoError> {
        SignalProducer<Value, NoError>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let part = observer.onFinish { (end: Termination<Error>) in
                    switch end {
                    case let .failed(error):
                        observer.receive(transform(error))
                        observer.finish(lifetime.completion())
                    case .completed: observer.finish(.completed)
                    case .interrupted: observer.finish(.interrupted)
                    }
                }
                begin(part, lifetime)
            })
    }

    /// Delivers `value` in place of an error, and completes.
    @inlinable
    public func replaceError(_ value: Value) -> SignalProducer<Value, NoError> {
        replaceError { _ in value }
    }

    /// Goes on with `replacement` in place of an error.
    public func replaceError(_ replacement: SignalProducer<Value, NoError>) -> SignalProducer<Value, NoError> {
        flatMapError { _ in replacement }
    }
}

// MARK: - Signal

extension Signal {
    /// Goes on with the producer that `transform` returns for the error.
    public func flatMapError<F>(
        _ transform: @escaping @Sendable (Error) -> SignalProducer<Value, F>
    ) -> Signal<Value, F> {
        derive { $0.flatMapError(transform) }
    }

    /// Goes on with the stream that `transform` returns for the error.
    public func flatMapError<Next: SignalProducerConvertible>(
        _ transform: @escaping @Sendable (Error) -> Next
    ) -> Signal<Value, Next.Error> where Next.Value == Value {
        derive { $0.flatMapError(transform) }
    }

    /// Delivers the value that `transform` returns for the error, and completes.
    @inlinable
    public func replaceError(_ transform: @escaping @Sendable (Error) -> Value) -> Signal<Value, NoError> {
        passing { $0.replaceError(transform) }
    }

    /// Delivers `value` in place of an error, and completes.
    @inlinable
    public func replaceError(_ value: Value) -> Signal<Value, NoError> {
        passing { $0.replaceError(value) }
    }

    /// Goes on with `replacement` in place of an error.
    public func replaceError(_ replacement: SignalProducer<Value, NoError>) -> Signal<Value, NoError> {
        derive { $0.replaceError(replacement) }
    }
}
