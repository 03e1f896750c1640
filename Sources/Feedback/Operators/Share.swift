import Synchronization

extension SignalProducer {
    /// Shares one start of the work among all starts of the result: the first starts it, and each gets the last
    /// `capacity` values at once, then what follows.
    ///
    /// The work is disposed when the producer is released and no start of it is left. If there is always a value,
    /// consider a ``Property``. To start the work again, see ``share(replay:while:)``.
    public func replayLazily(upTo capacity: Int) -> SignalProducer {
        precondition(capacity >= 0, "replayLazily(upTo:) needs a capacity of zero or more.")
        let replay = Replay(self, capacity)
        return SignalProducer(.guarded, begin: { observer, lifetime in replay.observe(observer, during: lifetime)?() })
    }
}

/// The time for which a shared start goes on.
public enum SharingScope: Sendable {
    /// As long as there is a start of the shared producer. The next one starts the work again, without old values. So
    /// does the next one after the end.
    case observed
    /// As long as the shared producer is held, or there is a start of it. After the end, each start gets the last
    /// values and the end.
    case held
}

extension SignalProducer {
    /// Shares one start of the work among all starts of the result that overlap.
    ///
    /// ```swift
    /// let prices = feed.prices().share(replay: 1)   // one connection, as long as anything shows a price
    /// ```
    ///
    /// - Parameters:
    ///   - count: The number of last values that a later start gets at once.
    ///   - scope: The time for which the work goes on, and with it whether a later start begins it again.
    public func share(replay count: Int = 0, while scope: SharingScope = .observed) -> SignalProducer {
        precondition(count >= 0, "share(replay:) needs a count of zero or more.")
        if scope == .held { return replayLazily(upTo: count) }
        let current = CurrentReplay(self, count)
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                let begin = current.replay().observe(observer, during: lifetime)
                // From here on, only its observers hold the start, so that work which delivers at once ends with them.
                begin?()
            })
    }
}

/// The start that is shared now. It is held by its observers.
private final class CurrentReplay<Value: Sendable, Error: Swift.Error>: Sendable {
    private struct Weak: Sendable {
        weak var replay: Replay<Value, Error>?
    }

    private let producer: SignalProducer<Value, Error>
    private let capacity: Int
    private let current = Locked(Weak())

    init(_ producer: SignalProducer<Value, Error>, _ capacity: Int) {
        self.producer = producer
        self.capacity = capacity
    }

    func replay() -> Replay<Value, Error> {
        let (replay, ended) = current.withLock { current -> (Replay<Value, Error>, Replay<Value, Error>?) in
            let latest = current.replay
            if let latest, !latest.hasEnded { return (latest, nil) }
            let replay = Replay(producer, capacity)
            current.replay = replay
            return (replay, latest)
        }
        _ = ended  // Released outside the lock, with its values.
        return replay
    }
}

/// One start of a producer, and the last of its values.
private final class Replay<Value: Sendable, Error: Swift.Error>: Sendable {
    private let core = SignalCore<Value, Error>()
    private let memory: Memory
    private let producer: SignalProducer<Value, Error>
    private let hasStarted = Atomic(false)

    private final class Memory: Sendable {
        let history: Locked<History>

        init(_ capacity: Int) {
            history = Locked(History(capacity: capacity))
        }
    }

    private struct History {
        let capacity: Int
        var values = Queue<Value>()
        var end: Termination<Error>?

        /// - Returns: The value that is dropped, which is to be released outside the lock.
        mutating func append(_ value: Value) -> Value? {
            guard capacity > 0 else { return nil }
            values.append(value)
            return values.count > capacity ? values.popFirst() : nil
        }
    }

    init(_ producer: SignalProducer<Value, Error>, _ capacity: Int) {
        self.producer = producer
        memory = Memory(capacity)
    }

    deinit { core.release() }

    var hasEnded: Bool { memory.history.withLock { $0.end != nil } }

    /// - Returns: The work, for the caller to begin, unless it has begun before. It does not hold this object.
    func observe(_ observer: Observer<Value, Error>, during lifetime: Lifetime) -> (() -> Void)? {
        // An observer holds the work.
        lifetime.observeEnded { withExtendedLifetime(self) {} }
        join(observer, during: lifetime)
        guard !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
        let source = Observer<Value, Error>(
            receive: { [core, memory] value in
                // The value takes its place in the lane under the lock, so that an observer gets it once: from the
                // history or from the lane.
                let (isInside, dropped) = memory.history.withLock { history in
                    let dropped = history.append(value)
                    return (core.enter(orDeliver: value), dropped)
                }
                withExtendedLifetime(dropped) {}
                if isInside { core.deliverAndLeave(value) } else { core.lane.relieve() }
            },
            finish: { [core, memory] end in
                let isInside = memory.history.withLock { history in
                    history.end = history.end ?? end
                    return core.lane.lane.enter(or: { core.deliver(end) })
                }
                guard isInside else { return core.lane.relieve() }
                core.deliver(end)
                core.lane.drain()
            })
        return { [core, producer] in producer.begin(source, Lifetime(core.scope)) }
    }

    /// Delivers the history at once, also inside the lane, then what follows.
    private func join(_ observer: Observer<Value, Error>, during lifetime: Lifetime) {
        let observation = core.expectObserver(interrupts: true)
        lifetime.scope.insert(observation)
        var gate: Gate<Value, Error>?
        let (past, isInside) = memory.history.withLock { history in
            let isInside = core.lane.lane.enter(
                or: {
                    // The observer is added later. Until then what follows waits at the gate for the history.
                    let shut = Gate(observer, isTaken: true)
                    gate = shut
                    return { [core, past = history] in Self.add(shut.input, observation, to: core, after: past) }
                }())
            return (history, isInside)
        }
        if !isInside, let gate {
            for value in past.values.elements { if let value, !observation.isDisposed { gate.deliver(value) } }
            if let end = past.end { gate.deliver(end) }
            gate.drain()
            core.lane.relieve()
        } else {
            for value in past.values.elements { if let value, !observation.isDisposed { observer.receive(value) } }
            Self.add(observer, observation, to: core, after: past)
            core.lane.drain()
        }
    }

    /// Inside the lane.
    private static func add(
        _ observer: Observer<Value, Error>, _ observation: Observation<Value, Error>, to core: SignalCore<Value, Error>,
        after past: History
    ) {
        if let end = past.end, !observation.isDisposed {
            observer.finish(end)
        } else {
            core.add(observer, for: observation)
        }
    }
}
