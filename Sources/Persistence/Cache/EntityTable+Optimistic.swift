import Foundation

/// Shows changes of entities before the server has answered them.
extension EntityTable {
    @inlinable
    func apply(_ change: EntityChange<Target>, to target: Target.ID, id: OptimisticChangeID) {
        let entry = entryOrNew(target)
        var optimistic = entry.optimistic ?? Optimistic(truth: entry.stored?.entity)
        // Once for all changes with this id, since they are confirmed together.
        if optimistic.pendingChanges(id).isEmpty { core.pending[id, default: []].append(entry) }
        optimistic.apply(change, id: id)
        entry.optimistic = optimistic
        core.noteNeeded(entry)
        show(optimistic.value, in: entry)
    }

    @inlinable
    func confirm(_ change: OptimisticChangeID, of entry: Entry) {
        let changes = entry.truth == nil ? entry.optimistic?.pendingChanges(change) ?? [] : []
        settle(entry) { $0.confirm(change) }
        let moment = core.nextMoment()
        if entry.storedAt == .distantPast { core.noteStored(entry) }
        core.noteDirty(entry)
        // Answers to earlier requests do not contain the change.
        guard entry.truth == nil, !changes.isEmpty, changes.allSatisfy(\.isUpdate) else {
            return setMomentOfChange(of: entry, to: moment)
        }
        // A removal would bar those answers for good. This change is made to the first of them instead.
        var missed = missed[entry.id] ?? []
        missed += changes.map { MissedChange(change, moment, $0) }
        missed.sort { $0.id.number < $1.id.number }
        self.missed[entry.id] = missed
    }

    /// Makes the changes that an answer has missed. Returns nil if there are none.
    @inlinable
    func makeMissedChanges(
        of entry: Entry, to answer: Target, asOf moment: CacheMoment
    ) -> (entity: Target?, moment: CacheMoment)? {
        guard entry.truth == nil, moment >= entry.moment,
            let changes = missed.removeValue(forKey: entry.id)?.drop(while: { $0.moment <= moment }),
            let last = changes.map(\.moment).max()
        else { return nil }
        var entity: Target? = answer
        for missed in changes { missed.change.apply(to: &entity) }
        return (entity, last)
    }

    @inlinable
    func settle(
        _ entry: Entry, _ body: (inout Optimistic<EntityChange<Target>, OptimisticChangeID>) -> Void
    ) {
        guard var optimistic = entry.optimistic else { return }
        body(&optimistic)
        entry.optimistic = optimistic.hasPendingChanges ? optimistic : nil
        show(optimistic.value, in: entry)
    }
}
