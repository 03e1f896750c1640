import Foundation
import Synchronization

/// A place in which one thread at a time works, and for which no thread waits.
///
/// A thread that finds the lane free enters it and does its work. A thread that finds it taken leaves an item behind
/// and goes on at once; the thread inside works on that item too, in the order in which the items were left, before it
/// goes. In this way every stream and every loop of this module stays serial without holding a lock while it calls out:
/// an observer that sends again, or that disposes, finds the lane taken by its own thread, leaves an item, and neither
/// deadlocks nor recurses.
///
/// ```swift
/// guard lane.enter(or: item) else { return lane.relieve { work(on: $0) } }   // taken: another thread works on the item
/// work(on: item)
/// lane.leave { work(on: $0) }                                            // and on all items that were left meanwhile
/// ```
///
/// The state is one word, `head`: free, taken, or the latest of the items left behind, each of which points to the one
/// before it. There is one race, between an item left behind and the last thread leaving, and a word can't be in two
/// states:
///
///     thread A (inside)                         thread B (arrives)
///     leave: taken → free       succeeds        enter(or:): taken → item fails; free → taken: B is inside
///
///     leave: taken → free       fails           enter(or:): taken → item succeeds
///     takes all items: item → taken, works on them, and tries to leave again
///
/// **No thread is kept inside.** A thread inside works on at most 256 items of others, or for ten milliseconds, before
/// it offers the lane to them. (It looks at the clock after 2, 4 and 8 items, and then after each 16.) The next
/// thread that leaves an item takes the lane over, with all items that wait (`relieve`). If none comes in a moment, the
/// thread inside takes the offer back and goes on. Both exchange `offer` for another number, and no number is used
/// twice, so exactly one of the two succeeds. The number of items that wait is not bounded: an item takes about 64 bytes
/// until a thread has worked on it, and a thread that leaves items is not slowed down.
@usableFromInline
struct Lane<Item: Sendable>: ~Copyable, Sendable {
    @usableFromInline let head: Atomic<UInt>
    /// Odd while the thread inside offers the lane to others.
    @usableFromInline let offer = Atomic<UInt>(0)
    /// While the lane is offered: the items that were left before those in `head`, the first of them first.
    @usableFromInline let rest = Atomic<UInt>(0)

    @usableFromInline static var free: UInt { 0 }
    @usableFromInline static var taken: UInt { 1 }

    /// True if no thread is inside, and no item waits.
    @inlinable
    var isFree: Bool { head.load(ordering: .acquiring) == Self.free }

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

    /// - Parameter isTaken: True if the lane starts out taken by its maker, which opens it with `leave(_:)`.
    @inlinable
    init(isTaken: Bool = false) {
        head = Atomic(isTaken ? Self.taken : Self.free)
    }

    @inlinable
    deinit {
        Self.discard(Self.node(at: head.load(ordering: .acquiring)))
        Self.discard(Self.node(at: rest.load(ordering: .relaxed)))
    }

    @inlinable
    static func discard(_ first: UnsafeMutablePointer<Node>?) {
        var node = first
        while let current = node {
            node = Self.node(at: current.pointee.previous)
            current.deinitialize(count: 1)
            deallocate(current)
        }
    }

    /// Enters the lane if it is free; leaves `item` for the thread inside if not.
    ///
    /// - Returns: True if the caller is inside now. It then works on the item itself and calls `leave(_:)` after it.
    @inlinable
    func enter(or item: @autoclosure () -> Item) -> Bool {
        enterIfFree() || enterOrLeaveBehind(item())
    }

    /// Enters the lane if it is free, for a caller that makes its item in a function of its own, so that the usual way
    /// is short.
    ///
    /// - Returns: False if the lane is taken. The caller then calls `enterOrLeaveBehind(_:)`.
    @inlinable
    func enterIfFree() -> Bool {
        let entry = head.compareExchange(
            expected: Self.free, desired: Self.taken, successOrdering: .acquiring, failureOrdering: .relaxed)
        return entry.exchanged
    }

    /// Leaves the lane, after calling `work` with each item that was left behind until then.
    @inlinable
    func leave(_ work: (Item) -> Void) {
        if !leaveUnlessItemsWait() { workAndLeave(work) }
    }

    /// Leaves the lane if no item was left behind, for a caller whose `work` costs something to make.
    ///
    /// - Returns: False if the caller is still inside. It then calls `workAndLeave(_:)`.
    @inlinable
    func leaveUnlessItemsWait() -> Bool {
        let exit = head.compareExchange(
            expected: Self.taken, desired: Self.free, successOrdering: .releasing, failureOrdering: .relaxed)
        return exit.exchanged
    }

    /// Takes the lane over, with all items that wait, if the thread inside offers it: called after leaving an item.
    @inlinable
    func relieve(_ work: (Item) -> Void) {
        let offer = offer.load(ordering: .relaxed)
        if offer & 1 != 0 { takeOver(offer, work) }
    }

    // MARK: - When two meet

