/// Hands the next start to the starter of the one before, if that ends while it is being started.
///
/// The starter goes on with it in a loop. Otherwise a long row of streams that end at once would be a deep recursion.
///
/// It is not generic: to release an object of a generic type looks up the types of its contents.
@usableFromInline
final class StartHandoff: Sendable {
    /// Starts a stream, which may hand the next one over.
    @usableFromInline typealias Start = @Sendable (StartHandoff) -> Void

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var isStarting = true
        @usableFromInline var next: Start?

        @inlinable init() {}
    }

    @usableFromInline let state = Locked(State())

    @inlinable init() {}

    /// Starts the first stream, and then each that is handed over.
    @inlinable
    static func run(_ first: (StartHandoff) -> Void) {
        var handoff = StartHandoff()
        first(handoff)
        while let next = handoff.close() {
            handoff = StartHandoff()
            next(handoff)
        }
    }

    /// Called at the end.
    ///
    /// - Returns: True if the starter goes on with `next`; otherwise the caller does.
    @inlinable
    func hand(_ next: @escaping Start) -> Bool {
        state.withLock { state in
            if state.isStarting { state.next = next }
            return state.isStarting
        }
    }

    @inlinable
    func close() -> Start? {
        state.withLock { state in
            state.isStarting = false
            return state.next.take()
        }
    }
}
