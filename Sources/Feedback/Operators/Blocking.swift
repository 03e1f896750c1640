import Dispatch

extension SignalProducer {
    /// Starts the producer and blocks the thread until its first value or its failure. Returns `nil` if it ends without
    /// one.
    @available(*, noasync, message: "It blocks the thread; use the async first().")
    public func first() -> Result<Value, Error>? {
        take(first: 1).block()
    }

    /// Starts the producer and blocks the thread until its end. Returns its only value or its failure; `nil` if there
    /// is no value, or more than one.
    @available(*, noasync, message: "It blocks the thread; use the async single().")
    public func single() -> Result<Value, Error>? {
        switch take(first: 2).collect().block() {
        case let .success(values): values.count == 1 ? .success(values[0]) : nil
        case let .failure(error): .failure(error)
        case nil: nil
        }
    }

    /// Starts the producer and blocks the thread until its end. Returns its last value or its failure; `nil` if there
    /// is none.
    @available(*, noasync, message: "It blocks the thread; use the async last().")
    public func last() -> Result<Value, Error>? {
        take(last: 1).block()
    }

    /// Starts the producer and blocks the thread until its end.
    @discardableResult
    @available(*, noasync, message: "It blocks the thread; use the async wait().")
    public func wait() -> Result<Void, Error> {
        switch take(last: 0).block() {
        case let .failure(error): .failure(error)
        case .success, nil: .success(())
        }
    }

    /// - Returns: The last value or the failure.
    private func block() -> Result<Value, Error>? {
        let outcome = Outcome<Value, Error>()
        let semaphore = DispatchSemaphore(value: 0)
        start(
            Observer(
                receive: { outcome.set(.success($0)) },
                finish: { end in
                    if case let .failed(error) = end { outcome.set(.failure(error)) }
                    semaphore.signal()
                }))
        semaphore.wait()
        return outcome.get()
    }
}

private final class Outcome<Value: Sendable, Error: Swift.Error>: Sendable {
    private let result = Locked<Result<Value, Error>?>(nil)

    func set(_ result: Result<Value, Error>) {
        self.result.withLock { $0 = result }
    }

    func get() -> Result<Value, Error>? {
        result.withLock { $0 }
    }
}
