/// Hands the next piece of work to the starter of the one before, if that ends while it is being started.
///
/// The starter goes on with it in a loop. Otherwise a long row of streams that end at once would be a deep recursion.
@usableFromInline
final class StartHandoff<Next: Sendable>: Sendable {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var isStarting = true
        @usableFromInline var next: Next?

        @inlinable init() {}
    }

    @usableFromInline let state = Locked(State())

    @inlinable init() {}

    /// Called at the end.
    ///
    /// - Returns: True if the starter goes on with `next`; otherwise the caller does.
    @inlinable
    func hand(_ next: Next) -> Bool {
        state.withLock { state in
            if state.isStarting { state.next = next }
            return state.isStarting
        }
    }

    /// Called after the start.
    ///
    /// - Returns: The work with which the starter goes on.
    @inlinable
    func close() -> Next? {
        state.withLock { state in
            state.isStarting = false
            return state.next.take()
        }
    }
}
