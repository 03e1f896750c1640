import Synchronization

/// A value behind a lock: a `Mutex` of which ThreadSanitizer sees who hands the value to whom.
///
/// `Mutex` is compiled without the sanitizer where two threads meet. What it orders is ordered once more, in sight, by
/// a word that is read after the lock was taken and written before it is let go of. (`Feedback` has the same for itself;
/// this target imports nothing.)
struct Locked<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let handover = Atomic<UInt8>(0)

    init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    borrowing func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        mutex.withLock { value in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(0, ordering: .releasing) }
            return body(&value)
        }
    }
}
