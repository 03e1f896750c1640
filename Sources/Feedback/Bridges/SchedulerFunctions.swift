import Foundation

extension Scheduler {
    /// Runs `action` on this scheduler and returns its result.
    ///
    /// Cancelling the task does not withdraw the action.
    public func run<Result: Sendable>(_ action: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            schedule { continuation.resume(returning: action()) }
        }
    }
}

extension DateScheduler {
    /// Returns after `interval`, by this scheduler's clock.
    ///
    /// Throws a `CancellationError` if the task is cancelled before.
    public func sleep(for interval: Duration) async throws {
        try await sleep(until: currentDate.addingTimeInterval(interval.timeInterval))
    }

    /// Returns at `deadline`, by this scheduler's clock.
    ///
    /// Throws a `CancellationError` if the task is cancelled before.
    public func sleep(until deadline: Date) async throws {
        let alarm = SignalProducer<Void, any Error> { observer, lifetime in
            lifetime += schedule(after: deadline) { observer.send(value: ()) }
        }
        try await alarm.value()
    }

    /// Returns the dates at which a timer ticks: one every `interval`, the first after one `interval`.
    public func timer(interval: Duration) -> AsyncValues<Date, NoError> {
        SignalProducer.timer(interval: interval, on: self).values
    }
}
