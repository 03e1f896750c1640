import Foundation

extension SignalProducer where Value == Date, Error == NoError {
    /// Delivers the date every `interval`, first after one, until it is disposed; never if the interval is over thirty years.
    ///
    /// Each may be late by a tenth of the interval, so that the system can save energy.
    public static func timer(interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        timer(interval: interval, on: scheduler, leeway: interval / 10)
    }

    /// Delivers the date every `interval`, first after one, until it is disposed; never if the interval is over thirty years.
    ///
    /// - Parameter leeway: The time that each may be late, so that the system can save energy.
    public static func timer(
        interval: Duration, on scheduler: any DateScheduler, leeway: Duration
    ) -> SignalProducer {
        precondition(interval > .zero, "A timer needs an interval greater than zero.")
        if interval.isForever { return .never }
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
        _ values: Values, interval: Duration, on scheduler: any DateScheduler
    ) -> SignalProducer where Values.Element == Value {
        SignalProducer<Date, NoError>.timer(interval: interval, on: scheduler).elements(of: values)
    }
}

extension SignalProducer where Value == Int, Error == NoError {
    /// Delivers 0, 1, 2 and so on, one every `interval`, the first after one, until it is disposed.
    public static func interval(_ interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        .interval(0..., interval: interval, on: scheduler)
    }
}

extension SignalProducer {
    /// Delivers the next element in place of each value, and completes at the value that finds none.
    private func elements<Elements: Sequence & Sendable>(
        of elements: Elements
    ) -> SignalProducer<Elements.Element, Error> where Elements.Element: Sendable {
        SignalProducer<Elements.Element?, Error>(
            after: stage,
            begin: { [begin] observer, lifetime in
                let iterator = Serial(elements.makeIterator())
                begin(observer.contramap { _ in observer.receive(iterator.value.next()) }, lifetime)
            }
        )
        .take(while: { $0 != nil })
        .skipNil()
    }
}
