extension SignalProducer {
    /// Starts the producer and waits for its first value; `nil` if it ends without one.
    ///
    /// ```swift
    /// let city = try await api.fetchCity(7).first()
    /// ```
    ///
    /// Cancelling the task disposes the producer and gives `nil`.
    public func first() async throws(Error) -> Value? {
        try await take(first: 1).next()
    }

    /// Starts the producer and waits for its last value; `nil` if it completes without one.
    ///
    /// Cancelling the task disposes the producer and gives `nil`.
    public func last() async throws(Error) -> Value? {
        try await take(last: 1).next()
    }

    /// Starts the producer and waits for its only value; `nil` if it completes without one, or delivers two.
    ///
    /// Cancelling the task disposes the producer and gives `nil`.
    public func single() async throws(Error) -> Value? {
        let values = try await take(first: 2).collected()
        return values.count == 1 ? values[0] : nil
    }

    /// Starts the producer and waits for all of its values.
    ///
    /// Cancelling the task disposes the producer and gives no values.
    public func collected() async throws(Error) -> [Value] {
        try await collect().next() ?? []
    }

    /// Starts the producer and waits for its end.
    ///
    /// Cancelling the task disposes the producer.
    public func wait() async throws(Error) {
        _ = try await take(last: 0).next()
    }

    private func next() async throws(Error) -> Value? {
        var iterator = values.makeAsyncIterator()
        return try await iterator.next(isolation: nil)
    }
}
