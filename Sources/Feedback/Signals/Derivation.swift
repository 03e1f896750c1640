import Foundation
import Synchronization

/// The lane in which changes reach a property, and the properties that are derived from it one by one.
///
///     let name = MutableProperty("Ada")
///     let length = name.map(\.count)                // takes changes in the lane of `name`
///     let both = name.combineLatest(with: city)     // has a lane of its own, and takes those of `name` and `city` there
///
/// `name` and `city` may change at once, on two threads. In its own lane, `both` takes one change after the other. A
/// property that is made of `both` and others has a lane of its own again. So a change goes through several lanes, one
/// after the other, from the property that was set to each property made of it. `awaited` of a property lists these lanes
/// in this order.
///
/// **A read of a derived property is at least as new as a read of its source before it.** A thread that has seen the new
/// `name` finds it in `both` too. A thread that sets a property enters its lane before it releases the property's lock.
/// Before it leaves a lane, it enters the next one, or queues its change there if another thread is inside. So until the
/// change has arrived, it is in a lane at any time:
///
///     thread A sets `name`               thread B is in the lane of `both`     thread C has read `name`
///     lock: sets, enters the first       works on a change of `city`           finds the first lane taken, waits
///     queues its change in the second    …                                     …
///     leaves the first                   …                                     finds the first lane free
///     goes on                            works on A's change, sets `both`      finds the second lane taken, waits
///                                        leaves the second                     finds the second lane free, reads
///
/// Thread C has read what A has set under the lock, so it does not find the first lane free before A has left it. Then it
/// also sees what A did inside: that the second lane was taken, and so on. So it waits for each of the `awaited` lanes
/// once, in their order.
///
/// To wait for a lane that is not free, a thread queues an item of its own, and waits until that is worked on. All items
/// before it have been worked on then, and changes that come later do not make it wait longer. In a long row of derived
/// properties, see ``Stage/segment``, a change takes further steps in one lane, at most as many as there are properties
/// in the row: `furtherSteps`.
///
/// This is the only place in which a thread waits for another one. It waits for functions such as those given to `map` and
/// `filter`, but never inside of one: a thread is in a lane only inside of `ThreadState.propagate`, and a thread that
/// propagates does not wait. Observers are called after the lane was left, so one that reads a derived property does not
/// wait for its own thread.
@usableFromInline
final class Derivation: Sendable {
    @usableFromInline let lane: SignalLane
    /// The inner properties of one that was made by `flatMap`, whose lanes come before this one.
    @usableFromInline let inner: InnerProperties?
    /// The number of steps that a change may take here after its first one.
    private let furtherSteps = Atomic<UInt16>(0)

    /// - Parameter lane: The lane of another derivation, to share it.
    @usableFromInline
    init(lane: SignalLane = SignalLane(), inner: InnerProperties? = nil) {
        self.lane = lane
        self.inner = inner
    }

    /// Called when a property is made that takes its changes in a step of its own.
    ///
    /// - Parameter depth: The number of properties in a row before it.
    @usableFromInline
    func expectSteps(_ depth: UInt16) { furtherSteps.max(depth, ordering: .relaxed) }

    /// Runs a part of a long propagation, after the one under way, so that the stack does not grow with the chain.
    @usableFromInline
    func step(_ action: @escaping @Sendable () -> Void) { lane.perform(action) }

    // MARK: - Waiting

    /// True if there is nothing to wait for.
    @inlinable
    static func areSettled(_ lanes: [Derivation]) -> Bool {
        allSatisfy(lanes) { $0.inner == nil && $0.lane.lane.isFree }
    }

    /// A number that changes whenever a property that was made by `flatMap` goes over to another inner property; `nil` if
    /// there is something to wait for.
    @usableFromInline
    static func settledSwitches(_ lanes: [Derivation]) -> Int? {
        var count = 0
        let areSettled = allSatisfy(lanes) { lane in
            guard lane.lane.lane.isFree else { return false }
            guard let inner = lane.inner else { return true }
            guard let switches = inner.settledSwitches else { return false }
            count &+= switches
            // Last, because changes go through those of the inner properties before.
            return lane.lane.lane.isFree
        }
        return areSettled ? count : nil
    }

    /// The same number; `nil` if a change waits that makes one of them go over.
    @usableFromInline
    static func stillSwitches(_ lanes: [Derivation]) -> Int? {
        var count = 0
        let areStill = allSatisfy(lanes) { lane in
            guard let inner = lane.inner else { return true }
            guard let switches = inner.stillSwitches else { return false }
            count &+= switches
            return true
        }
        return areStill ? count : nil
    }

