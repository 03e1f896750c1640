import Foundation

extension SignalProducer {
    /// Delivers values and the completion `interval` later, on `scheduler`; a failure or an interruption at once, in
    /// place of what waits. The same holds if an observer of the result causes the end of the source.
    public func delay(_ interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= .zero, "delay(_:on:) needs an interval of zero or more.")
        return SignalProducer(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let alarm = Alarm(scheduler) { relay.deliverNext() }
            lifetime.scope.insert(alarm)
            let deliverLater: @Sendable () -> Void = {
                alarm.set(to: scheduler.currentDate.addingTimeInterval(interval.timeInterval))
            }
            let part = Observer<Value, Error>(
                receive: { if relay.append($0) { deliverLater() } },
                finish: { end in
                    guard case .completed = end else {
                        alarm.dispose()
                        return relay.finishNow(end)
                    }
                    if relay.append(end) { deliverLater() }
                })
            parts.beginApart(self, part, within: lifetime)
        }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers values and the completion `interval` later, on `scheduler`; a failure or an interruption at once, in
    /// place of what waits. The same holds if an observer of the result causes the end of the source.
    public func delay(_ interval: Duration, on scheduler: any DateScheduler) -> Signal {
        derive { $0.delay(interval, on: scheduler) }
    }
}

// MARK: - Machinery

/// Runs an action at each of the dates that it is set to, which come in order. Only the first date waits on the scheduler.
private final class Alarm: Disposable {
    private let scheduler: any DateScheduler
    private let action: @Sendable () -> Void
    private let state = Locked((dates: Queue<Date>(), alarms: UInt(0)))
    private let waiting = LatestAlarm()

    init(_ scheduler: any DateScheduler, _ action: @escaping @Sendable () -> Void) {
        self.scheduler = scheduler
        self.action = action
    }

    func set(to date: Date) {
        let isFirst = state.withLock { state in
            state.dates.append(date)
            return state.dates.count == 1
        }
        if isFirst { wait(for: date) }
    }

    // Called for one alarm after the other.
    private func wait(for date: Date) {
        let number = state.withLock { state in
            state.alarms += 1
            return state.alarms
        }
        waiting.keep(scheduler.schedule(after: date) { self.ring() }, of: number)
    }

    private func ring() {
        action()
        let next = state.withLock { state -> Date? in
            _ = state.dates.popFirst()
            return state.dates.first
        }
        if let next { wait(for: next) }
    }

    var isDisposed: Bool { waiting.isDisposed }

    func dispose() { waiting.dispose() }
}
