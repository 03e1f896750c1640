import Foundation

extension SignalProducer {
    /// Delivers a value on `scheduler` when none has followed it for `interval`.
    ///
    /// A failure or an interruption is delivered at once, and a value that waits is dropped. The same holds if an observer
    /// of the result causes the end of the source.
    ///
    /// - Parameter discardWhenCompleted: True if a value that waits is dropped at completion. If not, it is delivered
    ///   when it is due, and the completion after it.
    public func debounce(
        _ interval: Duration, on scheduler: any DateScheduler, discardWhenCompleted: Bool = true
    ) -> SignalProducer {
        precondition(interval >= .zero, "debounce(_:on:) needs an interval of zero or more.")
        return limiting(on: scheduler, discardWhenCompleted: discardWhenCompleted) { now, _, _ in
            now.addingTimeInterval(interval.timeInterval)
        }
    }

    /// Delivers values on `scheduler`, at least `interval` apart. Of the values that come in between, only the latest
    /// is delivered.
    ///
    /// The end is delivered at once, after a value that is due by then; a value that is not due yet is dropped.
    ///
    /// - Parameter latest: False to drop all values that come in between, the latest too, such as the further taps of a
    ///   person in a hurry.
    public func throttle(_ interval: Duration, latest: Bool = true, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= .zero, "throttle(_:latest:on:) needs an interval of zero or more.")
        if !latest { return first(inEach: interval, on: scheduler) }
        return limiting(on: scheduler, discardWhenCompleted: true) { now, waiting, delivered in
            // A value that is about to be delivered is replaced, and does not wait longer for that.
            if let waiting, waiting <= now { return waiting }
            // A delivery in the future means that the clock was set back. Values must not wait for that.
            guard let delivered, delivered <= now else { return now }
            return max(now, delivered.addingTimeInterval(interval.timeInterval))
        }
    }

    /// Delivers values on `scheduler`, but none while `shouldThrottle` is true; when it becomes false, the latest of
    /// those that came.
    ///
    /// The end is delivered at once; a value that waits is dropped.
    public func throttle(
        while shouldThrottle: some PropertyProtocol<Bool>, on scheduler: any Scheduler
    ) -> SignalProducer {
        SignalProducer(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let held = HeldValue<Value>()
            // As a property that is derived from the other one, so a value that comes from an observer which has set that is
            // held or passed as it says.
            let switching = Observer<Bool, NoError>(
                receive: { isHolding in
                    ThreadState.current.propagate { thread in
                        guard held.hold(isHolding, { relay.append($0) }) else { return }
                        thread.afterPropagation { scheduler.schedule { relay.deliverNext() } }
                    }
                },
                finish: { _ in })
            shouldThrottle.derivations.begin(switching, within: lifetime)
            let part = Observer<Value, Error>(
                receive: { if held.pass($0, { relay.append($0) }) { scheduler.schedule { relay.deliverNext() } } },
                finish: { relay.finish($0) })
            parts.beginApart(self, part, within: lifetime)
        }
    }

    /// Delivers a value, and drops those that follow within `interval`.
    private func first(inEach interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        SignalProducer(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let delivered = Serial<Date?>(nil)
            let part = Observer<Value, Error>(
                receive: { value in
                    let now = scheduler.currentDate
                    // It is negative if the clock was set back. Values must not be dropped for that.
                    let passed = now.timeIntervalSince(delivered.value ?? .distantPast)
                    // Sums of dates are exact to a microsecond.
                    if passed >= 0, passed + 1e-6 < interval.timeInterval { return }
                    delivered.value = now
                    relay.receive(value)
                },
                finish: { relay.finish($0) })
            parts.beginApart(self, part, within: lifetime)
        }
    }

    /// Delivers only the latest value, at the date that `due` computes from the date at which it came, the date of the
    /// value that it replaces, and that of the previous delivery.
    private func limiting(
        on scheduler: any DateScheduler, discardWhenCompleted: Bool, _ due: @escaping PendingValue<Value, Error>.Due
    ) -> SignalProducer {
        SignalProducer(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let pending = PendingValue(relay, on: scheduler, due)
            lifetime.scope.insert(pending)
            let part = Observer<Value, Error>(
                receive: { pending.put($0) },
                finish: { end in
                    if case .completed = end, !discardWhenCompleted, pending.becomesLast() { return }
                    pending.deliverIfDue()
                    relay.finish(end)
                })
            parts.beginApart(self, part, within: lifetime)
        }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers a value on `scheduler` when none has followed it for `interval`.
    ///
    /// A failure or an interruption is delivered at once, and a value that waits is dropped. The same holds if an observer
    /// of the result causes the end of the source.
    ///
    /// - Parameter discardWhenCompleted: True if a value that waits is dropped at completion. If not, it is delivered
    ///   when it is due, and the completion after it.
    public func debounce(
        _ interval: Duration, on scheduler: any DateScheduler, discardWhenCompleted: Bool = true
    ) -> Signal {
        derive { $0.debounce(interval, on: scheduler, discardWhenCompleted: discardWhenCompleted) }
    }

    /// Delivers values on `scheduler`, at least `interval` apart. Of the values that come in between, only the latest
    /// is delivered.
    ///
    /// The end is delivered at once, after a value that is due by then; a value that is not due yet is dropped.
    ///
    /// - Parameter latest: False to drop all values that come in between, the latest too, such as the further taps of a
    ///   person in a hurry.
    public func throttle(_ interval: Duration, latest: Bool = true, on scheduler: any DateScheduler) -> Signal {
        derive { $0.throttle(interval, latest: latest, on: scheduler) }
    }

    /// Delivers values on `scheduler`, but none while `shouldThrottle` is true; when it becomes false, the latest of
    /// those that came.
    ///
    /// The end is delivered at once; a value that waits is dropped.
    public func throttle(while shouldThrottle: some PropertyProtocol<Bool>, on scheduler: any Scheduler) -> Signal {
        derive { $0.throttle(while: shouldThrottle, on: scheduler) }
    }
}

