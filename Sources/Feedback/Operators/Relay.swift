/// Events on their way to a scheduler, on which all of them are delivered, the interruption too.
final class Relay<Value: Sendable, Error: Swift.Error>: Disposable {
    private struct State {
        var events = Queue<SignalEvent<Value, Error>>()
        /// True once the last event was appended.
        var isFinished = false
    }

    private let state = Locked(State())
    // Keeps law 1 also on a scheduler that runs several actions at once.
    private let lane = Lane<Void>()
    // Guarded by the lane; `nil` after the end.
    nonisolated(unsafe) private var observer: Observer<Value, Error>?
    private let scheduler: any Scheduler

    init(_ observer: Observer<Value, Error>, _ lifetime: Lifetime, on scheduler: any Scheduler) {
        self.observer = observer
        self.scheduler = scheduler
        lifetime.scope.insert(self)
    }

    var isDisposed: Bool { state.withLock { $0.isFinished } }

    func dispose() { finishNow(.interrupted) }

    // MARK: From anywhere

    /// Delivers a value in an action of its own.
    func receive(_ value: Value) {
        if prepare(toPass: Value.self, { append(value) }) { scheduler.schedule { self.deliverNext() } }
    }

    /// Delivers an end in an action of its own, after what waits.
    func finish(_ end: Termination<Error>) {
        guard append(end) else { return }
        scheduler.schedule { self.deliverNext() }
    }

    /// Delivers an end in an action of its own, in place of what waits, which may be another end.
    func finishNow(_ end: Termination<Error>) {
        let dropped = state.withLock { state -> Queue<SignalEvent<Value, Error>>? in
            if state.isFinished, state.events.isEmpty { return nil }
            defer {
                state.events = Queue()
                state.events.append(end.event())
                state.isFinished = true
            }
            return state.events
        }
        if dropped != nil { scheduler.schedule { self.deliverNext() } }
    }

    /// - Returns: True if the value counts, and `deliverNext()` is to be called for it.
    func append(_ value: Value) -> Bool {
        state.withLock { state in
            if !state.isFinished { state.events.append(.value(value)) }
            return !state.isFinished
        }
    }

    /// - Returns: True if the end counts, and `deliverNext()` is to be called for it.
    func append(_ end: Termination<Error>) -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            state.isFinished = true
            state.events.append(end.event())
            return true
        }
    }

    // MARK: On the scheduler

    /// Delivers a value at once.
    func deliver(_ value: Value) {
        if append(value) { deliverNext() }
    }

    /// Delivers an end at once.
    func deliver(_ end: Termination<Error>) {
        if append(end) { deliverNext() }
    }

    /// Called once for each event that was appended.
    func deliverNext() {
        guard lane.enter(or: ()) else { return lane.relieve { deliverFirst() } }
        deliverFirst()
        lane.leave { deliverFirst() }
    }

    private func deliverFirst() {
        if isLarge(Value.self) { deliverFirstOnHeap() } else { deliverFirstOnStack() }
    }

    @inline(never)
    private func deliverFirstOnHeap() {
        passIfAnyOnHeap({ state.withLock { $0.events.popFirst() } }, to: send)
    }

    @inline(never)
    private func deliverFirstOnStack() {
        if let event = state.withLock({ $0.events.popFirst() }) { send(event) }
    }

    // Inlined, as each function of its own looks up the type of the event at run time.
    @inline(__always)
    private func send(_ event: SignalEvent<Value, Error>) {
        if event.isTerminating {
            observer.take()?.send(event)
        } else {
            observer?.send(event)
        }
    }
}
