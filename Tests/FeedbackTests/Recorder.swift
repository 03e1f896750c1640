import Feedback

/// Writes down the events of a stream.
final class Recorder<Value: Sendable, Error: Swift.Error>: Sendable {
    private let recorded = Locked<[SignalEvent<Value, Error>]>([])

    var events: [SignalEvent<Value, Error>] { recorded.withLock { $0 } }
    var values: [Value] { events.compactMap(\.value) }
    var end: SignalEvent<Value, Error>? { events.first(where: \.isTerminating) }

    func record(_ event: SignalEvent<Value, Error>) {
        recorded.withLock { $0.append(event) }
    }
}

extension SignalProducer {
    /// Starts the producer and writes down its events.
    func recorded() -> Recorder<Value, Error> {
        recording().0
    }

    func recording() -> (Recorder<Value, Error>, any Disposable) {
        let recorder = Recorder<Value, Error>()
        let disposable = start { recorder.record($0) }
        return (recorder, disposable)
    }
}

extension Signal {
    /// Writes down the events from now on.
    func recorded() -> Recorder<Value, Error> {
        let recorder = Recorder<Value, Error>()
        observe { recorder.record($0) }
        return recorder
    }
}

enum TestError: Swift.Error, Equatable {
    case first
    case second
}

/// A number, or a flag, that closures on any thread change.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Locked<Value>

    init(_ value: Value) { mutex = Locked(value) }

    var value: Value {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }

    func modify<Result: Sendable>(_ action: @Sendable (inout Value) -> Result) -> Result {
        mutex.withLock { action(&$0) }
    }
}

typealias Producer<Value: Sendable> = SignalProducer<Value, TestError>
typealias Pipe<Value: Sendable> = Signal<Value, TestError>
