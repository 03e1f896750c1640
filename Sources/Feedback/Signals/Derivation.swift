import Foundation
import Synchronization

/// The lane in which a property's changes reach the properties that are derived from it, and those derived from them.
///
/// It counts the changes that were made and those that have arrived, so that a derived property that is read can wait
/// for another thread that is about to bring it up to date. That is the one place in which a thread waits for another;
/// it waits for functions such as those given to `map` and `filter`, and never inside one itself.
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

    /// Returns when all changes that were made before have arrived.
    @usableFromInline
    func settle() {
        if expected.load(ordering: .acquiring) == met.load(ordering: .acquiring) { return }
        if ThreadState.current.isPropagating { return }
        // A change may take several steps in a long chain; each is expected before the one before it is met. The limit
        // ends the wait if the first property is changed again and again meanwhile.
        for _ in 0..<1_000 {
            let target = expected.load(ordering: .acquiring)
            while met.load(ordering: .acquiring) < target { sched_yield() }
            if expected.load(ordering: .acquiring) == target { return }
        }
    }

    /// Runs a part of a long propagation, after the one under way, so that the stack does not grow with the chain.
    @usableFromInline
    func step(_ action: @escaping @Sendable () -> Void) {
        expect()
        lane.perform { [self] in
            ThreadState.current.propagate { _ in action() }
            meet()
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
