import Synchronization

/// A way through which one thread at a time passes, and at which nobody waits.
///
/// Whoever finds the lane free enters it and does its work. Whoever finds it taken leaves an item behind and goes on at
/// once; the one inside does that work too, in the order in which it was left, before it goes. That is how every stream
/// and every loop of this module stays serial without a lock being held while it calls out: an observer that sends
/// again, or that disposes, finds the lane taken by its own thread, leaves an item, and neither deadlocks nor recurses.
///
/// ```swift
/// guard lane.enter(or: item) else { return }   // taken: whoever is inside works on the item
/// var next: Item? = item
/// while let item = next {
///     work(on: item)
///     next = lane.leave()                      // nil: the lane is free again
/// }
/// ```
///
/// The one race is between an item left behind and the last one leaving. `occupancy` closes it, as it only turns from
/// `taken` to `crowded` and from `crowded` to `free` under the lock of `waiting`:
///
///     thread A (inside)                       thread B (arrives)
///     leave: taken → free        succeeds     enter(or:): taken → crowded fails, free → taken: B is inside
///     leave: taken → free        fails        enter(or:): taken → crowded, appended under the lock
///     takes the item, under the lock
@usableFromInline
struct Lane<Item: Sendable>: ~Copyable, Sendable {
    @usableFromInline let occupancy: Atomic<UInt8>
    @usableFromInline let waiting = Mutex(Queue<Item>())

    /// - Parameter isTaken: Whether the lane starts out taken by its maker, who opens it with `leave()`.
    @inlinable
    init(isTaken: Bool = false) {
        occupancy = Atomic(isTaken ? Occupancy.taken : Occupancy.free)
    }

    /// Enters the lane if it is free; leaves `item` for whoever is inside if not.
    ///
    /// - Returns: Whether the caller is inside now. It then works on the item itself and calls `leave()` after it.
    @inlinable
    func enter(or item: @autoclosure () -> Item) -> Bool {
        let entry = occupancy.compareExchange(
            expected: Occupancy.free, desired: Occupancy.taken, successOrdering: .acquiring,
            failureOrdering: .relaxed)
        return entry.exchanged || enterSlowly(or: item())
    }

    /// Leaves the lane, unless an item was left behind meanwhile: the caller works on that one, and tries again.
    @inlinable
    func leave() -> Item? {
        let exit = occupancy.compareExchange(
            expected: Occupancy.taken, desired: Occupancy.free, successOrdering: .releasing,
            failureOrdering: .relaxed)
        return exit.exchanged ? nil : leaveSlowly()
    }

    /// Drops all items that wait. Only for whoever is inside, or made the lane taken.
    @usableFromInline
    func dropWaiting() {
        let dropped = waiting.withLock { waiting in
            defer { waiting = Queue() }
            return waiting
        }
        // Deinitializers of what was dropped run here, outside the lock.
        _ = dropped
    }

    // MARK: - When two meet

    @inlinable @inline(never)
    func enterSlowly(or item: Item) -> Bool {
        waiting.withLock { waiting in
            while true {
                let arrival = occupancy.compareExchange(
                    expected: Occupancy.taken, desired: Occupancy.crowded, ordering: .acquiringAndReleasing)
                if arrival.exchanged || arrival.original == Occupancy.crowded {
                    waiting.append(item)
                    return false
                }
                let entry = occupancy.compareExchange(
                    expected: Occupancy.free, desired: Occupancy.taken, ordering: .acquiringAndReleasing)
                if entry.exchanged { return true }
            }
        }
    }

    @inlinable @inline(never)
    func leaveSlowly() -> Item? {
        waiting.withLock { waiting in
            if let item = waiting.popFirst() { return item }
            occupancy.store(Occupancy.free, ordering: .releasing)
            return nil
        }
    }
}

@usableFromInline
enum Occupancy {
    @usableFromInline static let free: UInt8 = 0
    @usableFromInline static let taken: UInt8 = 1
    /// Taken, and at least one item was left behind.
    @usableFromInline static let crowded: UInt8 = 2
}
