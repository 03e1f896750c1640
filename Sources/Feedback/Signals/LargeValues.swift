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

/// Calls `receive` with the value that `make` returns, if that is not `nil`.
@inlinable
func passIfAny<Value>(_ make: () -> Value?, to receive: (Value) -> Void) {
    if isLarge(Value.self) { passIfAnyOnHeap(make, to: receive) } else { passIfAnyOnStack(make, to: receive) }
}

/// Returns the result of `work`, which handles a value before it is passed on.
@inlinable
func prepare<Value, Result>(toPass type: Value.Type, _ work: () -> Result) -> Result {
    isLarge(type) ? inOwnFrame(work) : work()
}

// MARK: - Small values

@inlinable
func passOnStack<Value>(_ make: () -> Value, to receive: (Value) -> Void) {
    receive(make())
}

@inlinable
func passIfAnyOnStack<Value>(_ make: () -> Value?, to receive: (Value) -> Void) {
    if let value = make() { receive(value) }
}

// MARK: - Large values

@usableFromInline
func passOnHeap<Value>(_ make: () -> Value, to receive: (Value) -> Void) {
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    inOwnFrame { place.initialize(to: make()) }
    lend(place, to: receive)
    place.deinitialize(count: 1)
    place.deallocate()
}

@usableFromInline
func passIfAnyOnHeap<Value>(_ make: () -> Value?, to receive: (Value) -> Void) {
    let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    let hasValue = inOwnFrame {
        guard let value = make() else { return false }
        place.initialize(to: value)
        return true
    }
    if hasValue {
        lend(place, to: receive)
        place.deinitialize(count: 1)
    }
    place.deallocate()
}

/// Returns the result of `work`, whose stack frame is gone then: a frame has room for all values in its function, until
/// it returns.
@usableFromInline @inline(never)
func inOwnFrame<Result>(_ work: () -> Result) -> Result { work() }

/// Calls `receive` with the value at `place`. As the value need not be copyable, the compiler makes no copy of it.
@usableFromInline @inline(never)
func lend<Value: ~Copyable>(_ place: UnsafeMutablePointer<Value>, to receive: (borrowing Value) -> Void) {
    receive(place.pointee)
}
