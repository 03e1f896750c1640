import Synchronization

/// Returns a value about which the optimizer knows nothing, so that it cannot remove the work.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// A sink for results that must not be optimized away.
final class Sink: Sendable {
    private let sum = Atomic(0)

    /// Adds a number. A relaxed load and store are plain instructions, while an atomic addition would take longer than
    /// some of the work that is measured. An addition that another thread overwrites does not matter: the sum is not read.
    @inline(__always)
    func add(_ number: Int) { sum.store(sum.load(ordering: .relaxed) &+ number, ordering: .relaxed) }
}

let sink = Sink()