    /// Asks one after the other, without retaining each, which would take as long as the rest of a read.
    @inlinable @inline(__always)
    static func allSatisfy(_ lanes: [Derivation], _ condition: (Derivation) -> Bool) -> Bool {
        lanes.withUnsafeBufferPointer { lanes in
            // The array holds them meanwhile.
            lanes.withMemoryRebound(to: Unmanaged<Derivation>.self) { lanes in
                for lane in lanes where !lane._withUnsafeGuaranteedRef(condition) { return false }
                return true
            }
        }
    }

    /// Waits until what is on its way in the lane has gone through it.
    fileprivate func waitForTurns() {
        for _ in 0...furtherSteps.load(ordering: .relaxed) {
            if lane.lane.isFree { return }
            lane.waitForTurn()
        }
    }
}

/// The waiting of one read of a derived property.
struct Settlement {
    /// Locked by the read that holds flattened properties.
    static let holder = Locked(())

    /// True if flattened properties are to be held, until `release()`.
    let isHolding: Bool
    private(set) var held: [InnerProperties] = []
    private(set) var moments: [InnerProperties.Moment] = []

    init(isHolding: Bool = false) {
        self.isHolding = isHolding
    }

    /// True if no flattened property has gone over since it was waited for.
    var isNow: Bool { moments.allSatisfy(\.isNow) }

    /// Waits until all changes that were made before have gone through each of `lanes`.
    mutating func settle(_ lanes: [Derivation]) {
        moments = []
        for lane in lanes { settle(lane) }
    }

    private mutating func settle(_ derivation: Derivation) {
        if let inner = derivation.inner, !moments.contains(where: { $0.properties === inner }) {
            if held.contains(where: { $0 === inner }) {
                inner.lane.waitForTurn()
            } else if isHolding, inner.canBeHeld {
                inner.waitForTurn(holding: true)
                held.append(inner)
            } else {
                inner.waitForTurn()
            }
            let (switches, lanes) = inner.current()
            let isHeld = held.contains { $0 === inner }
            moments.append(InnerProperties.Moment(properties: inner, switches: switches, isHeld: isHeld))
            for lane in lanes { settle(lane) }
        }
        derivation.waitForTurns()
    }

    func release() {
        for properties in held { properties.release() }
    }
}

extension SignalLane {
    /// Returns when all items that wait have been worked on.
    func waitForTurn() {
        if lane.isFree { return }
        let turn = Turn()
        ThreadState.current.propagate { _ in perform { turn.hasCome.store(true, ordering: .releasing) } }
        turn.wait()
    }

    /// The time at which a waiting thread can go on.
    final class Turn: Sendable {
        let hasCome = Atomic(false)

        func wait() {
            while !hasCome.load(ordering: .acquiring) { sched_yield() }
        }
    }
}

extension ThreadState {
    /// True while derived properties are being brought up to date on this thread.
    @usableFromInline var isPropagating: Bool { propagations > 0 }

    /// Brings derived properties up to date, and delivers the changes to their observers after that.
    ///
    /// - Parameters:
    ///   - first: The delivery that comes before all others, unless this is a part of another propagation.
    @usableFromInline
    func propagate(_ body: (ThreadState) -> Void, first: () -> Void = {}) {
        if isPropagating { return body(self) }
        // A delivery may change other properties: what follows from that comes behind the deliveries of this change.
        let start = (deliveries: deliveries.count, replaced: replaced.count)
        propagations += 1
        body(self)
        propagations -= 1
        let end = deliveries.count
        first()
        if end > start.deliveries {
            for index in start.deliveries..<end { deliveries[index].deliver() }
        }
        // Each is released after its removal, because its release may change properties too.
        while deliveries.count > start.deliveries { withExtendedLifetime(deliveries.removeLast()) {} }
        while replaced.count > start.replaced { withExtendedLifetime(replaced.removeLast()) {} }
    }

    /// Delivers to observers when all derived properties are up to date.
    @usableFromInline
    func afterPropagation(_ deliver: @escaping @Sendable () -> Void) {
        if isPropagating { deliveries.append(Delivery(deliver: deliver)) } else { deliver() }
    }

    /// Holds a value until no thread waits for this one any more: its release may take long, or wait for a thread that
    /// reads a property.
    @usableFromInline
    func releaseLater(_ value: consuming Any) {
        if isPropagating { replaced.append(value) }
    }
}

/// Releases a value inside a lane, when the lane is left.
@inlinable
func releaseLater<Value>(_ value: consuming Value) {
    // A string has nothing of the user's in it.
    if !_isPOD(Value.self), Value.self != String.self { ThreadState.current.releaseLater(value) }
}
