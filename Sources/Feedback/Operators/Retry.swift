import Foundation

extension SignalProducer {
    /// Starts again when it fails, at most `count` times; the last failure is passed on.
    public func retry(upTo count: Int) -> SignalProducer {
        precondition(count >= 0, "retry(upTo:) needs a count of zero or more.")
        return restarting { end, restarts in
            if case .failed = end, restarts < count { .now } else { .never }
        }
    }

    /// Starts again on `scheduler`, `interval` after it failed, at most `count` times; the last failure is passed on.
    public func retry(upTo count: Int, interval: Duration, on scheduler: any DateScheduler) -> SignalProducer {
        precondition(interval >= .zero, "retry(upTo:interval:on:) needs an interval of zero or more.")
        return retry(upTo: count, backoff: .constant(interval), on: scheduler)
    }

    /// Starts again on `scheduler` when it fails with an error that `isTransient` accepts, after the time that
    /// `backoff` returns, at most `count` times; the last failure is passed on.
    ///
    /// ```swift
    /// api.fetch().retry(upTo: 4, backoff: .exponential(from: .milliseconds(500), jitter: 0.2), on: QueueScheduler.main)
    /// ```
    public func retry(
        upTo count: Int, backoff: Backoff, on scheduler: any DateScheduler,
        where isTransient: @escaping @Sendable (Error) -> Bool = { _ in true }
    ) -> SignalProducer {
        precondition(count >= 0, "retry(upTo:) needs a count of zero or more.")
        return restarting { end, restarts in
            guard case let .failed(error) = end, restarts < count, isTransient(error) else { return .never }
            return .later(backoff.interval(restarts), scheduler)
        }
    }

    /// Starts again each time the stream that `handler` makes from the errors delivers a value, in place of a try that
    /// is under way then, and ends when that stream ends.
    ///
    /// ```swift
    /// request.retry(when: { errors in
    ///     errors.flatMap(.latest) { _ in connectivity.signal.filter { $0 }.take(first: 1) }
    /// })
    /// ```
    ///
    /// - Parameter handler: Called for each start, with the errors of all tries. To give up, fail or complete.
    public func retry<Trigger: SignalProducerConvertible>(
        when handler: @escaping @Sendable (Signal<Error, NoError>) -> Trigger
    ) -> SignalProducer where Trigger.Error == Error {
        SignalProducer(.guarded, of: stage) { observer, lifetime, parts in
            let junction = Junction(observer, lifetime, state: ())
            let (errors, input) = Signal<Error, NoError>.pipe()
            let tries = SerialDisposable()
            lifetime.scope.insert(tries)
            let attempt: @Sendable () -> Void = {
                let scope = CompositeDisposable()
                tries.inner = parts.chain.map { PartDisposal(of: scope, in: $0.disposals) } ?? scope
                let part = Observer<Value, Error>(
                    receive: { if !scope.isDisposed { junction.receive($0) } },
                    finish: { end in
                        // Interrupted by the try that has taken its place, or with the whole.
                        if scope.isDisposed { return }
                        scope.dispose()
                        if case let .failed(error) = end { input.send(value: error) } else { junction.finish(end) }
                    })
                performAfterDeliveries(in: parts.chain) {
                    passing(parts.chain, to: stage) { begin(part, Lifetime(scope)) }
                }
            }
            let trigger = Observer<Trigger.Value, Error>(
                receive: { _ in attempt() }, finish: { junction.finish($0) })
            handler(errors).producer.begin(trigger, within: lifetime)
            if !lifetime.hasEnded { attempt() }
        }
    }

    /// Starts again each time the stream that `handler` makes from the errors delivers a value, in place of a try that
    /// is under way then, and ends when that stream ends.
    ///
    /// - Parameter handler: Called for each start, with the errors of all tries. Its stream cannot fail, as that of a timer.
    @_disfavoredOverload  // A stream whose error is not known yet, as that of `promoteError()`, means the one above.
    public func retry<Trigger: SignalProducerConvertible>(
        when handler: @escaping @Sendable (Signal<Error, NoError>) -> Trigger
    ) -> SignalProducer where Trigger.Error == NoError {
        retry(when: { handler($0).producer.promoteError(Error.self) })
    }

    /// Starts again when it completes, until it was started `count` times.
    public func `repeat`(_ count: Int) -> SignalProducer {
        precondition(count >= 0, "repeat(_:) needs a count of zero or more.")
        if count == 0 { return .empty }
        return restarting { end, restarts in
            if case .completed = end, restarts + 1 < count { .now } else { .never }
        }
    }
}

/// The time to wait before each further try.
public struct Backoff: Sendable {
    /// Returns the time before the next try, from the number of retries so far.
    public let interval: @Sendable (_ retries: Int) -> Duration

    /// Makes a backoff from a function, which gets the number of retries so far and returns the time before the next
    /// try.
    public init(interval: @escaping @Sendable (_ retries: Int) -> Duration) {
        self.interval = interval
    }

    /// Always the same interval.
    public static func constant(_ interval: Duration) -> Backoff {
        Backoff { _ in interval }
    }

    /// An interval that begins with `first` and is multiplied by `factor` each time, up to `limit`.
    ///
    /// - Parameters:
    ///   - jitter: The share of itself by which each interval is changed at random, up or down, after the limit is
    ///     applied, so that many clients do not come back at the same moment.
    ///   - random: The source of the random numbers, which tests replace.
    public static func exponential(
        from first: Duration, factor: Double = 2, upTo limit: Duration = .seconds(60), jitter: Double = 0.2,
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Backoff {
        precondition(first >= .zero && factor >= 1 && limit >= first, "A backoff grows from zero or more to its limit.")
        precondition((0...1).contains(jitter), "The jitter is a share, from 0 to 1.")
        return Backoff { retries in
            // In seconds, as a product of durations can overflow. The power is infinite for many retries.
            let growth = min(pow(factor, Double(retries)), .greatestFiniteMagnitude)
            let seconds = min(limit.timeInterval, first.timeInterval * growth)
            return .seconds(jitter == 0 ? seconds : seconds * (1 + random(-jitter...jitter)))
        }
    }
}

// MARK: - Machinery

private enum Restart: Sendable {
    case never
    case now
    case later(Duration, any DateScheduler)
}

extension SignalProducer {
    /// Starts again as `decide` says at each end. It gets the end and the number of restarts so far.
    private func restarting(
        _ decide: @escaping @Sendable (_ end: Termination<Error>, _ restarts: Int) -> Restart
    ) -> SignalProducer {
        SignalProducer(after: Stage(.work, depth: stage.depth)) { observer, lifetime in
            let chain = stage.depth >= Stage.segment - 1 ? ThreadState.current.takeChain() : nil
            @Sendable func start(_ producer: SignalProducer, _ restarts: Int, _ handoff: StartHandoff) {
                if lifetime.hasEnded { return observer.finish(.interrupted) }
                let part = observer.onFinish { (end: Termination<Error>) in
                    let again: SignalProducer
                    switch decide(end, restarts) {
                    case .never: return observer.finish(end)
                    case .now: again = self
                    case let .later(interval, scheduler):
                        again = self.starting { action in
                            let date = scheduler.currentDate.addingTimeInterval(interval.timeInterval)
                            return scheduler.schedule(after: date, action: action)
                        }
                    }
                    let next: StartHandoff.Start = { start(again, restarts + 1, $0) }
                    if !handoff.hand(next) { performAfterDeliveries(in: chain) { StartHandoff.run(next) } }
                }
                producer.begin(part, within: lifetime, in: chain)
            }
            StartHandoff.run { start(self, 0, $0) }
        }
    }
}
