import Dispatch
import Foundation

extension SignalProducer {
    /// Delivers values and the completion `interval` seconds later, on `scheduler`; a failure or an interruption at once.
    public func delay(_ interval: TimeInterval, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= 0, "delay(_:on:) needs an interval of zero or more.")
        return SignalProducer(begin: { [begin] observer, lifetime in
            let relay = Relay(observer, lifetime, on: scheduler)
            let deliverLater: @Sendable () -> Void = {
                scheduler.schedule(after: scheduler.currentDate.addingTimeInterval(interval)) { relay.deliverNext() }
            }
            let part = Observer<Value, Error>(
                receive: { if relay.append($0) { deliverLater() } },
                finish: { end in
                    guard case .completed = end else { return relay.finishNow(end) }
                    if relay.append(end) { deliverLater() }
                })
            begin(part, lifetime)
        })
    }

    /// Fails with `error`, on `scheduler`, if it has not ended `interval` seconds after its start.
    public func timeout(
        after interval: TimeInterval, raising error: Error, on scheduler: any DateScheduler
    ) -> SignalProducer {
        precondition(interval >= 0, "timeout(after:raising:on:) needs an interval of zero or more.")
        return SignalProducer(begin: { [begin] observer, lifetime in
            let junction = Junction(observer, lifetime, state: ())
            let date = scheduler.currentDate.addingTimeInterval(interval)
            if let timer = scheduler.schedule(after: date, action: { junction.finish(.failed(error)) }) {
                lifetime.scope.insert(timer)
            }
            begin(Observer(receive: { junction.receive($0) }, finish: { junction.finish($0) }), lifetime)
        })
    }
}

extension SignalProducer where Error == NoError {
    /// Fails with `error`, on `scheduler`, if it has not ended `interval` seconds after its start.
    public func timeout<NewError>(
        after interval: TimeInterval, raising error: NewError, on scheduler: any DateScheduler
    ) -> SignalProducer<Value, NewError> {
        promoteError(NewError.self).timeout(after: interval, raising: error, on: scheduler)
    }
}

// MARK: - Timers

extension SignalProducer where Value == Date, Error == NoError {
    /// Delivers the date every `interval`, first after one, until it is disposed; a tenth of it is how late it may be.
    public static func timer(interval: DispatchTimeInterval, on scheduler: any DateScheduler) -> SignalProducer {
        timer(interval: interval, on: scheduler, leeway: .nanoseconds(Int(interval.timeInterval * 1e8)))
    }

    /// Delivers the date every `interval`, first after one, until it is disposed.
    ///
    /// - Parameter leeway: How late each may be, so that the system can save energy.
    public static func timer(
        interval: DispatchTimeInterval, on scheduler: any DateScheduler, leeway: DispatchTimeInterval
    ) -> SignalProducer {
        precondition(interval.timeInterval > 0, "A timer needs an interval greater than zero.")
        return SignalProducer(begin: { observer, lifetime in
            let gate = Gate(observer)
            lifetime.scope.insert(gate)
            let date = scheduler.currentDate.addingTimeInterval(interval.timeInterval)
            let timer = scheduler.schedule(after: date, interval: interval, leeway: leeway) {
                gate.receive(scheduler.currentDate)
            }
            if let timer { lifetime.scope.insert(timer) }
        })
    }
}

extension SignalProducer where Error == NoError {
    /// Delivers the elements of `values`, one every `interval`, the first after one; and completes one after the last.
    public static func interval<Values: Sequence & Sendable>(
        _ values: Values, interval: DispatchTimeInterval, on scheduler: any DateScheduler
    ) -> SignalProducer where Values.Element == Value {
        SignalProducer<Date, NoError>.timer(interval: interval, on: scheduler).elements(of: values)
    }
}

extension SignalProducer where Value == Int, Error == NoError {
    /// Delivers 0, 1, 2 and so on, one every `interval`, the first after one, until it is disposed.
    public static func interval(_ interval: DispatchTimeInterval, on scheduler: any DateScheduler) -> SignalProducer {
        .interval(0..., interval: interval, on: scheduler)
    }
}

extension SignalProducer {
    /// Delivers the next element in place of each value, and completes at the value that finds none.
    private func elements<Elements: Sequence & Sendable>(
        of elements: Elements
    ) -> SignalProducer<Elements.Element, Error> where Elements.Element: Sendable {
        SignalProducer<Elements.Element?, Error>(begin: { [begin] observer, lifetime in
            let iterator = Serial(elements.makeIterator())
            begin(observer.contramap { _ in observer.receive(iterator.value.next()) }, lifetime)
        })
        .take(while: { $0 != nil })
        .skipNil()
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers values and the completion `interval` seconds later, on `scheduler`; a failure or an interruption at once.
    public func delay(_ interval: TimeInterval, on scheduler: any DateScheduler) -> Signal {
        derive { $0.delay(interval, on: scheduler) }
    }

    /// Fails with `error`, on `scheduler`, if it has not ended `interval` seconds from now.
    public func timeout(
        after interval: TimeInterval, raising error: Error, on scheduler: any DateScheduler
    ) -> Signal {
        derive { $0.timeout(after: interval, raising: error, on: scheduler) }
    }
}

extension Signal where Error == NoError {
    /// Fails with `error`, on `scheduler`, if it has not ended `interval` seconds from now.
    public func timeout<NewError>(
        after interval: TimeInterval, raising error: NewError, on scheduler: any DateScheduler
    ) -> Signal<Value, NewError> {
        derive { $0.timeout(after: interval, raising: error, on: scheduler) }
    }
}
