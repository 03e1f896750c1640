/// Returns a value about which the optimizer knows nothing, so that it cannot remove the work.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// A sink for results that must not be optimized away.
final class Sink: @unchecked Sendable {
    // Unguarded: some benchmarks add from several threads. A lost addition does not matter, as nobody reads the sum.
    var sum = 0

    @inline(__always)
    func add(_ number: Int) { sum &+= number }
}

let sink = Sink()
