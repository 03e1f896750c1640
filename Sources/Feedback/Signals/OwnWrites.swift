import Synchronization

/// The changes that one part of a program makes of a property which others change too.
///
/// The part observes the property, for the changes of others. It has dealt with its own before it makes them, and with
/// a change of another that its own has replaced, but is delivered late, it has nothing to do. Both is decided by two
/// numbers:
///
///     another sets the property to 1     made 0, arrived 0     1 is delivered: it is of another, and the latest
///       its observer sets it to 2        made 0, arrived 0
///       the part sets it to 3            made 1, arrived 0
///                                                              2 is delivered: it was replaced
///                                                              3 is delivered: it is the part's own
///                                        made 1, arrived 1
///
/// A change counts as made under the lock of the property, and as arrived in the lane of its observers.
final class OwnWrites: Sendable {
    private let made = Atomic(0)
    private let arrived = Atomic(0)

    /// Changes the property in place.
    func change<Value>(_ property: MutableProperty<Value>, _ action: (inout Value) -> Void) {
        property.core.modify(
            { value in
                made.add(1, ordering: .acquiringAndReleasing)
                action(&value)
            }, arrived: { self.arrived.add(1, ordering: .acquiringAndReleasing) })
    }

    /// The number of own changes if the one that is being delivered is of another, and none of the own came after it.
    /// Called by an observer of the property.
    var numberBeforeOther: Int? {
        let number = arrived.load(ordering: .acquiring)
        return isLatest(number) ? number : nil
    }

    /// True if no own change was made after as many as `number`.
    func isLatest(_ number: Int) -> Bool { made.load(ordering: .acquiring) == number }
}

extension PropertyCore {
    /// Changes the value in place, and calls `arrived` in the lane of the observers when they have got it.
    fileprivate func modify(_ action: (inout Value) -> Void, arrived: @escaping @Sendable () -> Void) {
        let (replaced, change) = current.withLock { value in
            let replaced = value
            action(&value)
            let deliver: SignalLane.Work = { [value] in
                self.changes.deliver(value)
                arrived()
            }
            let change = (
                value: value, deliver: deliver, isInside: changes.lane.lane.enter(or: deliver),
                derivation: takePlaceOfDerivations(value)
            )
            return (replaced, change)
        }
        ThreadState.current.propagate { thread in
            thread.afterPropagation {
                guard change.isInside else { return self.changes.lane.relieve() }
                change.deliver()
                self.changes.lane.drain()
            }
            if change.derivation != .none { propagate(change.value, change.derivation) }
        }
        // Released outside the lock.
        withExtendedLifetime(replaced) {}
    }

    /// Under the lock.
    private func takePlaceOfDerivations(_ value: Value) -> ChangePlace {
        guard derivations.isObserved else { return .none }
        return enterDerivations(orDeliver: value) ? .derivations : .behind
    }
}
