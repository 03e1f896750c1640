/// An event of a stream: any number of values, then at most one of the three ends.
public enum SignalEvent<Value: Sendable, Error: Swift.Error>: Sendable {
    /// The next value.
    case value(Value)
    /// The end: the stream failed.
    case failed(Error)
    /// The end: all values have been delivered.
    case completed
    /// The end: the stream was disposed, or its source went away, before it completed.
    case interrupted

    /// True if nothing follows this event.
    public var isTerminating: Bool {
        if case .value = self { false } else { true }
    }

    /// True if the event says that all values have been delivered.
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }

    /// The value, if the event carries one.
    public var value: Value? {
        if case let .value(value) = self { value } else { nil }
    }

    /// The error, if the event carries one.
    public var error: Error? {
        if case let .failed(error) = self { error } else { nil }
    }

    /// The same event with its value transformed.
    public func map<U>(_ transform: (Value) -> U) -> SignalEvent<U, Error> {
        switch self {
        case let .value(value): .value(transform(value))
        case let .failed(error): .failed(error)
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }

    /// The same event with its error transformed.
    public func mapError<F>(_ transform: (Error) -> F) -> SignalEvent<Value, F> {
        switch self {
        case let .value(value): .value(value)
        case let .failed(error): .failed(transform(error))
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }
}

extension SignalEvent: Equatable where Value: Equatable, Error: Equatable {}

extension SignalEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case let .value(value): "value(\(value))"
        case let .failed(error): "failed(\(error))"
        case .completed: "completed"
        case .interrupted: "interrupted"
        }
    }
}

/// The end of a stream.
public enum Termination<Error: Swift.Error>: Sendable {
    /// The stream failed.
    case failed(Error)
    /// All values have been delivered.
    case completed
    /// The stream was disposed, or its source went away, before it completed.
    case interrupted

    /// Returns the event for this end.
    public func event<Value>(of _: Value.Type = Value.self) -> SignalEvent<Value, Error> {
        switch self {
        case let .failed(error): .failed(error)
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }

    /// The same end with its error transformed.
    @inlinable
    public func mapError<F>(_ transform: (Error) -> F) -> Termination<F> {
        switch self {
        case let .failed(error): .failed(transform(error))
        case .completed: .completed
        case .interrupted: .interrupted
        }
    }
}

extension Termination: Equatable where Error: Equatable {}
