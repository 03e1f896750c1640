import Foundation
import Synchronization

/// The lane in which a property's changes reach the properties that are derived from it, and those derived from them.
///
/// It counts the changes that were made and those that have arrived, so that a derived property that is read can wait
/// for another thread that is about to bring it up to date. That is the one place in which a thread waits for another;
/// it waits for functions such as those given to `map` and `filter`, and never inside one itself.
///
/// A thread enters the lane only inside of `ThreadState.propagate`. So it calls observers when it has left the lane
/// again, and one that reads a derived property does not wait for its own thread.
@usableFromInline
final class Derivation: Sendable {
    @usableFromInline let lane = SignalLane()
    @usableFromInline let expected = Atomic(0)
    @usableFromInline let met = Atomic(0)

    @usableFromInline
    init() {}

    /// Called before a change is left in the lane, or taken there.
    @usableFromInline
    func expect() { expected.add(1, ordering: .acquiringAndReleasing) }

    /// Called after it has arrived.
    @usableFromInline
    func meet() { met.add(1, ordering: .acquiringAndReleasing) }

    /// True if all changes that were made before have arrived, through each of `lanes`.
    @inlinable
    static func areSettled(_ lanes: [Derivation]) -> Bool {
        var changes = 0
        for lane in lanes {
            guard let arrived = lane.settledChanges else { return false }
            changes &+= arrived
        }
        return lanes.count == 1 || made(in: lanes) == changes
    }

    /// The number of changes so far. If it is the number that had arrived when each lane was settled, all lanes were
    /// settled at the same time.
    @inlinable
    static func made(in lanes: [Derivation]) -> Int {
        var made = 0
        for lane in lanes { made &+= lane.expected.load(ordering: .acquiring) }
        return made
    }

    /// The number of changes, if all have arrived.
    @inlinable
    var settledChanges: Int? {
        // Read in this order: if both are the same, they were so when the second was read.
        let arrived = met.load(ordering: .acquiring)
        return expected.load(ordering: .acquiring) == arrived ? arrived : nil
    }

    /// Returns when all changes that were made before have arrived, through each of `lanes`.
    ///
    /// A thread that finds another one at the place where two lanes run together leaves its change to that one, and its
    /// own lane is settled. So the other lane may have to be waited for again, even if it was settled before. There are
    /// fewer such places in a row than lanes, unless the row is so long that lanes are shared.
    ///
    /// - Parameter depth: The number of properties in a row before the one that is read.
    @usableFromInline
    static func wait(for lanes: [Derivation], _ depth: UInt16) {
        if ThreadState.current.isPropagating { return }
        // Only in a long row a change takes several steps in a lane, not more than there are properties.
        let further = depth < Stage.segment ? 0 : Int(depth)
        for _ in 0..<lanes.count + further {
            var changes = 0
            for lane in lanes { changes &+= lane.wait(steps: 1 + further) }
            if made(in: lanes) == changes { return }
        }
    }

    /// - Returns: The number of changes that were made until then, which have arrived.
    private func wait(steps: Int) -> Int {
        var made = 0
        // A further step of a change is expected before the step before it is met.
        for _ in 0..<steps {
            if let arrived = settledChanges { return arrived }
            made = expected.load(ordering: .acquiring)
            while met.load(ordering: .acquiring) < made { sched_yield() }
        }
        return made
    }

    /// Runs a part of a long propagation, after the one under way, so that the stack does not grow with the chain.
    @usableFromInline
    func step(_ action: @escaping @Sendable () -> Void) {
        expect()
        ThreadState.current.propagate { _ in
            lane.perform { [self] in
                action()
                meet()
            }
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
