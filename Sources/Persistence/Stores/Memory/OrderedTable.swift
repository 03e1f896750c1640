/// Elements in the order of their ids, in small blocks.
///
/// A copy costs nothing until one of the two changes; then only the changed block is copied. So readers read a copy
/// while others write, and a transaction that fails returns to the copy with which it began.
@usableFromInline
struct OrderedTable<Element: Identifiable & Sendable>: Sendable where Element.ID: Sortable & Sendable {
    @usableFromInline typealias Block = ContiguousArray<Element>

    /// The greatest number of elements in a block; a block has at least one.
    @inlinable
    static var capacity: Int { 256 }

    @usableFromInline var blocks: ContiguousArray<Block> = []
    /// The id of each block's first element. They are stored together, since a search that reads the blocks themselves
    /// would wait for memory.
    @usableFromInline var firstIDs: ContiguousArray<Element.ID> = []
    @usableFromInline var count = 0

    @usableFromInline
    struct Position: Comparable {
        @usableFromInline var block: Int
        @usableFromInline var index: Int

        /// Returns whether one position comes before another. The end of a block and the beginning of the next one are
        /// the same place but different values.
        @inlinable
        static func < (lhs: Position, rhs: Position) -> Bool {
            lhs.block < rhs.block || (lhs.block == rhs.block && lhs.index < rhs.index)
        }

        @inlinable
        init(block: Int, index: Int) {
            self.block = block
            self.index = index
        }
    }

    @inlinable
    init() {}

    // MARK: - Finding

    /// Returns the position of the element with this id, or the position at which it would be inserted.
    @inlinable
    func search(_ id: Element.ID) -> (position: Position, isFound: Bool) {
        guard !blocks.isEmpty else { return (start, false) }
        // An id before all others belongs to the first block, too.
        var low = 1
        var high = firstIDs.count
        while low < high {
            let middle = (low &+ high) / 2
            if Element.ID.isOrdered(id, before: firstIDs[middle]) { high = middle } else { low = middle &+ 1 }
        }
        let block = low &- 1
        return blocks[block].withUnsafeBufferPointer { elements in
            var low = 0
            var high = elements.count
            while low < high {
                let middle = (low &+ high) / 2
                if Element.ID.isOrdered(elements[middle].id, before: id) { low = middle &+ 1 } else { high = middle }
            }
            let isFound = low < elements.count && !Element.ID.isOrdered(id, before: elements[low].id)
            return (Position(block: block, index: low), isFound)
        }
    }

    @inlinable
    func find(_ id: Element.ID) -> Element? {
        let (position, isFound) = search(id)
        return isFound ? blocks[position.block][position.index] : nil
    }

    /// Returns the position of the first element for which `isBefore` is false; those for which it is true must come
    /// first.
    @inlinable
    func partition(_ isBefore: (Element.ID) -> Bool) -> Position {
        var low = 0
        var high = firstIDs.count
        while low < high {
            let middle = (low &+ high) / 2
            if isBefore(firstIDs[middle]) { low = middle &+ 1 } else { high = middle }
        }
        guard low > 0 else { return start }
        let block = low &- 1
        // `isBefore` is true of its first element.
        var index = 1
        var end = blocks[block].count
        while index < end {
            let middle = (index &+ end) / 2
            if isBefore(blocks[block][middle].id) { index = middle &+ 1 } else { end = middle }
        }
        return index == blocks[block].count ? Position(block: low, index: 0) : Position(block: block, index: index)
    }

    /// Returns the number of elements from one position to before another; an estimate if there are very many.
    func estimatedCount(from start: Position, to end: Position) -> Int {
        let distance = end.block - start.block
        guard distance > 64 else { return count(from: start, to: end) }
        // Adding up the blocks of a large table would take longer than finding the few objects of a page.
        return Int(Double(count) * Double(distance) / Double(blocks.count))
    }

    /// Returns the number of elements from one position to before another.
    @inlinable
    func count(from start: Position, to end: Position) -> Int {
        guard start.block < end.block else { return max(0, end.index &- start.index) }
        var count = blocks[start.block].count &- start.index &+ end.index
        for block in start.block &+ 1..<end.block { count &+= blocks[block].count }
        return count
    }

    @inlinable
    var start: Position { Position(block: 0, index: 0) }

    @inlinable
    var end: Position { Position(block: blocks.count, index: 0) }

    // MARK: - Changing

