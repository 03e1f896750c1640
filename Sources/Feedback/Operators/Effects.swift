extension SignalProducer {
    /// Does things on the way, without changing the stream.
    ///
    /// - Parameters:
    ///   - starting: Called before the work starts; of several in a row, the last first.
    ///   - started: Called after the work has started; of several in a row, the first first.
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
        SignalProducer(begin: { [begin] observer, lifetime in
            starting?()
            let hasEnded = Decision()
            let tornDown = Decision()
            if let disposed {
                lifetime.observeEnded { if hasEnded.isMade, tornDown.make() { disposed() } }
            }
            var part = Observer<Value, Error>(
                receive: observer.receive,
                finish: { end in
                    _ = hasEnded.make()
                    event?(end.event())
                    switch end {
                    case let .failed(error): failed?(error)
                    case .completed: completed?()
                    case .interrupted: interrupted?()
                    }
                    terminated?()
                    observer.finish(end)
                })
            if event != nil || value != nil {
                part = part.contramap { next in
                    event?(.value(next))
                    value?(next)
                    observer.receive(next)
                }
            }
            begin(part, lifetime)
            // What ends with a lifetime runs in the order in which it came. So of a disposal this hears after the
            // interruption, of which the work, which came before, tells; the one above hears of an end that was at once.
            if let disposed {
                lifetime.observeEnded { if tornDown.make() { disposed() } }
            }
            started?()
        })
    }
}

// MARK: - Signal

extension Signal {
    /// Does things on the way, without changing the stream.
    ///
    /// - Parameters:
    ///   - event: Called with each event, before the more specific ones.
    ///   - terminated: Called at the end, whichever it is.
    ///   - disposed: Called after the end, or when nobody holds or observes the signal any more.
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
