/// The treatment of values that arrive before the next one is asked for.
public enum Buffering: Sendable, Equatable {
    /// All values wait.
    case unbounded
    /// At most `limit` values wait; a value that comes while as many wait is dropped.
    case oldest(Int)
    /// The last `limit` values wait; older ones are dropped.
    case newest(Int)

    /// Only the last value waits.
    public static var latest: Buffering { .newest(1) }
}

/// The values of a stream, to be iterated: `for try await city in producer.values { … }`.
///
/// Each iterator starts the producer, or observes the signal, when it is made. The iteration ends with the stream,
/// after the values that wait: it throws the error if the stream fails, and just ends if the stream completes or is
/// interrupted. Cancelling the task that iterates disposes the producer and ends the iteration. Releasing the iterator
/// disposes the producer too.
public struct AsyncValues<Value: Sendable, Error: Swift.Error>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = Error

    /// The stream whose values are iterated.
    public let producer: SignalProducer<Value, Error>
    let buffering: Buffering

    public func makeAsyncIterator() -> Iterator {
        let buffer = AsyncBuffer<Value, Error>(buffering)
        let start = producer.start(
            Observer(receive: { buffer.append($0) }, finish: { buffer.finish($0) }))
        return Iterator(buffer: buffer, start: ScopedDisposable(start))
    }

    /// An iterator over the values, for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let buffer: AsyncBuffer<Value, Error>
        /// Disposed together with the iterator's last copy.
        let start: ScopedDisposable

        public mutating func next() async throws(Error) -> Value? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Error) -> Value? {
            let (buffer, start) = (buffer, start)
            return try await withTaskCancellationHandler {
                await buffer.next(isolation: actor)
            } onCancel: {
                // The interruption of the start may have to wait for an event that is being delivered; the cancelled
                // task must not.
                buffer.cancel()
                start.dispose()
            }
            .get()
        }
    }
}

extension SignalProducer {
    /// The values as an asynchronous sequence. None is lost: all wait until they are asked for.
    public var values: AsyncValues<Value, Error> { values(buffering: .unbounded) }

    /// Returns the values as an asynchronous sequence; `buffering` says which of them wait.
    public func values(buffering: Buffering) -> AsyncValues<Value, Error> {
        AsyncValues(producer: self, buffering: buffering)
    }
}

extension Signal {
    /// The values from now on as an asynchronous sequence. None is lost: all wait until they are asked for.
    ///
    /// "Now" is the time when an iterator is made.
    public var values: AsyncValues<Value, Error> { producer.values }

    /// Returns the values from now on as an asynchronous sequence; `buffering` says which of them wait.
    public func values(buffering: Buffering) -> AsyncValues<Value, Error> {
        producer.values(buffering: buffering)
    }
}

extension PropertyProtocol {
    /// The current value and its changes as an asynchronous sequence. It skips values that are replaced before the
    /// iteration asks for them.
    public var values: AsyncValues<Value, NoError> { producer.values(buffering: .latest) }

    /// Returns the current value and its changes as an asynchronous sequence; `buffering` says which of them wait.
    public func values(buffering: Buffering) -> AsyncValues<Value, NoError> {
        producer.values(buffering: buffering)
    }
}

// MARK: - Machinery

/// Values on their way from a stream to a task.
final class AsyncBuffer<Value: Sendable, Error: Swift.Error>: Sendable {
    typealias Outcome = Result<Value?, Error>

    private struct State {
        var values = Queue<Value>()
        var end: Outcome?
        var consumer: CheckedContinuation<Outcome, Never>?
    }

    private let buffering: Buffering
    private let state = Locked(State())

    init(_ buffering: Buffering) {
        self.buffering = buffering
    }

    func append(_ value: Value) {
        let (consumer, dropped) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Value?) in
            if let consumer = state.consumer.take() { return (consumer, nil) }
            guard state.end == nil else { return (nil, nil) }
            switch buffering {
            case .unbounded: state.values.append(value)
            case let .oldest(limit): if state.values.count < limit { state.values.append(value) }
            case let .newest(limit):
                state.values.append(value)
                if state.values.count > limit { return (nil, state.values.popFirst()) }
            }
            return (nil, nil)
        }
        _ = dropped  // Released outside the lock.
        consumer?.resume(returning: .success(value))
    }

    func finish(_ end: Termination<Error>) {
        let outcome: Outcome = if case let .failed(error) = end { .failure(error) } else { .success(nil) }
        let consumer = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            if let consumer = state.consumer.take() {
                state.end = .success(nil)
                return consumer
            }
            state.end = state.end ?? outcome
            return nil
        }
        consumer?.resume(returning: outcome)
    }

    /// Ends the iteration, and drops the values that wait.
    func cancel() {
        let (consumer, dropped) = state.withLock { state in
            defer { (state.values, state.end) = (Queue(), .success(nil)) }
            return (state.consumer.take(), (state.values, state.end))
        }
        _ = dropped  // Released outside the lock.
        consumer?.resume(returning: .success(nil))
    }

    func next(isolation actor: isolated (any Actor)?) async -> Outcome {
        await withCheckedContinuation(isolation: actor) { continuation in
            let outcome = state.withLock { state -> Outcome? in
                if let value = state.values.popFirst() { return .success(value) }
                if let end = state.end {
                    // An error is thrown once; what follows it is the end.
                    state.end = .success(nil)
                    return end
                }
                precondition(state.consumer == nil, "Two tasks iterate over the same values at once.")
                state.consumer = continuation
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}
