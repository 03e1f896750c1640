import Feedback
import Foundation
import Persistence

/// Runs `body` on a thread of its own, and returns its result.
///
/// - Parameter late: Called with the result if the task was cancelled before; it has then got nil, without waiting.
func onOtherThread<Value: Sendable>(
    late: @escaping @Sendable (Result<Value, StoreError>) -> Void = { _ in },
    _ body: @escaping @Sendable () throws(StoreError) -> Value
) async -> Result<Value, StoreError>? {
    let waiting = Locked<CheckedContinuation<Result<Value, StoreError>?, Never>?>(nil)
    @Sendable func takeWaiting() -> CheckedContinuation<Result<Value, StoreError>?, Never>? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            Thread.detachNewThread {
                let result = Result { () throws(StoreError) in try body() }
                if let waiting = takeWaiting() { waiting.resume(returning: result) } else { late(result) }
            }
            // A cancellation before this moment had nothing to end.
            if Task.isCancelled { takeWaiting()?.resume(returning: nil) }
        }
    } onCancel: {
        takeWaiting()?.resume(returning: nil)
    }
}
