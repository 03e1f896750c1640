import Synchronization

/// A value behind a lock: a `Mutex` that ThreadSanitizer understands.
///
/// The part of `Mutex` in which two threads meet is compiled without the sanitizer. So an atomic word is read after the
/// lock is acquired, and written before it is released: the sanitizer sees the order of these two. (`Feedback` has the
/// same for itself; this target does not import it.)
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
