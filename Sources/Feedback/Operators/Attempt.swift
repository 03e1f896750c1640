extension SignalProducer {
    /// Delivers the values with which `action` succeeds, and fails with its first failure.
    public func attempt(_ action: @escaping @Sendable (Value) -> Result<Void, Error>) -> SignalProducer {
        attemptMap { value in action(value).map { value } }
    }

    /// Delivers the values for which `action` does not throw, and fails with the error that it throws.
    public func attempt(_ action: @escaping @Sendable (Value) throws(Error) -> Void) -> SignalProducer {
        attempt { value in
            do throws(Error) { return .success(try action(value)) } catch { return .failure(error) }
        }
    }

    /// Delivers the results of `transform`, and fails with its first failure.
    public func attemptMap<U>(_ transform: @escaping @Sendable (Value) -> Result<U, Error>) -> SignalProducer<U, Error>
    {
        SignalProducer<U, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let hasFailed = Serial(false)
                let part = Observer<Value, Error>(
                    receive: { value in
                        if hasFailed.value { return }
                        switch transform(value) {
                        case let .success(result):
                            observer.receive(result)
                        case let .failure(error):
                            hasFailed.value = true
                            observer.finish(.failed(error))
                        }
                    },
                    finish: { if !hasFailed.value { observer.finish($0) } })
                begin(part, lifetime)
            })
    }

    /// Delivers the results of `transform`, and fails with the error that it throws.
    @_disfavoredOverload  // A closure that returns a `Result` means the overload above.
    public func attemptMap<U>(_ transform: @escaping @Sendable (Value) throws(Error) -> U) -> SignalProducer<U, Error> {
        attemptMap { value in
            do throws(Error) { return .success(try transform(value)) } catch { return .failure(error) }
        }
    }
}

extension SignalProducer where Error == NoError {
    /// Delivers the values for which `action` does not throw, and fails with the error that it throws.
    public func attempt<F>(_ action: @escaping @Sendable (Value) throws(F) -> Void) -> SignalProducer<Value, F> {
        promoteError(F.self).attempt(action)
    }

    /// Delivers the results of `transform`, and fails with the error that it throws.
    @_disfavoredOverload
    public func attemptMap<U, F>(_ transform: @escaping @Sendable (Value) throws(F) -> U) -> SignalProducer<U, F> {
        promoteError(F.self).attemptMap(transform)
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the values with which `action` succeeds, and fails with its first failure.
    public func attempt(_ action: @escaping @Sendable (Value) -> Result<Void, Error>) -> Signal {
        passing { $0.attempt(action) }
    }

    /// Delivers the values for which `action` does not throw, and fails with the error that it throws.
    public func attempt(_ action: @escaping @Sendable (Value) throws(Error) -> Void) -> Signal {
        passing { $0.attempt(action) }
    }

    /// Delivers the results of `transform`, and fails with its first failure.
    public func attemptMap<U>(_ transform: @escaping @Sendable (Value) -> Result<U, Error>) -> Signal<U, Error> {
        passing { $0.attemptMap(transform) }
    }

    /// Delivers the results of `transform`, and fails with the error that it throws.
    @_disfavoredOverload
    public func attemptMap<U>(_ transform: @escaping @Sendable (Value) throws(Error) -> U) -> Signal<U, Error> {
        passing { $0.attemptMap(transform) }
    }
}

extension Signal where Error == NoError {
    /// Delivers the values for which `action` does not throw, and fails with the error that it throws.
    public func attempt<F>(_ action: @escaping @Sendable (Value) throws(F) -> Void) -> Signal<Value, F> {
        passing { $0.attempt(action) }
    }

    /// Delivers the results of `transform`, and fails with the error that it throws.
    @_disfavoredOverload
    public func attemptMap<U, F>(_ transform: @escaping @Sendable (Value) throws(F) -> U) -> Signal<U, F> {
        passing { $0.attemptMap(transform) }
    }
}
