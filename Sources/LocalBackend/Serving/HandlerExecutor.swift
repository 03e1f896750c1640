import Dispatch

/// Runs handlers on Dispatch's threads, so that one that blocks holds up neither the event loop nor the few threads
/// that the program's own tasks share.
final class HandlerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "LocalBackend.handlers", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
