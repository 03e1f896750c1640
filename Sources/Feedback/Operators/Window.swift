import Foundation

extension SignalProducer {
    /// Delivers the values as streams of `count` values each, one after the other; the last may have fewer.
    ///
    /// A window is delivered before its first value. Observe it then.
    public func window(count: Int) -> SignalProducer<Signal<Value, Error>, Error> {
        precondition(count > 0, "window(count:) needs a count greater than zero.")
        return SignalProducer<Signal<Value, Error>, Error>(.guarded, of: stage) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: Window<Value, Error>())
            // Apart, so that a window has arrived before its first value.
            parts.beginApart(self, .windowing(junction, count: count), within: lifetime)
        }
    }

    /// Delivers the values as streams, one after the other: each ends on `scheduler` after `interval`, or when it has had
    /// `count` values.
    ///
    /// A window is delivered when the one before it ends, the first at the start. Observe it then. The intervals follow one
    /// another whatever the windows hold, so the window after a full one is shorter.
    public func window(
        every interval: Duration, count: Int = .max, on scheduler: any DateScheduler
    ) -> SignalProducer<Signal<Value, Error>, Error> {
        windows(every: interval, count: count, on: scheduler, opensFirst: true)
    }

    /// - Parameter opensFirst: True if the first window is delivered at the start; if not, with the first value or after the
    ///   first interval.
    fileprivate func windows(
        every interval: Duration, count: Int, on scheduler: any DateScheduler, opensFirst: Bool
    ) -> SignalProducer<Signal<Value, Error>, Error> {
        precondition(
            interval > .zero && count > 0, "A window needs an interval and a count greater than zero.")
        return SignalProducer<Signal<Value, Error>, Error>(.guarded, of: stage) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: Window<Value, Error>())
            if opensFirst { junction.take(()) { junction, _ in junction.openWindow() } }
            let ticks = SignalProducer<Date, NoError>.timer(interval: interval, on: scheduler)
            let tick = Observer<Date, NoError>(
                receive: { _ in
                    junction.take(()) { junction, _ in
                        junction.state.close(.completed)
                        junction.openWindow()
                    }
                },
                finish: { _ in })
            ticks.begin(tick, within: lifetime)
            parts.beginApart(self, .windowing(junction, count: count, opensNext: true), within: lifetime)
        }
    }
}

extension Signal {
    /// Delivers the values as streams of `count` values each, one after the other; the last may have fewer.
    public func window(count: Int) -> Signal<Signal<Value, Error>, Error> {
        derive { $0.window(count: count) }
    }

    /// Delivers the values as streams, one after the other: each ends on `scheduler` after `interval`, or when it has had
    /// `count` values.
    ///
    /// The first window is delivered with the first value, or after the first interval.
    public func window(
        every interval: Duration, count: Int = .max, on scheduler: any DateScheduler
    ) -> Signal<Signal<Value, Error>, Error> {
        derive { $0.windows(every: interval, count: count, on: scheduler, opensFirst: false) }
    }
}

// MARK: - Machinery

/// The window that is open. Guarded by the junction's lane.
private struct Window<Value: Sendable, Error: Swift.Error> {
    private var input: Observer<Value, Error>?
    private(set) var count = 0

    var isOpen: Bool { input != nil }

    mutating func open() -> Signal<Value, Error> {
        let (signal, input) = Signal<Value, Error>.pipe()
        self.input = input
        count = 0
        return signal
    }

    mutating func receive(_ value: Value) {
        count += 1
        input?.receive(value)
    }

    mutating func close(_ end: Termination<Error>) {
        input.take()?.finish(end)
    }
}

extension Observer {
    /// Delivers values to the open window.
    ///
    /// - Parameter opensNext: True if a window is opened when one is full; if not, when the next value arrives.
    fileprivate static func windowing(
        _ junction: Junction<Signal<Value, Error>, Error, Window<Value, Error>>, count: Int, opensNext: Bool = false
    ) -> Observer {
        Observer(
            receive: { value in
                junction.take((value, count, opensNext)) { junction, input in
                    let (value, count, opensNext) = input
                    if !junction.state.isOpen { junction.openWindow() }
                    if junction.isDisposed { return }
                    junction.state.receive(value)
                    guard junction.state.count == count else { return }
                    junction.state.close(.completed)
                    if opensNext { junction.openWindow() }
                }
            },
            finish: { end in
                junction.take(end) { junction, end in
                    junction.state.close(end)
                    junction.deliver(end)
                }
            })
    }
}

extension Junction {
    fileprivate func openWindow<V>() where State == Window<V, Error>, Value == Signal<V, Error> {
        deliver(state.open())
    }
}
