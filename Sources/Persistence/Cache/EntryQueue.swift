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
        fileprivate var older: Unmanaged<EntityEntry>?
        fileprivate var newer: Unmanaged<EntityEntry>?
        fileprivate(set) var isTaken = false
    }

    private let kind: Kind
    private var first: Unmanaged<EntityEntry>?
    private var last: Unmanaged<EntityEntry>?

    init(_ kind: Kind) { self.kind = kind }

    var oldest: EntityEntry? { first?.takeUnretainedValue() }

    mutating func append(_ entry: EntityEntry) {
        remove(entry)
        let new = Unmanaged.passUnretained(entry)
        entry[kind] = Place(older: last, isTaken: true)
        if let last { last._withUnsafeGuaranteedRef { $0[kind].newer = new } } else { first = new }
        last = new
    }

    /// Adds an entry before all others.
    mutating func prepend(_ entry: EntityEntry) {
        remove(entry)
        let new = Unmanaged.passUnretained(entry)
        entry[kind] = Place(newer: first, isTaken: true)
        if let first { first._withUnsafeGuaranteedRef { $0[kind].older = new } } else { last = new }
        first = new
    }

    mutating func remove(_ entry: EntityEntry) {
        let place = entry[kind]
        guard place.isTaken else { return }
        if let older = place.older {
            older._withUnsafeGuaranteedRef { $0[kind].newer = place.newer }
        } else {
            first = place.newer
        }
        if let newer = place.newer {
            newer._withUnsafeGuaranteedRef { $0[kind].older = place.older }
        } else {
            last = place.older
        }
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