// MARK: - Machinery

/// The latest value, while it waits for the date at which it is due.
///
/// A value that is due later than the one that it replaces makes no alarm of its own. The alarm that is set is set again
/// when it rings too early.
private final class PendingValue<Value: Sendable, Error: Swift.Error>: Disposable {
    typealias Due = @Sendable (_ now: Date, _ waiting: Date?, _ delivered: Date?) -> Date

    private struct State {
        var value: Value?
        /// The date at which the value is due.
        var date = Date.distantPast
        /// The date to which the alarm is set; `nil` if it is not.
        var alarm: Date?
        /// The number of times at which it was set. An alarm with an earlier number does not count.
        var alarms: UInt = 0
        var isLast = false
        /// The date at which the value before was due.
        var delivered: Date?
        var deliveries: UInt = 0

        /// - Returns: The alarm to set, if there is none early enough.
        mutating func alarmToSet() -> (date: Date, number: UInt)? {
            // It is set to a later date if the clock was set back meanwhile.
            if let alarm, alarm <= date { return nil }
            alarm = date
            alarms += 1
            return (date, alarms)
        }
    }

    private let relay: Relay<Value, Error>
    private let scheduler: any DateScheduler
    private let due: Due
    private let state = Locked(State())
    private let alarm = LatestAlarm()

    init(_ relay: Relay<Value, Error>, on scheduler: any DateScheduler, _ due: @escaping Due) {
        self.relay = relay
        self.scheduler = scheduler
        self.due = due
    }

    var isDisposed: Bool { alarm.isDisposed }

    func dispose() { alarm.dispose() }

    func put(_ value: Value) {
        while true {
            let deliveries = state.withLock { $0.deliveries }
            // Read outside the lock, as it may call anything. So another value may be delivered after that date.
            let now = scheduler.currentDate
            let (isPut, alarm, replaced) = state.withLock { state -> (Bool, (date: Date, number: UInt)?, Value?) in
                guard state.deliveries == deliveries else { return (false, nil, nil) }
                let replaced = state.value
                state.date = due(now, replaced == nil ? nil : state.date, state.delivered)
                state.value = value
                return (true, state.alarmToSet(), replaced)
            }
            _ = replaced  // Released outside the lock.
            if let alarm { set(alarm) }
            if isPut { return }
        }
    }

    private func set(_ next: (date: Date, number: UInt)) {
        alarm.keep(scheduler.schedule(after: next.date) { [self] in ring(next.number) }, of: next.number)
    }

    // Values are appended to the relay under the lock, so that an end which comes at the same time follows them. They
    // are released outside of it.

    private func ring(_ number: UInt) {
        let (isLast, value, next) = state.withLock { state -> (Bool?, Value?, (date: Date, number: UInt)?) in
            guard state.alarms == number, let date = state.alarm.take(), state.value != nil else {
                return (nil, nil, nil)
            }
            if state.date > date { return (nil, nil, state.alarmToSet()) }
            let value = state.value.take()
            guard let value, relay.append(value) else { return (nil, value, nil) }
            state.delivered = state.date
            state.deliveries += 1
            return (state.isLast, value, nil)
        }
        _ = value
        if let next { set(next) }
        guard let isLast else { return }
        relay.deliverNext()
        if isLast { relay.deliver(.completed) }
    }

    /// Delivers the value if it is due by now. It is not delivered later.
    func deliverIfDue() {
        dispose()
        let now = scheduler.currentDate
        let (isDelivered, value) = state.withLock { state -> (Bool, Value?) in
            guard state.date <= now, let value = state.value.take() else { return (false, nil) }
            return (relay.append(value), value)
        }
        _ = value
        if isDelivered { scheduler.schedule { [relay] in relay.deliverNext() } }
    }

    /// - Returns: True if a value waits, which the completion is to follow.
    func becomesLast() -> Bool {
        state.withLock { state in
            state.isLast = true
            return state.value != nil
        }
    }
}

/// The latest value, while none may pass.
private final class HeldValue<Value: Sendable>: Sendable {
    private let state = Locked((isHolding: false, value: Value?.none))

    // Values are appended to the relay under the lock, so that a value which comes at the same time as the end of the
    // holding follows the one that was held.

    /// - Returns: True if there was a value, and it was appended, as nothing is to be held any more.
    func hold(_ shouldHold: Bool, _ append: (Value) -> Bool) -> Bool {
        let (isAppended, value) = state.withLock { state -> (Bool, Value?) in
            state.isHolding = shouldHold
            guard !shouldHold, let value = state.value.take() else { return (false, nil) }
            return (append(value), value)
        }
        _ = value  // Released outside the lock.
        return isAppended
    }

    /// - Returns: True if the value was appended, and not held.
    func pass(_ value: Value, _ append: (Value) -> Bool) -> Bool {
        let (isAppended, replaced) = state.withLock { state -> (Bool, Value?) in
            guard state.isHolding else { return (append(value), nil) }
            defer { state.value = value }
            return (false, state.value)
        }
        _ = replaced  // Released outside the lock.
        return isAppended
    }
}
