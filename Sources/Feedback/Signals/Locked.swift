import Synchronization

/// A value behind a lock: the standard mutex, with a hand-over that ThreadSanitizer sees.
///
/// On Linux, a mutex for which threads wait is handed over inside the kernel, of which ThreadSanitizer knows nothing, so
/// that it would report races which are none. What is said to it here is a plain load and a plain store.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver = Atomic(false)

    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Reads or changes the value while no other thread does.
    @inlinable
    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
