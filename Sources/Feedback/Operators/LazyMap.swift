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
        SignalProducer<U, Error>(.scheduled, of: stage) { observer, lifetime, parts in
            let relay = Relay(observer, lifetime, on: scheduler)
            let box = LatestValue<Value, Error>()
            @Sendable func takeLater() {
                scheduler.schedule {
                    guard !relay.isDisposed, let value = box.take() else { return }
                    relay.deliver(transform(value))
                    let (isNextWaiting, end) = box.finishTaking()
                    if isNextWaiting { takeLater() }
                    if let end { relay.deliver(end) }
                }
            }
            let part = Observer<Value, Error>(
                receive: { if box.put($0) { takeLater() } },
                finish: { end in
                    if case .interrupted = end { return relay.finishNow(end) }
                    if !box.put(end) { relay.finish(end) }
                })
            parts.beginApart(self, part, within: lifetime)
        }
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
///
/// While a value is transformed, the next one waits, also on a scheduler that runs actions at the same time. So values
/// are delivered in their order.
private final class LatestValue<Value: Sendable, Error: Swift.Error>: Sendable {
    private struct State {
        var value: Value?
        /// True while a value has been taken and is not delivered yet.
        var isTaken = false
        var end: Termination<Error>?
    }

    private let state = Locked(State())

    /// - Returns: True if it is to be taken: none waited before, and none is being transformed.
    func put(_ value: Value) -> Bool {
        let (isFirst, replaced) = state.withLock { state in
            defer { state.value = value }
            return (state.value == nil && !state.isTaken, state.value)
        }
        _ = replaced  // Released outside the lock.
        return isFirst
    }

    /// - Returns: True if a value waits or is being transformed, which the end follows.
    func put(_ end: Termination<Error>) -> Bool {
        state.withLock { state in
            state.end = end
            return state.value != nil || state.isTaken
        }
    }

    func take() -> Value? {
        state.withLock { state in
            defer { state.value = nil }
            if state.value != nil { state.isTaken = true }
            return state.value
        }
    }

    /// Records that a value that was taken is delivered.
    ///
    /// - Returns: Whether another waits, which is to be taken; if none does, the end, if it has come.
    func finishTaking() -> (isNextWaiting: Bool, end: Termination<Error>?) {
        state.withLock { state in
            state.isTaken = false
            return state.value == nil ? (false, state.end) : (true, nil)
        }
    }
}
