/// A value behind a lock, and the signal of its changes.
///
/// A change takes its place in the signal's lane while it holds the lock, and is delivered after the lock was let go
/// of. So values are delivered in the order in which they were set, and nothing is locked meanwhile.
@usableFromInline
final class PropertyCore<Value: Sendable>: Sendable {
    @usableFromInline let current: Locked<Value>
    @usableFromInline let changes = SignalCore<Value, NoError>()

    @inlinable
    init(_ value: Value) {
        current = Locked(value)
    }

    @inlinable
    var value: Value { current.withLock { $0 } }

    @inlinable
    func set(_ value: Value) {
        // What it replaces is let go of outside the lock.
        _ = swap(value)
    }

    @inlinable
    func swap(_ value: Value) -> Value {
        var replaced = value
        let isDelivered = current.withLock { current in
            Swift.swap(&current, &replaced)
            return enterToDeliver(value)
        }
        if isDelivered { changes.deliverAndLeave(value) }
        return replaced
    }

    @inlinable
    func read<Result, Failure>(_ action: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = current.withLock { value in
            do throws(Failure) { return .success(try action(value)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Changes the value in place, and delivers it, also when `action` throws.
    @inlinable
    func modify<Result, Failure>(_ action: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        var delivery: Value?
        let result: Swift.Result<Result, Failure> = current.withLock { value in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) { result = .success(try action(&value)) } catch { result = .failure(error) }
            if enterToDeliver(value) { delivery = value }
            return result
        }
        if let delivery { changes.deliverAndLeave(delivery) }
        return try result.get()
    }

    /// Under the lock: whether the caller is to deliver the value. If not, nobody wants it, or somebody else will.
    @inlinable
    func enterToDeliver(_ value: Value) -> Bool {
        changes.isObserved && changes.enter(orDeliver: value)
    }

    /// Delivers the current value at once, then each change from there on, none missed and none twice.
    @inlinable
    func observe(_ observer: Observer<Value, NoError>, during lifetime: Lifetime) {
        var gate: Gate<Value, NoError>?
        var entered = false
        let (value, observation) = current.withLock { value in
            let observation = changes.expectObserver(interrupts: true)
            entered = changes.lane.lane.enter(
                or: {
                    // The lane is taken: the observer joins in its turn. Changes wait at the gate for the current value.
                    let shut = Gate(observer, isTaken: true)
                    gate = shut
                    return { [self] in join(shut.input, observation) }
                }())
            return (value, observation)
        }
        lifetime.scope.insert(observation)
        if entered {
            observer.receive(value)
            join(observer, observation)
            changes.lane.drain()
        } else if let gate {
            gate.deliver(value)
            gate.drain()
        }
    }

    /// Inside the lane.
    @inlinable
    func join(_ observer: Observer<Value, NoError>, _ observation: Observation<Value, NoError>) {
        if changes.hasEnded, !observation.isDisposed {
            observer.finish(.completed)
        } else {
            changes.add(observer, for: observation)
        }
    }
}
