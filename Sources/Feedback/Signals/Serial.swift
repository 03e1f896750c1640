/// The state of one stage of a stream: mutable, and without a lock.
@usableFromInline
final class Serial<Value>: @unchecked Sendable {
    // Guarded by law 1: only read and written inside the deliveries of one stream, which never overlap. So there is
    // nothing to check at each access either, which would cost more than most stages do.
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
