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
    struct Position {
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
        entry[kind] = Position(older: last, isTaken: true)
        if let last { last._withUnsafeGuaranteedRef { $0[kind].newer = new } } else { first = new }
        last = new
    }

    /// Adds an entry that is not in the queue before all others.
    mutating func prepend(_ entry: EntityEntry) {
        let new = Unmanaged.passUnretained(entry)
        entry[kind] = Position(newer: first, isTaken: true)
        if let first { first._withUnsafeGuaranteedRef { $0[kind].older = new } } else { last = new }
        first = new
    }

    mutating func remove(_ entry: EntityEntry) {
        let position = entry[kind]
        guard position.isTaken else { return }
        if let older = position.older {
            older._withUnsafeGuaranteedRef { $0[kind].newer = position.newer }
        } else {
            first = position.newer
        }
        if let newer = position.newer {
            newer._withUnsafeGuaranteedRef { $0[kind].older = position.older }
        } else {
            last = position.older
        }
        entry[kind] = Position()
    }
}

extension EntityEntry {
    /// The position of the entry in a queue.
    fileprivate subscript(_ kind: EntryQueue.Kind) -> EntryQueue.Position {
        get { kind == .eviction ? evictionPosition : expirationPosition }
        set { if kind == .eviction { evictionPosition = newValue } else { expirationPosition = newValue } }
    }
}
