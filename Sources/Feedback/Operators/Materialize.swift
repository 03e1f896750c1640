extension SignalProducer {
    /// Delivers each event as a value, the end too, and then completes; after an interruption it is interrupted.
    public func materialize() -> SignalProducer<SignalEvent<Value, Error>, NoError> {
        SignalProducer<SignalEvent<Value, Error>, NoError>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let part = Observer<Value, Error>(
                    receive: { observer.receive(.value($0)) },
                    finish: { end in
                        if !lifetime.hasEnded { observer.receive(end.event()) }
                        if case .interrupted = end { return observer.finish(.interrupted) }
                        observer.finish(lifetime.completion())
                    })
                begin(part, lifetime)
            })
    }

    /// Delivers each value as a success, and an error as a failure, after which it completes.
    public func materializeResults() -> SignalProducer<Result<Value, Error>, NoError> {
        map(Result.success).replaceError(Result.failure)
    }
}

extension SignalProducer where Error == NoError {
    /// The stream whose events are this one's values; the opposite of `materialize()`.
    public func dematerialize<V, E>() -> SignalProducer<V, E> where Value == SignalEvent<V, E> {
        SignalProducer<V, E>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let hasEnded = Serial(false)
                let part = Observer<Value, NoError>(
                    receive: { event in
                        if hasEnded.value { return }
                        hasEnded.value = event.isTerminating
                        observer.send(event)
                    },
                    finish: { if !hasEnded.value { observer.finish($0.mapError()) } })
                begin(part, lifetime)
            })
    }

    /// Delivers the successes, and fails with the first failure; the opposite of `materializeResults()`.
    public func dematerializeResults<Success, Failure>() -> SignalProducer<Success, Failure>
    where Value == Result<Success, Failure> {
        map { result in
            switch result {
            case let .success(value): SignalEvent<Success, Failure>.value(value)
            case let .failure(error): .failed(error)
            }
        }
        .dematerialize()
    }
}

extension Termination where Error == NoError {
    /// The same end, of a stream that could fail.
    @inlinable
    func mapError<F>(to _: F.Type = F.self) -> Termination<F> {
        mapError { $0 }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers each event as a value, the end too, and then completes; after an interruption it is interrupted.
    public func materialize() -> Signal<SignalEvent<Value, Error>, NoError> {
        passing { $0.materialize() }
    }

    /// Delivers each value as a success, and an error as a failure, after which it completes.
    public func materializeResults() -> Signal<Result<Value, Error>, NoError> {
        passing { $0.materializeResults() }
    }
}

extension Signal where Error == NoError {
    /// The stream whose events are this one's values; the opposite of `materialize()`.
    public func dematerialize<V, E>() -> Signal<V, E> where Value == SignalEvent<V, E> {
        passing { $0.dematerialize() }
    }

    /// Delivers the successes, and fails with the first failure; the opposite of `materializeResults()`.
    public func dematerializeResults<Success, Failure>() -> Signal<Success, Failure>
    where Value == Result<Success, Failure> {
        passing { $0.dematerializeResults() }
    }
}
