import Dispatch
import Foundation

extension SignalProducer {
    /// Delivers values and the completion `interval` seconds later, on `scheduler`; a failure or an interruption at once.
    public func delay(_ interval: TimeInterval, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= 0, "delay(_:on:) needs an interval of zero or more.")
        return SignalProducer(
            .scheduled,
            begin: { [self] observer, lifetime in
                let relay = Relay(observer, lifetime, on: scheduler)
                let alarm = Alarm(scheduler) { relay.deliverNext() }
                lifetime.scope.insert(alarm)
                let deliverLater: @Sendable () -> Void = {
                    alarm.set(to: scheduler.currentDate.addingTimeInterval(interval))
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
                begin(part, within: lifetime)
            })
    }

    /// Fails with `error`, on `scheduler`, if it has not ended `interval` seconds after its start.
    public func timeout(
        after interval: TimeInterval, raising error: Error, on scheduler: any DateScheduler
    ) -> SignalProducer {
        precondition(interval >= 0, "timeout(after:raising:on:) needs an interval of zero or more.")
        return SignalProducer(
            .guarded,
            begin: { [begin] observer, lifetime in
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
    /// Delivers the date every `interval`, first after one, until it is disposed; never if the interval is `.never`.
    ///
    /// Each may be late by a tenth of the interval, so that the system can save energy.
    public static func timer(interval: DispatchTimeInterval, on scheduler: any DateScheduler) -> SignalProducer {
        timer(interval: interval, on: scheduler, leeway: interval.tenth)
    }

    /// Delivers the date every `interval`, first after one, until it is disposed; never if the interval is `.never`.
    ///
    /// - Parameter leeway: How late each may be, so that the system can save energy.
    public static func timer(
        interval: DispatchTimeInterval, on scheduler: any DateScheduler, leeway: DispatchTimeInterval
    ) -> SignalProducer {
        precondition(interval.timeInterval > 0, "A timer needs an interval greater than zero.")
        if interval == .never { return .never }
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
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
        SignalProducer<Elements.Element?, Error>(
            stage.next.origin,
            begin: { [begin] observer, lifetime in
                let iterator = Serial(elements.makeIterator())
                begin(observer.contramap { _ in observer.receive(iterator.value.next()) }, lifetime)
            }
        )
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

// MARK: - Machinery

/// Runs an action at each of the dates that it is set to, which come in order. Only the first date waits on the scheduler.
private final class Alarm: Disposable {
    private let scheduler: any DateScheduler
    private let action: @Sendable () -> Void
    private let dates = Locked(Queue<Date>())
    private let waiting = SerialDisposable()

    init(_ scheduler: any DateScheduler, _ action: @escaping @Sendable () -> Void) {
        self.scheduler = scheduler
        self.action = action
    }

    func set(to date: Date) {
        let isFirst = dates.withLock { dates in
            dates.append(date)
            return dates.count == 1
        }
        if isFirst { wait(for: date) }
    }

    private func wait(for date: Date) {
        waiting.inner = scheduler.schedule(after: date) { self.ring() }
    }

    private func ring() {
        action()
        let next = dates.withLock { dates -> Date? in
            _ = dates.popFirst()
            return dates.first
        }
        if let next { wait(for: next) }
    }

    var isDisposed: Bool { waiting.isDisposed }

    func dispose() { waiting.dispose() }
}
