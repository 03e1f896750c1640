extension SignalProducer {
    /// Delivers on `scheduler` the transformed values, without those that were replaced by another before the scheduler got
    /// to them.
    ///
    /// ```swift
    /// states.lazyMap(on: UIScheduler()) { render($0) }
    /// ```
    ///
    /// Completion and failure follow the value that waits; an interruption drops it.
    public func lazyMap<U>(
        on scheduler: any Scheduler, transform: @escaping @Sendable (Value) -> U
    ) -> SignalProducer<U, Error> {
        SignalProducer<U, Error>(
            .scheduled,
            begin: { [self] observer, lifetime in
                let relay = Relay(observer, lifetime, on: scheduler)
                let box = LatestValue<Value, Error>()
                let part = Observer<Value, Error>(
                    receive: { value in
                        guard box.put(value) else { return }
                        scheduler.schedule {
                            guard !relay.isDisposed, let value = box.take() else { return }
                            relay.deliver(transform(value))
                            if let end = box.finishTaking() { relay.deliver(end) }
                        }
                    },
                    finish: { end in
                        if case .interrupted = end { return relay.finishNow(end) }
                        if !box.put(end) { relay.finish(end) }
                    })
                begin(part, within: lifetime)
            })
    }
}

extension Signal {
    /// Delivers on `scheduler` the transformed values, without those that were replaced by another before the scheduler got
    /// to them.
    public func lazyMap<U>(
        on scheduler: any Scheduler, transform: @escaping @Sendable (Value) -> U
    ) -> Signal<U, Error> {
        derive { $0.lazyMap(on: scheduler, transform: transform) }
    }
}

// MARK: - Machinery

/// The value that waits for a scheduler, and the end that follows it.
private final class LatestValue<Value: Sendable, Error: Swift.Error>: Sendable {
    private struct State {
        var value: Value?
        /// The number of values that have been taken and are not delivered yet.
        var takenCount = 0
        var end: Termination<Error>?
    }

    private let state = Locked(State())

    /// - Returns: True if none waited before.
    func put(_ value: Value) -> Bool {
        let replaced = state.withLock { state in
            defer { state.value = value }
            return state.value
        }
        return replaced == nil
    }

    /// - Returns: True if a value waits or is being transformed, which the end follows.
    func put(_ end: Termination<Error>) -> Bool {
        state.withLock { state in
            state.end = end
            return state.value != nil || state.takenCount > 0
        }
    }

    func take() -> Value? {
        state.withLock { state in
            defer { state.value = nil }
            if state.value != nil { state.takenCount += 1 }
            return state.value
        }
    }

    /// Records that a value that was taken is delivered.
    ///
    /// - Returns: The end, if it follows that value.
    func finishTaking() -> Termination<Error>? {
        state.withLock { state in
            state.takenCount -= 1
            return state.value == nil && state.takenCount == 0 ? state.end : nil
        }
    }
}
