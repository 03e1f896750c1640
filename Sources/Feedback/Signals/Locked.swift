import Synchronization

/// A value behind a lock: a `Mutex` of which ThreadSanitizer sees who hands the value to whom.
///
/// The sanitizer does not see into `Mutex` where two threads meet, as that part is compiled without it, and would report
/// races that are none. The word beside it is written before the lock is let go of and read after it was taken: what
/// the mutex orders is ordered by it once more, in sight, for the price of two plain moves.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<UInt8>(0)

    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` alone with the value. It must not call out, and not come back here.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}

extension Locked: Sendable where Value: ~Copyable {}
