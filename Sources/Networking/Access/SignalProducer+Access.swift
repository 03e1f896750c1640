import Feedback
import Synchronization

extension SignalProducer where Error == CoreError {
    /// A producer of what the function returns; its task is cancelled with the producer.
    init(awaiting function: @escaping @Sendable () async throws(CoreError) -> Value) {
        self.init { observer, lifetime in
            let task = Task {
                do throws(CoreError) {
                    observer.send(value: try await function())
                    observer.sendCompleted()
                } catch {
                    observer.send(error: error)
                }
            }
            lifetime.observeEnded { task.cancel() }
        }
    }

    /// Only the end of it.
    func withoutValues() -> SignalProducer<Never, CoreError> {
        SignalProducer<Never, CoreError> { observer, lifetime in
            lifetime += start(
                Observer(
                    failed: observer.send(error:), completed: observer.sendCompleted,
                    interrupted: observer.sendInterrupted))
        }
    }

    /// The first value; an end without one is a cancellation.
    func onlyValue() async throws(CoreError) -> Value {
        let disposable = SerialDisposable()
        let result: Result<Value, CoreError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = OneAnswer(continuation)
                let observer = Observer<Value, CoreError>(
                    value: { answer.give(.success($0)) },
                    failed: { answer.give(.failure($0)) },
                    completed: { answer.give(.failure(.cancelled)) },
                    interrupted: { answer.give(.failure(.cancelled)) })
                disposable.inner = start(observer)
            }
        } onCancel: {
            disposable.dispose()
        }
        return try result.get()
    }
}

/// A continuation that takes the first answer and no other.
private final class OneAnswer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = Mutex(continuation)
    }

    func give(_ value: Value) {
        let first = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        first?.resume(returning: value)
    }
}
