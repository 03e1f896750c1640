import Synchronization

/// Where several streams run into one.
///
/// Their events are worked on one after the other in a lane, in the order in which they arrive. So the state that
/// they share needs no lock, what is delivered keeps the order of what caused it, and law 1 holds for the observer.
@usableFromInline
final class Junction<Value: Sendable, Error: Swift.Error, State>: Disposable, @unchecked Sendable {
    @usableFromInline let lane = Lane<@Sendable () -> Void>()
    @usableFromInline let isInterrupted = Atomic(false)
    // Both are guarded by the lane, which is why no access needs to be checked. The observer is `nil` after the end.
    @exclusivity(unchecked) @usableFromInline var observer: Observer<Value, Error>?
    @exclusivity(unchecked) @usableFromInline var state: State

    /// - Parameter lifetime: When it ends, the stream is interrupted, ahead of all that waits.
    @inlinable
    init(_ observer: Observer<Value, Error>, _ lifetime: Lifetime, state: State) {
        self.observer = observer
        self.state = state
        lifetime.scope.insert(self)
    }

    @usableFromInline var isDisposed: Bool { isInterrupted.load(ordering: .relaxed) }

    @inlinable
    func dispose() {
        isInterrupted.store(true, ordering: .releasing)
        finish(.interrupted)
    }

    // MARK: - From anywhere

    /// Works on `input` in the lane: at once if it is free, else in its turn. Nothing is worked on after the end.
    ///
    /// - Parameter step: Should capture nothing, so that passing it costs nothing.
    @inlinable
    func take<Input: Sendable>(_ input: Input, _ step: @escaping @Sendable (Junction, Input) -> Void) {
        guard lane.enter(or: { self.work(on: input, step) }) else { return lane.relieve { $0() } }
        work(on: input, step)
        drain()
    }

    /// Delivers a value in its turn.
    @inlinable
    func receive(_ value: Value) {
        take(value) { $0.deliver($1) }
    }

    /// Delivers an end in its turn.
    @inlinable
    func finish(_ end: Termination<Error>) {
        take(end) { $0.deliver($1) }
    }

    // MARK: - Inside the lane

    @inlinable
    func work<Input: Sendable>(on input: Input, _ step: @escaping @Sendable (Junction, Input) -> Void) {
        if observer != nil { step(self, input) }
    }

    @inlinable
    func deliver(_ value: Value) {
        guard !isInterrupted.load(ordering: .relaxed) else { return }
        observer?.receive(value)
    }

    @inlinable
    func deliver(_ end: Termination<Error>) {
        observer.take()?.finish(isInterrupted.load(ordering: .relaxed) ? .interrupted : end)
    }

    @inlinable
    func drain() {
        lane.leave { $0() }
    }
}
