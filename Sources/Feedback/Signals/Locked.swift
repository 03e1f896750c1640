import Synchronization

/// A value behind a lock: a `Mutex` that ThreadSanitizer understands.
///
/// ```swift
/// final class Counter: Sendable {
///     private let count = Locked(0)
///     func increment() -> Int {
///         count.withLock { count in
///             count += 1
///             return count
///         }
///     }
/// }
/// ```
///
/// The part of `Mutex` in which two threads meet is compiled without the sanitizer, which therefore reports races where
/// there are none. `Locked` also writes an atomic word before it releases the lock, and reads it after it has acquired
/// the lock. The sanitizer sees the order of these two. They cost two plain moves.
public struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<UInt8>(0)

    /// Puts a value behind a lock.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value, while no other thread has access to it.
    ///
    /// `body` must not use this lock again, and should not call unknown code: release large values, send events and
    /// dispose of things after it has returned.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure>(
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
