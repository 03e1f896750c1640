/// Elements in the order in which they were inserted, each taken out by its key in logarithmic time.
@usableFromInline
struct Bag<Element> {
    @usableFromInline
    typealias Key = UInt

    /// Sorted by key, as keys only grow. A removed element leaves an empty slot until half of the slots are empty.
    @usableFromInline var slots: ContiguousArray<(key: Key, element: Element?)> = []
    @usableFromInline var count = 0
    @usableFromInline var nextKey: Key = 0

    @inlinable init() {}

    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable
    mutating func insert(_ element: Element) -> Key {
        defer { nextKey += 1 }
        slots.append((nextKey, element))
        count += 1
        return nextKey
    }

    /// Inserts an element that was taken out, under the key that it had: its owner still knows that key. The bag must be
    /// empty, so that the keys stay in order.
    @inlinable
    mutating func insert(_ element: Element, for key: Key) -> Key {
        slots = [(key, element)]
        count = 1
        return key
    }

    @inlinable
    mutating func remove(_ key: Key) -> Element? {
        if slots.last?.key == key { return removeLast() }
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].key < key { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low].key == key, let element = slots[low].element.take() else { return nil }
        count -= 1
        if count == 0 {
            slots.removeAll(keepingCapacity: slots.count <= 1024)
        } else if count * 2 < slots.count {
            slots.removeAll { $0.element == nil }
        }
        return element
    }

    @inlinable
    mutating func removeLast() -> Element? {
        let element = slots.removeLast().element
        if element != nil { count -= 1 }
        while let last = slots.last, last.element == nil { slots.removeLast() }
        return element
    }

    @inlinable
    mutating func removeAll() -> [Element] {
        defer {
            slots = []
            count = 0
        }
        return slots.compactMap(\.element)
    }
}

extension Bag {
    /// A bag on the heap: it takes one word in a type that rarely needs a bag.
    final class Storage {
        var bag = Bag()
    }
}

extension Bag: Sendable where Element: Sendable {}
