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
    private let expected = Atomic(0)
    private let met = Atomic(0)

    @usableFromInline
    init() {}

    /// Called before a change is left in the lane, or taken there.
    @usableFromInline
    func expect() { expected.add(1, ordering: .acquiringAndReleasing) }

    /// Called after it has arrived.
    @usableFromInline
    func meet() { met.add(1, ordering: .acquiringAndReleasing) }

    /// Returns when all changes that were made before have arrived, through each of `lanes`.
    ///
    /// A thread that finds another one at the place where two lanes run together leaves its change to that one, and its
    /// own lane is settled. So the other lane may have to be waited for again, even if it was settled before. There are
    /// fewer such places in a row than lanes.
    ///
    /// - Parameter depth: The number of properties in a row before the one that is read.
    @usableFromInline
    static func settle(_ lanes: [Derivation], depth: UInt16) {
        // Only in a long row a change takes several steps, not more than there are properties.
        let steps = depth < Stage.segment ? 1 : Int(depth) + 1
        if lanes.count == 1 {
            lanes[0].settle(steps)
            return
        }
        for _ in lanes {
            let changes = lanes.reduce(0) { $0 &+ $1.settle(steps) }
            // Then all were settled at the same time.
            if lanes.reduce(0, { $0 &+ $1.expected.load(ordering: .acquiring) }) == changes { return }
        }
    }

    /// - Returns: The number of changes that were made until then.
    @discardableResult
    private func settle(_ steps: Int) -> Int {
        var target = 0
        // A further step of a change is expected before the step before it is met.
        for _ in 0..<steps {
            // Read in this order: if both are the same, they were so when the second was read.
            let arrived = met.load(ordering: .acquiring)
            target = expected.load(ordering: .acquiring)
            if arrived == target || ThreadState.current.isPropagating { break }
            while met.load(ordering: .acquiring) < target { sched_yield() }
        }
        return target
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
