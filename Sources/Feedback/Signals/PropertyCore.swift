/// A value behind a lock, and the signals of its changes.
///
/// A change takes its place in a signal's lane while the lock is held, and is delivered after the lock is released. So
/// values are delivered in the order in which they were set, and nothing is locked during a delivery.
///
/// A change is delivered twice: first to the properties that are derived from this one, and only when all of them have
/// their values, to the observers. So an observer, and the caller of the setter, finds all of them up to date.
@usableFromInline
final class PropertyCore<Value: Sendable>: Sendable {
    @usableFromInline let current: Locked<Value>
    /// For observers.
    @usableFromInline let changes = SignalCore<Value, NoError>()
    /// For the properties that are derived from this one.
    @usableFromInline let derivations: SignalCore<Value, NoError>
    /// The lane of `derivations`.
    @usableFromInline let derivation: Derivation
    /// The lanes that a change goes through before it arrives here, in their order, the last of them `derivation`; none
    /// if the value is set and not derived. If there are several ways, the lanes of each are in their order.
    @usableFromInline let awaited: [Derivation]
    /// The observers that will be added in the lane of `derivations`, and have the value that was there before. Only
    /// those of a derived property, whose value changes in the lane. Guarded by the lock of `current`. It is not of its
    /// type, which would be looked up for each change where code is not specialized.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var latecomers: (any AnyObject & Sendable)?

    @inlinable
    init(_ value: Value) {
        current = Locked(value)
        derivation = Derivation()
        derivations = SignalCore(lane: derivation.lane)
        awaited = []
    }

    /// - Parameters:
    ///   - depth: The number of properties between this one and the first of `derivation`.
    @inlinable
    init(_ value: Value, in derivation: Derivation, depth: UInt16, awaiting awaited: [Derivation]) {
        current = Locked(value)
        self.derivation = derivation
        derivations = SignalCore(lane: derivation.lane, depth: depth)
        self.awaited = awaited
    }

    @inlinable
    var value: Value {
        if Derivation.areSettled(awaited) { return current.withLock { $0 } }
        return settledValue()
    }

    @inlinable @inline(never)
    func settledValue() -> Value {
        if let switches = Derivation.settledSwitches(awaited) {
            let value = current.withLock { $0 }
            if Derivation.stillSwitches(awaited) == switches { return value }
        }
        return awaitedValue()
    }

    /// Returns the value when it is as new as the values that it is derived from.
    @usableFromInline
    func awaitedValue() -> Value {
        while true {
            // A hold is the last means: what is changed meanwhile has to be worked on after it.
            for _ in 0..<4 { if let value = valueIfNow(settle()) { return value } }
            if let value = heldValue() { return value }
        }
    }

    @discardableResult
    func settle() -> Settlement {
        var settlement = Settlement()
        // Properties that are brought up to date do not wait for each other.
        if !ThreadState.current.isPropagating { settlement.settle(awaited) }
        return settlement
    }

    private func valueIfNow(_ settlement: Settlement) -> Value? {
        let value = current.withLock { $0 }
        return settlement.isNow ? value : nil
    }

    /// The same, with a hold on the flattened properties among those that it is derived from; `nil` if one that can't be
    /// held has gone over meanwhile.
    @inline(never)
    private func heldValue() -> Value? {
        var result: Value?
        // Observers are called at the end of the propagation, when nothing is held any more.
        ThreadState.current.propagate { _ in
            Settlement.holder.withLock { _ in
                var settlement = Settlement(isHolding: true)
                repeat {
                    settlement.settle(awaited)
                    result = valueIfNow(settlement)
                } while result == nil && settlement.moments.allSatisfy { $0.isHeld || $0.isNow }
                settlement.release()
            }
        }
        return result
    }

