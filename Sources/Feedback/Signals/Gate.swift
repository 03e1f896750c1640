import Synchronization

/// Makes law 1 hold for an observer, although events are sent from several threads at once, or after the end.
///
/// Sources that do not keep law 1 themselves deliver through a gate: start handlers of users, tasks and timers.
@usableFromInline
final class Gate<Value: Sendable, Error: Swift.Error>: Disposable {
    @usableFromInline let lane: Lane<SignalEvent<Value, Error>>
    @usableFromInline let isInterrupted = Atomic(false)
    @usableFromInline let hasEnded = Atomic(false)
    // Guarded by the lane; `nil` after the end, so that nothing is held longer than it is needed.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var observer: Observer<Value, Error>?

    /// - Parameter isTaken: True if all events wait until the maker calls `drain()`.
    @inlinable
    init(_ observer: Observer<Value, Error>, isTaken: Bool = false) {
        self.observer = observer
        lane = Lane(isTaken: isTaken)
    }

    /// An observer for the source. When its last copy is released before the end, the stream is interrupted.
    @inlinable
    var input: Observer<Value, Error> {
        if isSpecialized(forLarge: Value.self) { return unspecializedInput }
        let input = Input(self)
        return Observer(receive: { input.gate.receive($0) }, finish: { input.gate.finish($0) })
    }

    @inlinable
    func receive(_ value: Value) {
        guard lane.enter(or: .value(value)) else { return relieve() }
        deliver(value)
        drain()
    }

    @inlinable
    func finish(_ termination: Termination<Error>) {
        guard lane.enter(or: termination.event()) else { return relieve() }
        deliver(termination)
        drain()
    }

    @usableFromInline var isDisposed: Bool { isInterrupted.load(ordering: .relaxed) }

    /// Interrupts the stream at once: events that wait are dropped.
    @inlinable
    func dispose() {
        if hasEnded.load(ordering: .acquiring) { return }
        isInterrupted.store(true, ordering: .releasing)
        finish(.interrupted)
    }

    // MARK: - Inside the lane

    @inlinable
    func deliver(_ value: Value) {
        guard !isInterrupted.load(ordering: .relaxed) else { return }
        observer?.receive(value)
    }

    @inlinable
    func deliver(_ termination: Termination<Error>) {
        guard let observer = observer.take() else { return }
        hasEnded.store(true, ordering: .releasing)
        observer.finish(isInterrupted.load(ordering: .relaxed) ? .interrupted : termination)
    }

    @inlinable
    func deliver(event: SignalEvent<Value, Error>) {
        switch event {
        case let .value(value): deliver(value)
        case let .failed(error): deliver(.failed(error))
        case .completed: deliver(.completed)
        case .interrupted: deliver(.interrupted)
        }
    }

    @inlinable
    func drain() {
        if !lane.leaveUnlessItemsWait() { workAndLeave() }
    }

    // Not a part of `drain()`, which would retain the gate for this closure even if no event waits.
    @inlinable @inline(never)
    func workAndLeave() {
        lane.workAndLeave { deliver(event: $0) }
    }

    @inlinable
    func relieve() {
        lane.relieve { deliver(event: $0) }
    }

    @usableFromInline
    final class Input: Sendable {
        @usableFromInline let gate: Gate

        @inlinable
        init(_ gate: Gate) {
            self.gate = gate
        }

        // Queued behind the events that were sent before, so that those still arrive.
        @inlinable
        deinit { gate.finish(.interrupted) }
    }
}
