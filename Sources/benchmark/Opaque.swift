/// A value of which the optimizer knows nothing, so that it can't fold the work away.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// A sink for results that must not be optimized away.
final class Sink: @unchecked Sendable {
    // Guarded by being used by one benchmark at a time.
    var sum = 0

    @inline(__always)
    func add(_ number: Int) { sum &+= number }
}

let sink = Sink()
