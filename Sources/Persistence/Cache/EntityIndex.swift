/// The entries of a table by their ids.
///
/// It is a hash table with linear probing. It keeps the hash of each id, so that each id is hashed once when its entry is
/// made, and no other is hashed when an entry is removed; in a dictionary, that takes as long as the rest of an eviction.
@usableFromInline
struct EntityIndex<Target: Entity> {
    @usableFromInline typealias Entry = EntityTable<Target>.Entry

    @usableFromInline
    struct Slot {
        /// The hash of the entry's id; 0 if the slot is empty.
        @usableFromInline var hash = 0
        @usableFromInline var entry: Entry?

        @inlinable
        init() {}

        @inlinable
        init(hash: Int, entry: Entry) {
            self.hash = hash
            self.entry = entry
        }
    }

    /// A power of two of them; at least a quarter is empty. No slot between an entry and the index of its hash is empty.
    @usableFromInline var slots: ContiguousArray<Slot> = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// The hash of an id, which is never 0.
    @inlinable
    static func hash(_ id: Target.ID) -> Int { IDHash.hash(id) | .min }

    /// All entries, in no order.
    @inlinable var entries: [Entry] { slots.compactMap(\.entry) }

    /// The entry with an id, whose hash this is.
    @inlinable
    func entry(_ id: Target.ID, hash: Int) -> Entry? {
        guard count > 0 else { return nil }
        var index = hash & (slots.count &- 1)
        while slots[index].hash != 0 {
            if slots[index].hash == hash, let entry = slots[index].entry, entry.id == id { return entry }
            index = (index &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Adds an entry with an id that no other has.
    @inlinable
    mutating func add(_ entry: Entry) {
        if count * 4 == slots.count * 3 { grow() }
        put(Slot(hash: entry.hash, entry: entry))
        count += 1
    }

    /// Removes an entry that was added, if it is still here.
    @inlinable
    mutating func remove(_ entry: Entry) {
        let last = slots.count - 1
        var free = entry.hash & last
        while let other = slots[free].entry, other !== entry { free = (free + 1) & last }
        guard slots[free].entry != nil else { return }
        // Entries after it, up to the next empty slot, move closer to the indices of their hashes.
        var next = (free + 1) & last
        while slots[next].hash != 0 {
            if (next - slots[next].hash) & last >= (next - free) & last {
                slots.swapAt(free, next)
                free = next
            }
            next = (next + 1) & last
        }
        slots[free] = Slot()
        count -= 1
    }

    @inlinable
    mutating func put(_ slot: Slot) {
        var index = slot.hash & (slots.count - 1)
        while slots[index].hash != 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = slot
    }

    @inlinable
    mutating func grow() {
        let old = slots
        slots = ContiguousArray(repeating: Slot(), count: max(16, old.count * 2))
        for slot in old where slot.entry != nil { put(slot) }
    }
}
