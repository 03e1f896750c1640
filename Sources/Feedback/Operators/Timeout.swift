import Foundation

extension SignalProducer {
    /// Fails with `error`, on `scheduler`, if the stream has not ended `interval` after its start.
    public func timeout(
        after interval: Duration, raising error: Error, on scheduler: any DateScheduler
    ) -> SignalProducer {
        precondition(interval >= .zero, "timeout(after:raising:on:) needs an interval of zero or more.")
        return SignalProducer(.guarded, of: stage) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: ())
            let date = scheduler.currentDate.addingTimeInterval(interval.timeInterval)
            if let timer = scheduler.schedule(after: date, action: { junction.finish(.failed(error)) }) {
                lifetime.scope.insert(timer)
            }
            parts.begin(self, Observer(receive: { junction.receive($0) }, finish: { junction.finish($0) }), lifetime)
        }
    }

    /// Fails with `error`, on `scheduler`, if `interval` pass without a value, from the start or from the value before.
    public func timeout(
        perValue interval: Duration, raising error: Error, on scheduler: any DateScheduler
    ) -> SignalProducer {
        precondition(interval >= .zero, "timeout(perValue:raising:on:) needs an interval of zero or more.")
        return SignalProducer(.guarded, of: stage) { observer, lifetime, parts in
            // The date at which the next value is due, and the one to which the alarm is set. It is set again when it
            // rings too early, and not for each value.
            let junction = Junction(observer, lifetime, state: (due: Date.distantPast, alarm: Date?.none))
            let timer = SerialDisposable()
            lifetime.scope.insert(timer)
            /// Before the start, and inside the junction's lane.
            @Sendable func expectValue() {
                junction.state.due = scheduler.currentDate.addingTimeInterval(interval.timeInterval)
                // It is later if the clock was set back.
                if let alarm = junction.state.alarm, alarm <= junction.state.due { return }
                setAlarm()
            }
            @Sendable func setAlarm() {
                let date = junction.state.due
                junction.state.alarm = date
                timer.inner = scheduler.schedule(after: date) {
                    // A value that has come meanwhile counts, even if it is still being delivered.
                    junction.take(date) { junction, date in
                        guard junction.state.alarm == date else { return }
                        if junction.state.due > date { setAlarm() } else { junction.deliver(.failed(error)) }
                    }
                }
            }
            expectValue()
            let part = Observer<Value, Error>(
                receive: { value in
                    junction.take(value) { junction, value in
                        expectValue()
                        junction.deliver(value)
                    }
                },
                finish: { junction.finish($0) })
            parts.begin(self, part, lifetime)
        }
    }
}

extension SignalProducer where Error == NoError {
    /// Fails with `error`, on `scheduler`, if the stream has not ended `interval` after its start.
    public func timeout<NewError>(
        after interval: Duration, raising error: NewError, on scheduler: any DateScheduler
    ) -> SignalProducer<Value, NewError> {
        promoteError(NewError.self).timeout(after: interval, raising: error, on: scheduler)
    }

    /// Fails with `error`, on `scheduler`, if `interval` pass without a value, from the start or from the value before.
    public func timeout<NewError>(
        perValue interval: Duration, raising error: NewError, on scheduler: any DateScheduler
    ) -> SignalProducer<Value, NewError> {
        promoteError(NewError.self).timeout(perValue: interval, raising: error, on: scheduler)
    }
}

// MARK: - Signal

extension Signal {
    /// Fails with `error`, on `scheduler`, if the stream has not ended `interval` from now.
    public func timeout(
        after interval: Duration, raising error: Error, on scheduler: any DateScheduler
    ) -> Signal {
        derive { $0.timeout(after: interval, raising: error, on: scheduler) }
    }

    /// Fails with `error`, on `scheduler`, if `interval` pass without a value, from now or from the value before.
    public func timeout(
        perValue interval: Duration, raising error: Error, on scheduler: any DateScheduler
    ) -> Signal {
        derive { $0.timeout(perValue: interval, raising: error, on: scheduler) }
    }
}

extension Signal where Error == NoError {
    /// Fails with `error`, on `scheduler`, if the stream has not ended `interval` from now.
    public func timeout<NewError>(
        after interval: Duration, raising error: NewError, on scheduler: any DateScheduler
    ) -> Signal<Value, NewError> {
        derive { $0.timeout(after: interval, raising: error, on: scheduler) }
    }

    /// Fails with `error`, on `scheduler`, if `interval` pass without a value, from now or from the value before.
    public func timeout<NewError>(
        perValue interval: Duration, raising error: NewError, on scheduler: any DateScheduler
    ) -> Signal<Value, NewError> {
        derive { $0.timeout(perValue: interval, raising: error, on: scheduler) }
    }
}
