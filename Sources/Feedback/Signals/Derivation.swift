import Foundation
import Synchronization

/// The lane in which changes reach a property, and the properties that are derived from it one by one.
///
/// A property that is made of others in another way, such as by `combineLatest`, has a lane of its own, in which it
/// takes their values. So a change goes through a row of lanes, from its source to each property made of it.
///
/// **A read is never older than the read of a source before it.** A thread enters a lane, or leaves an item in it,
/// under the lock of the source or inside the lane before it. It leaves a lane only after that. So at each time a
/// change is in a lane of its row, unless it has arrived:
///
///     thread A sets the source           thread B is in the second lane        thread C has read the source
///     lock: sets, enters the first       works for another source              sees the first lane taken, waits
///     leaves an item in the second       …                                     …
///     leaves the first                   …                                     sees the first lane free
///     goes on                            works on the item, sets the value     sees the second lane taken, waits
///                                        leaves the second                     sees the second lane free, reads
///
/// Thread C has read what A has set under the lock, so it can't find the first lane free before A has left it. What A did
/// inside, it sees then too: that the second lane was taken, and so on. So it is enough to wait for each lane once, in
/// the order in which changes go through them. `awaited` of a property is that order.
///
/// To wait for a lane, a thread finds it free, or leaves an item and waits until it is that one's turn. All items
/// before it have been worked on then. Other threads can't keep it waiting by more changes. Only deep in a row a change
/// takes more than one step in one lane, at most as many as there are properties in the row: `furtherSteps`.
///
/// That is the one place in which a thread waits for another. It waits for functions such as those given to `map` and
/// `filter`, and never inside one itself: a thread enters the lane only inside of `ThreadState.propagate`, and a thread
/// that propagates does not wait. It calls observers when it has left the lane again, so one that reads a derived
/// property does not wait for its own thread.
@usableFromInline
final class Derivation: Sendable {
    @usableFromInline let lane: SignalLane
    /// The inner properties of a flattened one, whose lanes come before this one.
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
        for lane in lanes where lane.inner != nil || !lane.lane.lane.isFree { return false }
        return true
    }

    /// A number that changes whenever one of the flattened properties goes over, if there is nothing to wait for.
    @usableFromInline
    static func settledSwitches(_ lanes: [Derivation]) -> Int? {
        var count = 0
        for lane in lanes {
            if let inner = lane.inner {
                guard let switches = inner.settledSwitches else { return nil }
                count &+= switches
            }
            guard lane.lane.lane.isFree else { return nil }
        }
        return count
    }

    /// The same number, whether or not there is something to wait for.
    @usableFromInline
    static func switches(_ lanes: [Derivation]) -> Int {
        var count = 0
        for lane in lanes { if let inner = lane.inner { count &+= inner.switches.load(ordering: .acquiring) } }
        return count
    }

    /// Returns when all changes that were made before have gone through each of `lanes`.
    ///
    /// - Returns: The inner properties that were waited for.
    @usableFromInline
    static func settle(_ lanes: [Derivation]) -> [InnerProperties.Moment] {
        var moments: [InnerProperties.Moment] = []
        if ThreadState.current.isPropagating { return moments }
        for lane in lanes { lane.settle(&moments) }
        return moments
    }

    private func settle(_ moments: inout [InnerProperties.Moment]) {
        if let inner, !moments.contains(where: { $0.properties === inner }) {
            let (moment, lanes) = inner.settled()
            moments.append(moment)
            for lane in lanes { lane.settle(&moments) }
        }
        for _ in 0...furtherSteps.load(ordering: .relaxed) {
            if lane.lane.isFree { return }
            waitForTurn()
        }
    }

    private func waitForTurn() {
        let turn = Turn()
        if lane.lane.enter(or: { turn.hasCome.store(true, ordering: .releasing) }) {
            return ThreadState.current.propagate { _ in lane.drain() }
        }
        while !turn.hasCome.load(ordering: .acquiring) { sched_yield() }
    }

    private final class Turn: Sendable {
        let hasCome = Atomic(false)
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
        let start = deliveries.count
        propagations += 1
        body(self)
        propagations -= 1
        let end = deliveries.count
        first()
        if end == start { return }
        for index in start..<end { deliveries[index].deliver() }
        // Each is released after its removal, because its release may change properties too.
        while deliveries.count > start { withExtendedLifetime(deliveries.removeLast()) {} }
    }

    /// Delivers to observers when all derived properties are up to date.
    @usableFromInline
    func afterPropagation(_ deliver: @escaping @Sendable () -> Void) {
        if isPropagating { deliveries.append(Delivery(deliver: deliver)) } else { deliver() }
    }
}
