import Synchronization

extension SignalProducer {
    /// Calls functions at the events of the stream, without changing it.
    ///
    /// - Parameters:
    ///   - starting: Called before the work starts. Of several `on` in a row, the last one's is called first.
    ///   - started: Called after the work has started. Of several `on` in a row, the first one's is called first.
    ///   - event: Called with each event, before the more specific ones.
    ///   - terminated: Called at the end, whichever it is.
    ///   - disposed: Called when the work is torn down, after the end.
    public func on(
        starting: (@Sendable () -> Void)? = nil,
        started: (@Sendable () -> Void)? = nil,
        event: (@Sendable (SignalEvent<Value, Error>) -> Void)? = nil,
        failed: (@Sendable (Error) -> Void)? = nil,
        completed: (@Sendable () -> Void)? = nil,
        interrupted: (@Sendable () -> Void)? = nil,
        terminated: (@Sendable () -> Void)? = nil,
        disposed: (@Sendable () -> Void)? = nil,
        value: (@Sendable (Value) -> Void)? = nil
    ) -> SignalProducer {
        SignalProducer(
            after: stage,
            begin: { [begin, stage] observer, lifetime in
                // The functions may start another long chain, which is no part of this one.
                let isHolding = starting != nil || started != nil || disposed != nil
                let chain = isHolding ? ThreadState.current.takeChain() : nil
                starting?()
                // The lifetime may end before the work has said so, as when it is interrupted on a scheduler.
                let teardown = disposed.map { disposed in
                    let teardown = Countdown(from: 2, disposed)
                    lifetime.observeEnded { teardown.count() }
                    return teardown
                }
                var part = Observer<Value, Error>(
                    receive: observer.receive,
                    finish: { end in
                        event?(end.event())
                        switch end {
                        case let .failed(error): failed?(error)
                        case .completed: completed?()
                        case .interrupted: interrupted?()
                        }
                        terminated?()
                        // If the whole was disposed, the observer gets the end before `disposed` is called. Otherwise
                        // its reaction to the end tears the work down.
                        if lifetime.hasEnded {
                            observer.finish(end)
                            teardown?.count()
                        } else {
                            teardown?.count()
                            observer.finish(end)
                        }
                    })
                if event != nil || value != nil {
                    part = part.contramap { next in
                        event?(.value(next))
                        value?(next)
                        observer.receive(next)
                    }
                }
                passing(chain, to: stage) { begin(part, lifetime) }
                // As part of a long chain, the source may begin later.
                if let started { perform(in: chain, started) }
            })
    }
}

// MARK: - Signal

extension Signal {
    /// Calls functions at the events of the stream, without changing it.
    ///
    /// - Parameters:
    ///   - event: Called with each event, before the more specific ones.
    ///   - terminated: Called at the end, whichever it is.
    ///   - disposed: Called after the end, or when the signal is no longer held or observed.
    public func on(
        event: (@Sendable (SignalEvent<Value, Error>) -> Void)? = nil,
        failed: (@Sendable (Error) -> Void)? = nil,
        completed: (@Sendable () -> Void)? = nil,
        interrupted: (@Sendable () -> Void)? = nil,
        terminated: (@Sendable () -> Void)? = nil,
        disposed: (@Sendable () -> Void)? = nil,
        value: (@Sendable (Value) -> Void)? = nil
    ) -> Signal {
        let signal = passing {
            $0.on(
                event: event, failed: failed, completed: completed, interrupted: interrupted, terminated: terminated,
                value: value)
        }
        if let disposed { signal.core.scope.add(disposed) }
        return signal
    }
}

// MARK: - Machinery

/// Runs an action when it has been counted down to zero.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let action: @Sendable () -> Void

    init(from count: Int, _ action: @escaping @Sendable () -> Void) {
        left = Atomic(count)
        self.action = action
    }

    func count() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { action() }
    }
}
