import Foundation

extension SignalProducer {
    /// Delivers on `scheduler`, every `interval`, an array of the values that came meanwhile; never if the interval is
    /// over thirty years.
    ///
    /// - Parameters:
    ///   - skipEmpty: True if nothing is delivered when no value came.
    ///   - discardWhenCompleted: True if the values that wait are dropped at completion. If not, they are delivered when
    ///     they are due (at once, if that is never), and the completion after them.
    public func collect(
        every interval: Duration, on scheduler: any DateScheduler, skipEmpty: Bool = false,
        discardWhenCompleted: Bool = true
    ) -> SignalProducer<[Value], Error> {
        SignalProducer<[Value], Error>(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let basket = Basket<Value>()
            let ticks = SignalProducer<Date, NoError>.timer(interval: interval, on: scheduler)
            let timer = CompositeDisposable()
            let ticking = Observer<Date, NoError>(
                receive: { _ in
                    let (values, isLast) = basket.empty()
                    if !values.isEmpty || !skipEmpty { relay.deliver(values) }
                    if isLast { relay.deliver(.completed) }
                },
                finish: { _ in })
            ticks.begin(ticking, within: lifetime, scope: timer)
            let part = Observer<Value, Error>(
                receive: { basket.put($0) },
                finish: { end in
                    if case .completed = end, !discardWhenCompleted {
                        if !interval.isForever { return basket.close() }
                        relay.receive(basket.empty().values)
                    }
                    timer.dispose()
                    relay.finish(end)
                })
            parts.beginApart(self, part, within: lifetime)
        }
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers on `scheduler`, every `interval`, an array of the values that came meanwhile; never if the interval is
    /// over thirty years.
    ///
    /// - Parameters:
    ///   - skipEmpty: True if nothing is delivered when no value came.
    ///   - discardWhenCompleted: True if the values that wait are dropped at completion. If not, they are delivered when
    ///     they are due (at once, if that is never), and the completion after them.
    public func collect(
        every interval: Duration, on scheduler: any DateScheduler, skipEmpty: Bool = false,
        discardWhenCompleted: Bool = true
    ) -> Signal<[Value], Error> {
        derive {
            $0.collect(
                every: interval, on: scheduler, skipEmpty: skipEmpty, discardWhenCompleted: discardWhenCompleted)
        }
    }
}

// MARK: - Machinery

/// Values that wait for the next tick.
private final class Basket<Value: Sendable>: Sendable {
    private let state = Locked((values: [Value](), isLast: false))

    func put(_ value: Value) {
        state.withLock { $0.values.append(value) }
    }

    /// No value follows.
    func close() {
        state.withLock { $0.isLast = true }
    }

    func empty() -> (values: [Value], isLast: Bool) {
        state.withLock { state in
            defer { state.values = [] }
            return state
        }
    }
}