    @inlinable @inline(never)
    func enterOrLeaveBehind(_ item: consuming Item) -> Bool {
        let node = Self.allocate()
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
                Self.deallocate(node)
            }
            if exchanged { return isFree }
            seen = original
        }
    }

    @inlinable @inline(never)
    func workAndLeave(_ work: (Item) -> Void) {
        workAndLeave(Self.reversed(head.exchange(Self.taken, ordering: .acquiringAndReleasing)), work)
    }

    @inlinable @inline(never)
    func takeOver(_ number: UInt, _ work: (Item) -> Void) {
        let acceptance = offer.compareExchange(expected: number, desired: number &+ 1, ordering: .acquiringAndReleasing)
        guard acceptance.exchanged else { return }
        workAndLeave(Self.node(at: rest.exchange(0, ordering: .relaxed)), work)
    }

    /// Works on the items from `first` on, and on those that are left meanwhile, until the lane is free or handed over.
    @inlinable @inline(never)
    func workAndLeave(_ first: UnsafeMutablePointer<Node>?, _ work: (Item) -> Void) {
        var next = first
        var shift = Shift()
        while true {
            while let node = next {
                next = Self.node(at: node.pointee.previous)
                let item = node.move().item
                Self.deallocate(node)
                work(item)
                if shift.isOver() {
                    if isTakenOver(from: next, after: shift) { return }
                    shift = Shift()
                }
            }
            if leaveUnlessItemsWait() { return }
            next = Self.reversed(head.exchange(Self.taken, ordering: .acquiringAndReleasing))
        }
    }

    // Neither this nor `isLong()` is inlined: room for an instant, whose layout is known only at run time, would be made
    // even if the clock is not read.
    /// Offers the lane for a moment, with the items from `first` on.
    @usableFromInline @inline(never)
    func isTakenOver(from first: UnsafeMutablePointer<Node>?, after shift: Shift) -> Bool {
        rest.store(UInt(bitPattern: first), ordering: .relaxed)
        let number = offer.add(1, ordering: .acquiringAndReleasing).newValue
        let end = shift.endOfOffer
        repeat {
            if offer.load(ordering: .relaxed) != number { return true }
            sched_yield()
        } while ContinuousClock.now < end
        let withdrawal = offer.compareExchange(expected: number, desired: number &+ 1, ordering: .acquiringAndReleasing)
        guard withdrawal.exchanged else { return true }
        rest.store(0, ordering: .relaxed)
        return false
    }

    // On Linux, `UnsafeMutablePointer.allocate` takes twice as long as `malloc`, which aligns to 16 bytes.

    @inlinable
    static func allocate() -> UnsafeMutablePointer<Node> {
        if MemoryLayout<Node>.alignment > 16 { return UnsafeMutablePointer<Node>.allocate(capacity: 1) }
        guard let memory = malloc(MemoryLayout<Node>.size) else { preconditionFailure("There is no memory left.") }
        return memory.bindMemory(to: Node.self, capacity: 1)
    }

    @inlinable
    static func deallocate(_ node: UnsafeMutablePointer<Node>) {
        if MemoryLayout<Node>.alignment <= 16 { Foundation.free(node) } else { node.deallocate() }
    }

    @inlinable
    static func node(at head: UInt) -> UnsafeMutablePointer<Node>? {
        head == free || head == taken ? nil : UnsafeMutablePointer(bitPattern: head)
    }

    /// The items that end with `head`, in the order in which they were left: each then points to the one after it.
    @inlinable
    static func reversed(_ head: UInt) -> UnsafeMutablePointer<Node>? {
        var previous = node(at: head)
        var next: UnsafeMutablePointer<Node>?
        while let node = previous {
            previous = Self.node(at: node.pointee.previous)
            node.pointee.previous = UInt(bitPattern: next)
            next = node
        }
        return next
    }
}

/// The time for which a thread works for others before it offers the lane to them.
@usableFromInline
struct Shift {
    @usableFromInline var items: UInt16 = 0
    /// The time of the start, since `origin`. It is set after two items, because most lanes never have as many, and to
    /// read the clock takes time.
    private var start: Duration?

    private static let origin = ContinuousClock.now

    @usableFromInline
    init() {}

    /// Called after each item.
    @inlinable
    mutating func isOver() -> Bool {
        items &+= 1
        return (items % 16 == 0 || items == 2 || items == 4 || items == 8) && isLong()
    }

    @usableFromInline @inline(never)
    mutating func isLong() -> Bool {
        let now = ContinuousClock.now - Self.origin
        let start = self.start ?? now
        self.start = start
        return items == 256 || now - start > .milliseconds(10)
    }

    /// The time that a few items take: if items are left as fast as that, another thread comes within it.
    var endOfOffer: ContinuousClock.Instant {
        let now = ContinuousClock.now
        let worked = start.map { now - Self.origin - $0 } ?? .zero
        return now + min(worked / 16, .milliseconds(1)) + .microseconds(1)
    }
}
