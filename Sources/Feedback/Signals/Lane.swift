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
/// work(on: item)
/// lane.leave { work(on: $0) }                  // after all that was left behind meanwhile
/// ```
///
/// All of it is one word, `head`: free, taken, or the latest of the items left behind, each of which points to the one
/// before it. The one race is between an item left behind and the last one leaving, and a word can't be in two states:
///
///     thread A (inside)                         thread B (arrives)
///     leave: taken → free       succeeds        enter(or:): taken → item fails; free → taken: B is inside
///
///     leave: taken → free       fails           enter(or:): taken → item succeeds
///     takes all items: item → taken, works on them, and tries to leave again
@usableFromInline
struct Lane<Item: Sendable>: ~Copyable, Sendable {
    @usableFromInline let head: Atomic<UInt>

    @usableFromInline static var free: UInt { 0 }
    @usableFromInline static var taken: UInt { 1 }

    @usableFromInline
    struct Node {
        @usableFromInline var item: Item
        /// The `head` that this one was put on.
        @usableFromInline var previous: UInt

        @inlinable
        init(_ item: Item) {
            self.item = item
            previous = Lane.taken
        }
    }

    /// - Parameter isTaken: Whether the lane starts out taken by its maker, who opens it with `leave(_:)`.
    @inlinable
    init(isTaken: Bool = false) {
        head = Atomic(isTaken ? Self.taken : Self.free)
    }

    @inlinable
    deinit {
        var node = Self.node(at: head.load(ordering: .acquiring))
        while let current = node {
            node = Self.node(at: current.pointee.previous)
            current.deinitialize(count: 1)
            current.deallocate()
        }
    }

    /// Enters the lane if it is free; leaves `item` for whoever is inside if not.
    ///
    /// - Returns: Whether the caller is inside now. It then works on the item itself and calls `leave(_:)` after it.
    @inlinable
    func enter(or item: @autoclosure () -> Item) -> Bool {
        let entry = head.compareExchange(
            expected: Self.free, desired: Self.taken, successOrdering: .acquiring, failureOrdering: .relaxed)
        return entry.exchanged || enterOrLeaveBehind(item())
    }

    /// Leaves the lane, after calling `work` with each item that was left behind until then.
    @inlinable
    func leave(_ work: (Item) -> Void) {
        let exit = head.compareExchange(
            expected: Self.taken, desired: Self.free, successOrdering: .releasing, failureOrdering: .relaxed)
        if !exit.exchanged { workAndLeave(work) }
    }

    // MARK: - When two meet

    @inlinable @inline(never)
    func enterOrLeaveBehind(_ item: Item) -> Bool {
        let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
        node.initialize(to: Node(item))
        var seen = head.load(ordering: .relaxed)
        while true {
            let isFree = seen == Self.free
            node.pointee.previous = seen
            let (exchanged, original) = head.weakCompareExchange(
                expected: seen, desired: isFree ? Self.taken : UInt(bitPattern: node),
                successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if exchanged, isFree {
                node.deinitialize(count: 1)
                node.deallocate()
            }
            if exchanged { return isFree }
            seen = original
        }
    }

    @inlinable @inline(never)
    func workAndLeave(_ work: (Item) -> Void) {
        repeat {
            // From the latest to the first, and then back again.
            var previous = Self.node(at: head.exchange(Self.taken, ordering: .acquiringAndReleasing))
            var next: UnsafeMutablePointer<Node>?
            while let node = previous {
                previous = Self.node(at: node.pointee.previous)
                node.pointee.previous = UInt(bitPattern: next)
                next = node
            }
            while let node = next {
                next = UnsafeMutablePointer(bitPattern: node.pointee.previous)
                let item = node.move().item
                node.deallocate()
                work(item)
            }
        } while !head.compareExchange(
            expected: Self.taken, desired: Self.free, successOrdering: .releasing, failureOrdering: .relaxed
        ).exchanged
    }

    @inlinable
    static func node(at head: UInt) -> UnsafeMutablePointer<Node>? {
        head == free || head == taken ? nil : UnsafeMutablePointer(bitPattern: head)
    }
}
