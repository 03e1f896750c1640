/// A link from one entity to another, which stays in its table as long as there are links to it.
@usableFromInline
struct EntityLink: Equatable {
    // Unowned, since releasing a long chain of owners could overflow the stack.
    @usableFromInline let unowned: Unmanaged<EntityEntry>

    @inlinable
    init(_ entry: EntityEntry) { unowned = .passUnretained(entry) }

    @inlinable var entry: EntityEntry { unowned.takeUnretainedValue() }

    @inlinable
    static func == (lhs: Self, rhs: Self) -> Bool { lhs.unowned.toOpaque() == rhs.unowned.toOpaque() }
}

/// The links of an entity, in the order in which it visits them; `nil` for one that is kept as it was stored.
///
/// The first two need no memory of their own: most entities do not have more.
@usableFromInline
struct EntityLinks: Equatable {
    @usableFromInline var count = 0
    @usableFromInline var first: EntityLink?
    @usableFromInline var second: EntityLink?
    @usableFromInline var others: [EntityLink?] = []

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable
    mutating func append(_ link: EntityLink?) {
        switch count {
        case 0: first = link
        case 1: second = link
        default: others.append(link)
        }
        count += 1
    }

    @inlinable
    subscript(index: Int) -> EntityLink? {
        switch index {
        case 0: first
        case 1: second
        default: others[index - 2]
        }
    }

    /// Calls `body` with each link.
    @inlinable
    func forEach(_ body: (EntityLink) -> Void) {
        if let first { body(first) }
        if let second { body(second) }
        for case let link? in others { body(link) }
    }

    /// Calls `body` with the entry of each link, without retaining it: `body` must not evict entities.
    @inlinable
    func forEachEntry(_ body: (EntityEntry) -> Void) {
        forEach { $0.unowned._withUnsafeGuaranteedRef(body) }
    }

    @inlinable
    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.first == rhs.first && lhs.second == rhs.second && lhs.others == rhs.others
    }
}
