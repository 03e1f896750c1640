/// The receiving end of a stream: something to call with each value, and once with the end.
///
/// Operators turn an observer of their result into an observer of their source. What delivers to an observer keeps law
/// 1: never two events at once, and none after the end. So an observer may keep state without a lock.
public struct Observer<Value: Sendable, Error: Swift.Error>: Sendable {
    @usableFromInline let receive: @Sendable (Value) -> Void
    @usableFromInline let finish: @Sendable (Termination<Error>) -> Void

    /// Makes an observer from a function for the values and a function for the end.
    @inlinable
    public init(
        receive: @escaping @Sendable (Value) -> Void,
        finish: @escaping @Sendable (Termination<Error>) -> Void
    ) {
        self.receive = receive
        self.finish = finish
    }

    /// Makes an observer that gets every event through one function.
    @inlinable
    public init(_ action: @escaping @Sendable (SignalEvent<Value, Error>) -> Void) {
        self.init(receive: { action(.value($0)) }, finish: { action($0.event()) })
    }

    /// Makes an observer of those events that have a function here; the others are dropped.
    @inlinable
    public init(
        value: (@Sendable (Value) -> Void)? = nil,
        failed: (@Sendable (Error) -> Void)? = nil,
        completed: (@Sendable () -> Void)? = nil,
        interrupted: (@Sendable () -> Void)? = nil
    ) {
        let receive = value ?? { _ in }
        if failed == nil, completed == nil, interrupted == nil {
            // A function that captures nothing takes no memory.
            self.init(receive: receive, finish: { _ in })
        } else {
            self.init(
                receive: receive,
                finish: { termination in
                    switch termination {
                    case let .failed(error): failed?(error)
                    case .completed: completed?()
                    case .interrupted: interrupted?()
                    }
                })
        }
    }

    // MARK: - Sending

    /// Delivers the next value.
    @inlinable
    public func send(value: Value) { receive(value) }

    /// Ends the stream with an error.
    @inlinable
    public func send(error: Error) { finish(.failed(error)) }

    /// Ends the stream: all values have been delivered.
    @inlinable
    public func sendCompleted() { finish(.completed) }

    /// Ends the stream before it completed.
    @inlinable
    public func sendInterrupted() { finish(.interrupted) }

    /// Delivers any event.
    @inlinable
    public func send(_ event: SignalEvent<Value, Error>) {
        switch event {
        case let .value(value): receive(value)
        case let .failed(error): finish(.failed(error))
        case .completed: finish(.completed)
        case .interrupted: finish(.interrupted)
        }
    }

    // MARK: - Forwarding

    /// An observer of other values that delivers the same end to this one.
    @inlinable
    func contramap<U>(_ receive: @escaping @Sendable (U) -> Void) -> Observer<U, Error> {
        Observer<U, Error>(receive: receive, finish: finish)
    }

    /// An observer of the same values that does something else at the end.
    @inlinable
    func onFinish<F>(_ finish: @escaping @Sendable (Termination<F>) -> Void) -> Observer<Value, F> {
        Observer<Value, F>(receive: receive, finish: finish)
    }
}
