/// Objects that are called again and again, in the order in which they were inserted.
///
/// Calling them costs no reference counting, which would be the larger part of a delivery. That is safe as long as no
/// object is taken out while they are called; a lane sees to that.
@usableFromInline
struct Roster<Element: AnyObject> {
    @usableFromInline typealias Key = Bag<Element>.Key

    @usableFromInline var bag = Bag<Element>()
    /// The elements of the bag once more, if not stale.
    @usableFromInline var calls: ContiguousArray<Unmanaged<Element>> = []
    @usableFromInline var isStale = false

    @inlinable init() {}

    @inlinable var isEmpty: Bool { bag.isEmpty }

    @inlinable
    mutating func insert(_ element: Element) -> Key {
        isStale = true
        return bag.insert(element)
    }

    @inlinable
    mutating func remove(_ key: Key) -> Element? {
        isStale = true
        return bag.remove(key)
    }

    @inlinable
    mutating func removeAll() -> [Element] {
        isStale = true
        return bag.removeAll()
    }

    @inlinable
    mutating func refresh() {
        calls = ContiguousArray(bag.slots.lazy.compactMap { $0.element.map(Unmanaged.passUnretained) })
        isStale = false
    }
}
