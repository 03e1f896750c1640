import Synchronization

/// One observer of a signal, and the handle with which the user ends the observation. It releases the observer at the
/// end or at the disposal, however long the handle is held.
@usableFromInline
final class Observation<Value: Sendable, Error: Swift.Error>: Disposable {
    @usableFromInline let core: SignalCore<Value, Error>
    @usableFromInline let interrupts: Bool
    @usableFromInline let disposed = Atomic(false)
    // The lane of the core guards both: only the thread inside it reads or writes them. So exclusivity is not checked again.
    /// `nil` before the observer is added, and after the end or the disposal.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var target: Target?
    /// A key that no observer has, until this is one of several.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var key = Bag<Observation>.Key.max

    /// The observer. As it cannot be copied, a delivery does not retain it, which would take as long as the rest of it.
    /// This is safe because the target is replaced only in the lane, and a delivery holds the lane.
    @usableFromInline
    struct Target: ~Copyable, Sendable {
        @usableFromInline let onValue: @Sendable (Value) -> Void
        @usableFromInline let onEnd: @Sendable (Termination<Error>) -> Void

        @inlinable
        init(_ observer: Observer<Value, Error>) {
            onValue = observer.receive
            onEnd = observer.finish
        }

        // Functions that borrow the target, because reading it from outside would copy, and so retain, a closure.

        @inlinable @inline(__always)
        borrowing func receive(_ value: Value) { onValue(value) }

        @inlinable
        borrowing func finish(_ end: Termination<Error>) { onEnd(end) }
    }

    @inlinable
    init(of core: SignalCore<Value, Error>, interrupts: Bool) {
        self.core = core
        self.interrupts = interrupts
    }

    @inlinable var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @inlinable
    func dispose() {
        guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        core.lane.step { self.core.remove(self) }
    }

    // MARK: - Inside the lane

    @inlinable @inline(__always)
    func receive(_ value: Value) {
        if !isDisposed { target?.receive(value) }
    }

    @inlinable
    func finish(_ termination: Termination<Error>) {
        target?.finish(termination)
        target = nil
    }

    @inlinable
    func finishAsDisposed() {
        if interrupts { interrupt() }
        target = nil
    }

    // Not a part of `finishAsDisposed()`, which would look up the type of the end even if it is not delivered.
    @inlinable @inline(never)
    func interrupt() { target?.finish(.interrupted) }
}
