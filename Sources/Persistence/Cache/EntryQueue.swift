/// Entries in a row, the oldest first.
@usableFromInline
struct EntryQueue {
    enum Kind {
        /// The entries that nothing needs, by their last need.
        case eviction
        /// The entries with one time to live that have not expired, by their last storing.
        case expiration
    }

    /// The neighbours of an entry. Unowned, as the tables own the entries, and an entry leaves its queues before its
    /// table.
    struct Place {
        unowned(unsafe) fileprivate var older: EntityEntry?
        unowned(unsafe) fileprivate var newer: EntityEntry?
        fileprivate(set) var isTaken = false
    }

    private let kind: Kind
    unowned(unsafe) private(set) var oldest: EntityEntry?
    unowned(unsafe) private var newest: EntityEntry?

    init(_ kind: Kind) { self.kind = kind }

    mutating func append(_ entry: EntityEntry) {
        remove(entry)
        entry[kind].isTaken = true
        entry[kind].older = newest
        if let newest { newest[kind].newer = entry } else { oldest = entry }
        newest = entry
    }

    /// Adds an entry before all others.
    mutating func prepend(_ entry: EntityEntry) {
        remove(entry)
        entry[kind].isTaken = true
        entry[kind].newer = oldest
        if let oldest { oldest[kind].older = entry } else { newest = entry }
        oldest = entry
    }

    mutating func remove(_ entry: EntityEntry) {
        let place = entry[kind]
        guard place.isTaken else { return }
        if let older = place.older { older[kind].newer = place.newer } else { oldest = place.newer }
        if let newer = place.newer { newer[kind].older = place.older } else { newest = place.older }
        entry[kind] = Place()
    }
}

extension EntityEntry {
    fileprivate subscript(_ kind: EntryQueue.Kind) -> EntryQueue.Place {
        get { kind == .eviction ? evictionPlace : expirationPlace }
        _modify {
            if kind == .eviction { yield &evictionPlace } else { yield &expirationPlace }
        }
    }
}
