import Feedback
import Foundation
import Synchronization

/// A lock around a resource that knows which thread holds it.
///
/// The body of a transaction runs under this lock. If it uses the store instead of its transaction, it would wait for
/// itself; it gets an error instead.
struct ExclusiveAccess<Resource: Sendable>: ~Copyable, Sendable {
    private let resource: Locked<Resource>
    private let holder = Atomic(Self.nobody)
    private static var nobody: UInt { 0 }

    init(_ resource: consuming sending Resource) { self.resource = Locked(resource) }

    /// Throws ``StoreError/insideTransaction`` if this thread holds the lock.
    func checkNotHeld() throws(StoreError) {
        // Only this thread stores its own number, so it can find the number only while it holds the lock.
        if holder.load(ordering: .relaxed) == currentThread() { throw .insideTransaction }
    }

    func withLock<Result: Sendable>(
        _ body: (inout Resource) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try checkNotHeld()
        return try resource.withLock { resource throws(StoreError) in
            holder.store(currentThread(), ordering: .relaxed)
            defer { holder.store(Self.nobody, ordering: .relaxed) }
            return try body(&resource)
        }
    }
}

/// Returns the number of the current thread: not zero, and different from those of all other running threads.
package func currentThread() -> UInt {
    let thread = pthread_self()
    return withUnsafeBytes(of: thread) { $0.loadUnaligned(as: UInt.self) }
}
