/// A first-in, first-out queue. Adding and removing take constant time, and an element that was removed is released.
@usableFromInline
package struct Queue<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable var isEmpty: Bool { head == elements.count }
    @inlinable package var count: Int { elements.count - head }
    @inlinable var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable
    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 16, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the first element that a function accepts, in a time that grows with the queue.
    package mutating func removeFirst(where isWanted: (Element) -> Bool) -> Element? {
        guard let index = elements[head...].firstIndex(where: { $0.map(isWanted) ?? false }) else { return nil }
        return elements.remove(at: index)
    }
}

extension Queue: Sendable where Element: Sendable {}
