/// The pulls and pages whose answers are under way, and the entities of which newer answers have arrived meanwhile.
///
/// An answer may be older than the answer to a write that was settled while it was under way:
///
/// | pull | outbox | |
/// |---|---|---|
/// | asks the server | | `begin` |
/// | the server reads its rows | | |
/// | | sends a write, and gets its answer | `note`: the truth is newer than the pull's rows |
/// | gets its answer | | `end`: the entity is left out |
///
/// An answer that was asked for later but arrived first is newer, too. A pull leaves out the objects of a later page. A
/// page that arrives after a later answer is left out as a whole, since its objects may have been deleted in between;
/// its reader asks again. An answer about a single object makes others leave out that object only.
struct PullLedger: Equatable, Sendable {
    private var running: [Int: Set<String>] = [:]
    private var begun = 0
    private var lastMerged = 0

    mutating func begin() -> Int {
        begun += 1
        running[begun] = []
        return begun
    }

    /// Records that entities have a newer truth than all answers that are under way.
    mutating func note(_ entities: Set<String>) {
        for pull in running.keys { running[pull]?.formUnion(entities) }
    }

    /// Records that an answer was merged, which is newer than those that were asked for before it.
    ///
    /// - Parameter isPage: `false` if the answer tells about these entities only.
    mutating func note(_ entities: Set<String>, mergedBy answer: Int, isPage: Bool = true) {
        if isPage { lastMerged = max(lastMerged, answer) }
        for pull in running.keys where pull < answer { running[pull]?.formUnion(entities) }
    }

    /// Ends a pull, and returns the entities to leave out.
    mutating func end(_ pull: Int) -> Set<String> { running.removeValue(forKey: pull) ?? [] }

    /// Ends a page, and returns the entities to leave out; nil if an answer that was asked for later was merged.
    mutating func endPage(_ page: Int) -> Set<String>? {
        guard let settled = running.removeValue(forKey: page), page > lastMerged else { return nil }
        return settled
    }

    mutating func cancel(_ pull: Int) { running[pull] = nil }
}
