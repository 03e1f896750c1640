extension SignalProducer {
    /// Starts the producer and returns its first value, or `nil` if it ends without one.
    ///
    /// ```swift
    /// let latest = try await api.messages().first()
    /// ```
    ///
    /// The producer is disposed after its first value. Cancelling the task disposes it too, and returns `nil`.
    public func first() async throws(Error) -> Value? {
        try await take(first: 1).next()
    }

    /// Starts the producer and returns its last value, or `nil` if it ends without one.
    ///
    /// Cancelling the task disposes the producer, and returns `nil`.
    public func last() async throws(Error) -> Value? {
        try await take(last: 1).next()
    }

    /// Starts the producer and returns its only value, or `nil` if it completes without one, or delivers a second.
    ///
    /// Cancelling the task disposes the producer, and returns `nil`.
    public func single() async throws(Error) -> Value? {
        let values = try await take(first: 2).collected()
        return values.count == 1 ? values[0] : nil
    }

    /// Starts the producer and returns all of its values.
    ///
    /// Cancelling the task disposes the producer, and returns an empty array.
    public func collected() async throws(Error) -> [Value] {
        try await collect().next() ?? []
    }

    /// Starts the producer and returns when it ends.
    ///
    /// Cancelling the task disposes the producer, and returns.
    public func wait() async throws(Error) {
        _ = try await take(last: 0).next()
    }

    private func next() async throws(Error) -> Value? {
        var iterator = values.makeAsyncIterator()
        return try await iterator.next(isolation: nil)
    }
}

// MARK: - The value of a request

/// An error type that can say that work was cancelled before it had a result.
///
/// An enum conforms with its case `cancelled`: `extension ApiError: ExpressibleByCancellation {}`.
public protocol ExpressibleByCancellation: Swift.Error {
    /// The error that says so.
    static var cancelled: Self { get }
}

extension SignalProducer {
    /// Starts the producer of a request and returns its value.
    ///
    /// ```swift
    /// let city = try await api.fetchCity(7).value(or: .notFound)
    /// ```
    ///
    /// The producer is disposed after its first value; see `single()` if there must not be a second.
    ///
    /// - Parameter error: Thrown if there is no value: the producer completed without one, or was interrupted, or the task
    ///   was cancelled, which disposes the producer.
    public func value(or error: @autoclosure () -> Error) async throws(Error) -> Value {
        guard let value = try await first() else { throw error() }
        return value
    }
}

extension SignalProducer where Error: ExpressibleByCancellation {
    /// Starts the producer of a request and returns its value.
    ///
    /// ```swift
    /// let city = try await api.fetchCity(7).value()
    /// ```
    ///
    /// The producer is disposed after its first value; see `single()` if there must not be a second. Throws `cancelled` if
    /// there is no value: the producer completed without one, or was interrupted, or the task was cancelled, which
    /// disposes the producer.
    public func value() async throws(Error) -> Value {
        try await value(or: .cancelled)
    }
}

extension SignalProducer where Error == any Swift.Error {
    /// Starts the producer of a request and returns its value.
    ///
    /// The producer is disposed after its first value; see `single()` if there must not be a second. Throws a
    /// `CancellationError` if there is no value: the producer completed without one, or was interrupted, or the task was
    /// cancelled, which disposes the producer.
    public func value() async throws -> Value {
        try await value(or: CancellationError())
    }
}