    @inlinable
    func read<Result, Failure>(_ action: (Value) throws(Failure) -> Result) throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = current.withLock { value in
            do throws(Failure) { return .success(try action(value)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    // MARK: - Changing

    @inlinable
    func set(_ value: Value) {
        // The value that it replaces is released outside the lock.
        _ = swap(value)
    }

    @inlinable
    func swap(_ value: Value) -> Value {
        if isSpecialized(forLarge: Value.self) { return unspecializedSwap(value) }
        var replaced = value
        let place = current.withLock { current in
            Swift.swap(&current, &replaced)
            return takePlace(value)
        }
        if place != .none { deliver(value, place) }
        return replaced
    }

    /// Changes the value in place, and delivers it, also when `action` throws.
    @inlinable
    func modify<Result, Failure>(_ action: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        // A function for each: without optimization, a frame has room for the values of both branches.
        if isLarge(Value.self) { return try modifyOnHeap(action) } else { return try modifyOnStack(action) }
    }

    @inlinable
    func modifyOnStack<Result, Failure>(_ action: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        var delivery: (value: Value, place: ChangePlace)?
        let result: Swift.Result<Result, Failure> = current.withLock { value in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) { result = .success(try action(&value)) } catch { result = .failure(error) }
            // Asked first, because the value is copied only if it is observed.
            guard isObserved else { return result }
            let place = takePlace(value)
            if place != .none { delivery = (value, place) }
            return result
        }
        if let delivery { deliver(delivery.value, delivery.place) }
        return try result.get()
    }

    @usableFromInline @_semantics("optimize.no.crossmodule")
    func modifyOnHeap<Result, Failure>(_ action: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        defer { copy.deallocate() }
        var place = ChangePlace.none
        let result: Swift.Result<Result, Failure> = current.withLock { value in
            let result: Swift.Result<Result, Failure>
            do throws(Failure) { result = .success(try action(&value)) } catch { result = .failure(error) }
            place = takePlace(value)
            if place != .none { copy.initialize(to: value) }
            return result
        }
        if place != .none {
            func deliver(_ value: Value) { self.deliver(value, place) }
            lend(copy, to: deliver)
            copy.deinitialize(count: 1)
        }
        return try result.get()
    }

    /// Completes: the value will not change any more.
    @inlinable
    func finish() {
        ThreadState.current.propagate { thread in
            derivations.finish(.completed)
            thread.afterPropagation { self.changes.finish(.completed) }
        }
    }

    // MARK: - Places in the lanes

    @inlinable var isObserved: Bool { changes.isObserved || derivations.isObserved }

    /// Under the lock: takes the places of a change in both lanes.
    @inlinable
    func takePlace(_ value: Value) -> ChangePlace {
        var place = ChangePlace.none
        if changes.isObserved { place.insert(changes.enter(orDeliver: value) ? .changes : .behind) }
        if derivations.isObserved { place.insert(enterDerivations(orDeliver: value) ? .derivations : .behind) }
        return place
    }

    @inlinable
    func enterDerivations(orDeliver value: Value) -> Bool {
        derivation.lane.lane.enter(
            or: {
                self.derivations.deliver(value)
                releaseLater(value)
            })
    }

    @inlinable
    func deliver(_ value: Value, _ place: ChangePlace) {
        if place == .changes {
            changes.deliverAndLeave(value)
        } else {
            propagate(value, place)
        }
    }

    @inlinable @inline(never)
    func propagate(_ value: Value, _ place: ChangePlace) {
        let thread = ThreadState.current
        // The first delivery of the outermost change needs no place in the list of those that follow.
        let isFirst = place.contains(.changes) && !thread.isPropagating
        thread.propagate(
            { thread in
                if place.contains(.changes), !isFirst {
                    thread.afterPropagation { self.changes.deliverAndLeave(value) }
                }
                if place.contains(.derivations) { derivations.deliverAndLeave(value) }
                guard place.contains(.behind) else { return }
                derivation.lane.relieve()
                thread.afterPropagation { self.changes.lane.relieve() }
            },
            first: { if isFirst { changes.deliverAndLeave(value) } })
    }
}

/// The work that a change of a property leaves to the thread that made it.
///
/// Not nested in the generic class, so that its metadata need not be looked up at run time.
@usableFromInline
struct ChangePlace: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable static var none: ChangePlace { [] }
    /// The thread is inside the lane of `changes`.
    @inlinable static var changes: ChangePlace { ChangePlace(rawValue: 1) }
    /// The thread is inside the lane of `derivations`.
    @inlinable static var derivations: ChangePlace { ChangePlace(rawValue: 2) }
    /// The thread has left an item in a lane.
    @inlinable static var behind: ChangePlace { ChangePlace(rawValue: 4) }
}
