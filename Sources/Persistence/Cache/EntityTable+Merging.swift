import Foundation

/// Merges answers into the known entities; each property has the value of the answer that was asked for last.
extension EntityTable {
    /// Stores an entity that was read from a file, with a moment before those of all answers.
    @inlinable
    func restore(_ entity: Target, storedAt: Date) {
        // Entities inside of this one count as stored with it, unless they have rows of their own.
        core.beginBatch(at: storedAt)
        let entry = place(entity.id)
        var entity = entity
        var visitor = LinkVisitor(core, .storing(CacheMoment(number: 0)), of: entry)
        entity.visitLinks(&visitor)
        core.noteStored(entry)
        if let merged = merge(entity, asOf: CacheMoment(number: 1), into: entry) { setTruth(merged.entity, of: entry) }
    }

    /// Merges an answer into the known entity.
    ///
    /// - Returns: The entry, and whether it shows exactly the answer already.
    @discardableResult
    @inlinable
    func store(_ answer: Target, asOf moment: CacheMoment) -> (entry: Entry, isKnown: Bool) {
        let entry = place(answer.id)
        if moment >= entry.moment { core.noteStored(entry) }
        if confirms(answer, asOf: moment, entry) { return (entry, true) }
        var answer = answer
        var visitor = LinkVisitor(core, .storing(moment), of: entry)
        answer.visitLinks(&visitor)
        if let changed = makeMissedChanges(of: entry, to: answer, asOf: moment) {
            setMoments(of: entry, to: max(moment, changed.moment), changed.entity ?? answer)
            setTruth(changed.entity, of: entry)
        } else if entry.stored == nil, !entry.isPending {
            insert(answer, asOf: moment, into: entry, links: visitor.links, areCurrent: visitor.isKnown)
        } else if let merged = merge(answer, asOf: moment, into: entry) {
            setTruth(merged.entity, of: entry, links: merged.isAnswer ? visitor.links : nil)
        }
        return (entry, false)
    }

    /// Stores an answer for which there is no known entity to merge it with, like most entities of a new page.
    ///
    /// - Parameter areCurrent: True if the entities inside the answer are those in the cache.
    @inlinable
    func insert(
        _ answer: consuming Target, asOf moment: CacheMoment, into entry: Entry, links: [EntityLink?], areCurrent: Bool
    ) {
        // It may have been removed since the answer was asked for.
        guard moment >= entry.moment else { return core.noteIfEvictable(entry) }
        setMoments(of: entry, to: moment, answer)
        _ = entry.setLinks(links)
        let kept = Kept(answer)
        entry.stored = kept
        entry.byteCount = kept.entity.byteCount
        core.count(entities: 1, places: entry.isCounted ? 0 : 1, bytes: entry.byteCount)
        entry.isCounted = true
        changed(entry)
        if areCurrent, !links.isEmpty { entry.setAssembled(kept, at: entry.lastChange()) }
        core.noteIfEvictable(entry)
    }

    /// Returns true if an answer says nothing new. That is so for most entities inside others: a page of statuses has
    /// few accounts.
    @inlinable
    func confirms(_ answer: Target, asOf moment: CacheMoment, _ entry: Entry) -> Bool {
        guard entry.links.isEmpty, !entry.isPending, moment >= entry.moment, let stored = entry.stored,
            stored.entity == answer
        else { return false }
        setMoments(of: entry, to: moment, answer, otherwise: entry.partialMoments)
        core.noteIfEvictable(entry)
        return true
    }

    /// Records when an answer was asked for; the properties that it leaves out keep their moments.
    @inlinable
    func setMoments(
        of entry: Entry, to moment: CacheMoment, _ answer: Target, otherwise known: [CacheMoment]? = nil
    ) {
        setAllMoments(of: entry, to: moment)
        for index in partialProperties.indices where !partialProperties[index].isKnown(answer) {
            entry.partialMoments[index] = (known ?? noMoments)[index]
        }
    }

    @inlinable
    func setAllMoments(of entry: Entry, to moment: CacheMoment) {
        entry.moment = moment
        if lastMoments.first != moment { lastMoments = partialProperties.map { _ in moment } }
        entry.partialMoments = lastMoments
    }

    /// Merges the answer and the known entity, each property from the newer one; returns nil if the answer changes
    /// nothing.
    @inlinable
    func merge(
        _ answer: Target, asOf moment: CacheMoment, into entry: Entry
    ) -> (entity: Target, isAnswer: Bool)? {
        let isNewer = moment >= entry.moment
        guard let known = entry.truth else {
            // It may have been removed since the answer was asked for.
            guard isNewer else { return nil }
            setMoments(of: entry, to: moment, answer)
            return (answer, true)
        }
        var merged = isNewer ? answer : known
        var isAnswer = isNewer
        var isKnown = !isNewer
        if isNewer { entry.moment = moment }
        for (index, property) in partialProperties.enumerated() {
            if property.isKnown(answer), moment >= entry.partialMoments[index] {
                entry.partialMoments[index] = moment
                if !isNewer { property.copy(answer, &merged); isKnown = false }
            } else if isNewer, property.isKnown(known) {
                property.copy(known, &merged)
                isAnswer = false
            }
        }
        return isKnown ? nil : (merged, isAnswer)
    }

    @inlinable
    func remove(_ id: Target.ID, asOf moment: CacheMoment) {
        let entry = place(id)
        entry.moment = moment
        core.noteStored(entry)
        setTruth(nil, of: entry)
    }

    @inlinable
    func update(_ id: Target.ID, asOf moment: CacheMoment, _ body: (inout Target) -> Void) {
        guard let entry = entries[id], var entity = entry.truth else { return }
        body(&entity)
        setAllMoments(of: entry, to: moment)
        setTruth(entity, of: entry)
    }
}
