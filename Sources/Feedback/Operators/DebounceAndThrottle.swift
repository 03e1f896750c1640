import Foundation

extension SignalProducer {
    /// Delivers a value on `scheduler` when none has followed it for `interval`.
    ///
    /// A failure or an interruption is delivered at once, and a value that waits is dropped. It makes no difference if
    /// an observer of the result ends the source.
    ///
    /// - Parameter discardWhenCompleted: True if a value that waits is dropped at completion. If not, it is delivered
    ///   when it is due, and the completion after it.
    public func debounce(
        _ interval: Duration, on scheduler: any DateScheduler, discardWhenCompleted: Bool = true
    ) -> SignalProducer {
        precondition(interval >= .zero, "debounce(_:on:) needs an interval of zero or more.")
        return limiting(on: scheduler, discardWhenCompleted: discardWhenCompleted) { now, _ in
            now.addingTimeInterval(interval.timeInterval)
        }
    }

    /// Delivers values on `scheduler`, at least `interval` apart. Of the values that come in between, only the latest
    /// is delivered.
    ///
    /// The end is delivered at once, after a value that is due by then; a value that is not due yet is dropped.
    public func throttle(_ interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= .zero, "throttle(_:on:) needs an interval of zero or more.")
        return limiting(on: scheduler, discardWhenCompleted: true) { now, delivered in
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
        SignalProducer(
            .scheduled,
            begin: { [self] observer, lifetime in
                let relay = Relay(observer, lifetime, on: scheduler)
                let held = HeldValue<Value>()
                let switching = Observer<Bool, NoError>(
                    receive: { if held.hold($0, { relay.append($0) }) { scheduler.schedule { relay.deliverNext() } } },
                    finish: { _ in })
                shouldThrottle.producer.begin(switching, within: lifetime)
                let part = Observer<Value, Error>(
                    receive: { if held.pass($0, { relay.append($0) }) { scheduler.schedule { relay.deliverNext() } } },
                    finish: { relay.finish($0) })
                begin(part, within: lifetime)
            })
    }

    /// Delivers only the latest value, at the date that `due` computes from the date at which it came and that of the
    /// previous delivery.
    private func limiting(
        on scheduler: any DateScheduler, discardWhenCompleted: Bool,
        _ due: @escaping @Sendable (_ now: Date, _ delivered: Date?) -> Date
    ) -> SignalProducer {
        SignalProducer(
            .scheduled,
            begin: { [self] observer, lifetime in
                let relay = Relay(observer, lifetime, on: scheduler)
                let pending = PendingValue<Value>()
                let timer = SerialDisposable()
                lifetime.scope.insert(timer)
                let part = Observer<Value, Error>(
                    receive: { value in
                        let (turn, date) = pending.put(value, now: { scheduler.currentDate }, due)
                        timer.inner = scheduler.schedule(after: date) {
                            guard let isLast = pending.deliver(ifStill: turn, date, { relay.append($0) }) else {
                                return
                            }
                            relay.deliverNext()
                            if isLast { relay.deliver(.completed) }
                        }
                    },
                    finish: { end in
                        if case .completed = end, !discardWhenCompleted, pending.becomesLast() { return }
                        timer.dispose()
                        let now = scheduler.currentDate
                        if pending.deliver(ifDueAt: now, { relay.append($0) }) {
                            scheduler.schedule { relay.deliverNext() }
                        }
                        relay.finish(end)
                    })
                begin(part, within: lifetime)
            })
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers a value on `scheduler` when none has followed it for `interval`.
    ///
    /// A failure or an interruption is delivered at once, and a value that waits is dropped. It makes no difference if
    /// an observer of the result ends the source.
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
    public func throttle(_ interval: Duration, on scheduler: any DateScheduler) -> Signal {
        derive { $0.throttle(interval, on: scheduler) }
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
private final class PendingValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// The date at which the value is due.
        var date = Date.distantPast
        var turn: UInt = 0
        var isLast = false
        /// The date at which the value before was due.
        var delivered: Date?
        var deliveries: UInt = 0
    }

    private let state = Locked(State())

    func put(
        _ value: Value, now: () -> Date, _ due: (_ now: Date, _ delivered: Date?) -> Date
    ) -> (turn: UInt, date: Date) {
        while true {
            let deliveries = state.withLock { $0.deliveries }
            // Read outside the lock, as it may call anything. So another value may be delivered after that date.
            let date = now()
            let (place, replaced) = state.withLock { state -> ((turn: UInt, date: Date)?, Value?) in
                guard state.deliveries == deliveries else { return (nil, nil) }
                defer { state.value = value }
                state.turn += 1
                state.date = due(date, state.delivered)
                return ((state.turn, state.date), state.value)
            }
            _ = replaced  // Released outside the lock.
            if let place { return place }
        }
    }

    // Values are appended to the relay under the lock, so that an end which comes at the same time follows them. They
    // are released outside of it.

    /// - Returns: True if the completion follows the value; `nil` if another has replaced it, or it does not count.
    func deliver(ifStill turn: UInt, _ date: Date, _ append: (Value) -> Bool) -> Bool? {
        let (isLast, value) = state.withLock { state -> (Bool?, Value?) in
            guard state.turn == turn, let value = state.value.take() else { return (nil, nil) }
            guard append(value) else { return (nil, value) }
            state.delivered = date
            state.deliveries += 1
            return (state.isLast, value)
        }
        _ = value
        return isLast
    }

    /// - Returns: True if there was a value that was due.
    func deliver(ifDueAt date: Date, _ append: (Value) -> Bool) -> Bool {
        let (isDelivered, value) = state.withLock { state -> (Bool, Value?) in
            guard state.date <= date, let value = state.value.take() else { return (false, nil) }
            return (append(value), value)
        }
        _ = value
        return isDelivered
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
