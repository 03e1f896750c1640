/// True if values of a type are too large for the stack of each operator that they pass.
///
/// Ten operators that each held a state of 64 KB would overflow the stack of a thread. So such values are held on the
/// heap.
@inlinable
func isLarge<Value>(_ type: Value.Type) -> Bool { MemoryLayout<Value>.size > 1_024 }

/// Calls `receive` with the value that `make` returns.
@inlinable
func pass<Value>(_ make: () -> Value, to receive: (Value) -> Void) {
    // A function for each: without optimization, a frame has room for the values of both branches.
    if isLarge(Value.self) { passOnHeap(make, to: receive) } else { passOnStack(make, to: receive) }
}

@inlinable
func passOnStack<Value>(_ make: () -> Value, to receive: (Value) -> Void) {
    receive(make())
}

@inlinable @inline(never)
func passOnHeap<Value>(_ make: () -> Value, to receive: (Value) -> Void) {
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    fill(place, make)
    lend(place, to: receive)
    place.deinitialize(count: 1)
    place.deallocate()
}

/// A separate function, so that its stack frame is gone when the value is received.
@inlinable @inline(never)
func fill<Value>(_ place: UnsafeMutablePointer<Value>, _ make: () -> Value) {
    place.initialize(to: make())
}

/// Calls `receive` with the value at `place`. As the value need not be copyable, the compiler makes no copy of it.
@inlinable @inline(never)
func lend<Value: ~Copyable>(_ place: UnsafeMutablePointer<Value>, to receive: (borrowing Value) -> Void) {
    receive(place.pointee)
}
