import Feedback
import Foundation
import Synchronization

/// Something that one thread at a time may use, and that knows which thread does.
///
/// Stores let a transaction's body run inside. A body that goes around its transaction would wait for itself; it gets an
/// error instead.
struct ExclusiveAccess<Resource: Sendable>: ~Copyable, Sendable {
    private let resource: Locked<Resource>
    private let holder = Atomic<UInt>(0)

    init(_ resource: consuming sending Resource) { self.resource = Locked(resource) }

    func withLock<Result: Sendable>(
        _ body: (inout Resource) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let thread = currentThread()
        // Only this thread stores its own number, so it finds it there only while it holds the lock.
        if holder.load(ordering: .relaxed) == thread { throw .insideTransaction }
        return try resource.withLock { resource throws(StoreError) in
            holder.store(thread, ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            return try body(&resource)
        }
    }
}

/// A number that no two living threads share, and that is not zero.
private func currentThread() -> UInt {
    let thread = pthread_self()
    return withUnsafeBytes(of: thread) { $0.loadUnaligned(as: UInt.self) }
}
