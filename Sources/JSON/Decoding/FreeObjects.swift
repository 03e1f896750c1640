/// Up to eight objects that are free to be used again.
final class FreeObjects<Object: AnyObject>: Sendable {
    // Unchecked: nothing else refers to the object, and the lock hands it from thread to thread.
    private struct Unshared: @unchecked Sendable {
        let object: Object
    }

    private let objects = Locked<[Unshared]>([])

    /// Takes an object out, if there is one.
    func take() -> Object? { objects.withLock { $0.popLast() }?.object }

    /// Puts an object in, if there is room. The caller must have the only reference to it.
    func put(_ object: Object) {
        let unshared = Unshared(object: object)
        objects.withLock { if $0.count < 8 { $0.append(unshared) } }
    }
}