    /// Adds an element, unless there is one with its id.
    @inlinable
    mutating func insert(_ element: Element) -> Bool {
        let id = element.id
        if let last = blocks.indices.last {
            // Most objects come in the order of their ids.
            if Element.ID.isOrdered(blocks[last][blocks[last].count &- 1].id, before: id) {
                if blocks[last].count < Self.capacity {
                    blocks[last].append(element)
                } else {
                    append(block: element)
                }
                count &+= 1
                return true
            }
        } else {
            append(block: element)
            count &+= 1
            return true
        }
        var (position, isFound) = search(id)
        if isFound { return false }
        if blocks[position.block].count == Self.capacity {
            let half = Self.capacity / 2
            let upper = Block(blocks[position.block][half...])
            blocks[position.block].removeSubrange(half...)
            firstIDs.insert(upper[0].id, at: position.block &+ 1)
            blocks.insert(upper, at: position.block &+ 1)
            if position.index > half { position = Position(block: position.block &+ 1, index: position.index &- half) }
        }
        blocks[position.block].insert(element, at: position.index)
        if position.index == 0 { firstIDs[position.block] = id }
        count &+= 1
        return true
    }

    /// Replaces the element with the same id, and returns the old one; returns nil if there is none.
    @inlinable
    mutating func replace(_ element: Element) -> Element? {
        let (position, isFound) = search(element.id)
        guard isFound else { return nil }
        let old = blocks[position.block][position.index]
        blocks[position.block][position.index] = element
        return old
    }

    @inlinable
    mutating func remove(_ id: Element.ID) -> Element? {
        let (position, isFound) = search(id)
        guard isFound else { return nil }
        let block = position.block
        let old = blocks[block].remove(at: position.index)
        count &-= 1
        if blocks[block].isEmpty {
            blocks.remove(at: block)
            firstIDs.remove(at: block)
            return old
        }
        if position.index == 0 { firstIDs[block] = blocks[block][0].id }
        if block &+ 1 < blocks.count, blocks[block].count &+ blocks[block &+ 1].count <= Self.capacity / 2 {
            blocks[block].append(contentsOf: blocks[block &+ 1])
            blocks.remove(at: block &+ 1)
            firstIDs.remove(at: block &+ 1)
        }
        return old
    }

    @inlinable
    mutating func append(block element: Element) {
        var block = Block()
        block.reserveCapacity(Self.capacity)
        block.append(element)
        blocks.append(block)
        firstIDs.append(element.id)
    }
}

extension OrderedTable {
    /// Returns the elements from `start` to before `end` that pass `filter`, without the first `offset` of them, and at
    /// most `limit`.
    @inlinable
    func elements(
        passing filter: Filter<Element>, from start: Position, to end: Position, offset: Int, limit: Int
    ) -> [Element] {
        var found: [Element] = []
        var toSkip = offset
        visitBlocks(passing: filter, from: start, to: end) { first, positions, kept in
            let skipped = min(toSkip, kept)
            toSkip &-= skipped
            let taken = min(kept &- skipped, limit &- found.count)
            for index in skipped..<skipped &+ taken { found.append(first[Int(positions[index])]) }
            return found.count < limit
        }
        return found
    }

    /// Returns the number of elements from `start` to before `end` that pass `filter`.
    @inlinable
    func count(passing filter: Filter<Element>, from start: Position, to end: Position) -> Int {
        if filter.passesAll { return count(from: start, to: end) }
        var count = 0
        visitBlocks(passing: filter, from: start, to: end) { _, _, kept in
            count &+= kept
            return true
        }
        return count
    }

    /// Calls `visit` for each block with its first element, and with the positions and the number of those elements that
    /// pass `filter`, until it returns false.
    @inlinable
    func visitBlocks(
        passing filter: Filter<Element>, from start: Position, to end: Position,
        _ visit: (UnsafePointer<Element>, UnsafePointer<UInt16>, Int) -> Bool
    ) {
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Self.capacity) { memory in
            guard let positions = memory.baseAddress else { return }
            var block = start.block
            var isGoingOn = true
            while isGoingOn, block < end.block || (block == end.block && end.index > 0) {
                blocks[block].withUnsafeBufferPointer { elements in
                    guard let first = elements.baseAddress else { return }
                    let from = block == start.block ? start.index : 0
                    let to = block == end.block ? end.index : elements.count
                    let count = max(0, to &- from)
                    for index in 0..<count { positions[index] = UInt16(truncatingIfNeeded: from &+ index) }
                    isGoingOn = visit(first, positions, filter.narrow(first, positions, count))
                }
                block &+= 1
            }
        }
    }
}
