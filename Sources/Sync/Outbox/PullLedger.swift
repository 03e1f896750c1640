/// The pulls that are under way, and the entities whose writes were settled meanwhile.
///
/// A pull's answer may be older than the answer to a write that was settled while the pull was under way:
///
/// | pull | outbox | |
/// |---|---|---|
/// | asks the server | | `begin` |
/// | the server reads its rows | | |
/// | | sends a write, and gets its answer | `note`: the truth is newer than the pull's rows |
/// | gets its answer | | `end`: the entity is left out |
struct PullLedger: Equatable, Sendable {
    private var running: [Int: Set<String>] = [:]
    private var begun = 0
    private var lastMerged = 0

    mutating func begin() -> Int {
        begun += 1
        running[begun] = []
        return begun
    }

    /// A write to an entity was settled.
    mutating func note(_ entity: String) {
        for pull in running.keys { running[pull]?.insert(entity) }
    }

    /// Ends a pull, and returns the entities that are to be left out; nil if a pull that began later was merged already.
    mutating func end(_ pull: Int) -> Set<String>? {
        guard let settled = running.removeValue(forKey: pull), pull > lastMerged else { return nil }
        lastMerged = pull
        return settled
    }

    mutating func cancel(_ pull: Int) { running[pull] = nil }
}
