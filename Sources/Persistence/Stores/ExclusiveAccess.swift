import Feedback
import Foundation
import Synchronization

/// Something that one thread at a time may use, and that knows which thread does.
///
/// The body of a transaction runs inside. If it goes around its transaction, it would wait for itself; it gets an error instead.
struct ExclusiveAccess<Resource: Sendable>: ~Copyable, Sendable {
    private let resource: Locked<Resource>
    private let holder = Atomic<UInt>(0)

    init(_ resource: consuming sending Resource) { self.resource = Locked(resource) }

    /// Throws ``StoreError/insideTransaction`` if this thread has the access now.
    func checkNotHeld() throws(StoreError) {
        // Only this thread stores its own number, so it finds it there only while it holds the lock.
        if holder.load(ordering: .relaxed) == currentThread() { throw .insideTransaction }
    }

    func withLock<Result: Sendable>(
        _ body: (inout Resource) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try checkNotHeld()
        return try resource.withLock { resource throws(StoreError) in
            holder.store(currentThread(), ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            return try body(&resource)
        }
    }
}

/// A number that no two living threads share, and that is not zero.
package func currentThread() -> UInt {
    let thread = pthread_self()
    return withUnsafeBytes(of: thread) { $0.loadUnaligned(as: UInt.self) }
}
