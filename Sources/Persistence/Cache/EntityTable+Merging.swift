import Foundation

/// Merges answers into the known entities; each property has the value of the answer that was asked for last.
extension EntityTable {
    /// Stores an entity that was read from a file, with a moment before those of all answers.
    @inlinable
    func restore(_ entity: Target, storedAt: Date) {
        // Entities inside of this one count as stored with it, unless they have rows of their own.
        core.beginBatch(at: storedAt)
        let entry = entryOrNew(entity.id)
        var entity = entity
        var visitor = LinkVisitor(core, .storing(CacheMoment(number: 0)), of: entry)
        entity.visitLinks(&visitor)
        core.noteStored(entry)
        // It is not merged: the copies of it inside others are not newer, and may have properties that it has no longer.
        setAllMoments(of: entry, to: CacheMoment(number: 1))
        setTruth(entity, of: entry)
    }

    /// Merges an answer into the known entity.
    ///
    /// - Parameter answer: A pointer, so that an answer that says nothing new is not copied.
    /// - Returns: The entry, and whether it shows exactly the answer already.
    @discardableResult
    @inlinable
    func store(_ answer: UnsafePointer<Target>, asOf moment: CacheMoment) -> (entry: Entry, isKnown: Bool) {
        // Read once, since each use of an unowned property would retain it.
        let core = core
        let entry = entryOrNew(answer.pointee.id)
        if moment >= entry.moment { core.noteStored(entry) }
        if confirms(answer, asOf: moment, entry) { return (entry, true) }
        var visitor = LinkVisitor(core, .storing(moment), of: entry)
        let new = Kept(answer, visitedBy: &visitor)
        if !missed.isEmpty, let changed = makeMissedChanges(of: entry, to: new.entity, asOf: moment) {
            withUnsafePointer(to: changed.entity ?? new.entity) {
                setMoments(of: entry, to: max(moment, changed.moment), $0)
            }
            setTruth(changed.entity, of: entry)
        } else if entry.stored == nil, !entry.isPending {
            let isKnown = insert(
                new, asOf: moment, into: entry, links: visitor.links, areCurrent: visitor.isKnown)
            return (entry, isKnown)
        } else if let merged = merge(new.entity, asOf: moment, into: entry) {
            setTruth(merged.entity, of: entry, links: merged.isAnswer ? visitor.links : nil)
        }
        return (entry, false)
    }

    /// Stores an answer for which there is no known entity to merge it with, like most entities of a new page.
    ///
    /// - Parameter areCurrent: True if the entities inside the answer are those in the cache.
    /// - Returns: True if the entry shows exactly the answer. It is false if the answer has more than one level of
    ///   entities inside it, so that no more levels than are allowed are shown.
    @inlinable
    func insert(
        _ answer: Kept, asOf moment: CacheMoment, into entry: Entry, links: EntityLinks, areCurrent: Bool
    ) -> Bool {
        let core = core
        // It may have been removed since the answer was asked for.
        guard moment >= entry.moment else { return false }
        answer.withPointer { entity in
            setMoments(of: entry, to: moment, entity)
            entry.byteCount = entity.pointee.byteCount
        }
        _ = entry.setLinks(links)
        entry.stored = answer
        core.count(entities: 1, entries: entry.isCounted ? 0 : 1, bytes: entry.byteCount)
        entry.isCounted = true
        core.changed(entry)
        if !orders.isEmpty { reorder(entry) }
        // No entity inside it has changed since.
        if areCurrent, !links.isEmpty { entry.setAssembled(answer, at: entry.changedAt) }
        core.noteIfEvictable(entry)
        return areCurrent && !entry.isDeep
    }

    /// Returns true if an answer says nothing new. That is so for most entities inside others: a page of statuses has
    /// few accounts.
    @inlinable
    func confirms(_ answer: UnsafePointer<Target>, asOf moment: CacheMoment, _ entry: Entry) -> Bool {
        guard entry.links.isEmpty, !entry.isPending, moment >= entry.moment, let stored = entry.stored,
            stored.withPointer({ $0.pointee == answer.pointee })
        else { return false }
        // An answer may hold an entity several times. Then its moments are right already.
        if entry.moment != moment || !entry.partialMoments.isEmpty {
            setMoments(of: entry, to: moment, answer, keepingOthers: true)
        }
        core.noteIfEvictable(entry)
        return true
    }

    /// Records when an answer was asked for. The properties that it leaves out keep their moments, or have none.
    @inlinable
    func setMoments(
        of entry: Entry, to moment: CacheMoment, _ answer: UnsafePointer<Target>, keepingOthers: Bool = false
    ) {
        var moments: [CacheMoment] = []
        // The functions are called in place, since each one that is taken out of an array is retained.
        partialProperties.withUnsafeBufferPointer { properties in
            for index in 0..<properties.count where !properties[index].isKnown(answer) {
                if moments.isEmpty { moments = Array(repeating: moment, count: properties.count) }
                moments[index] = keepingOthers ? entry.moment(of: index) : CacheMoment(number: 0)
            }
        }
        entry.moment = moment
        entry.partialMoments = moments
    }

    @inlinable
    func setAllMoments(of entry: Entry, to moment: CacheMoment) {
        entry.moment = moment
        entry.partialMoments = []
    }

    /// Sets the moment of a change by the program. An earlier answer may still add the partial properties that are not known.
    @inlinable
    func setMomentOfChange(of entry: Entry, to moment: CacheMoment) {
        guard let truth = entry.truth else { return setAllMoments(of: entry, to: moment) }
        withUnsafePointer(to: truth) { setMoments(of: entry, to: moment, $0) }
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
            withUnsafePointer(to: answer) { setMoments(of: entry, to: moment, $0) }
            return (answer, true)
        }
        var merged = isNewer ? answer : known
        var isAnswer = isNewer
        var isKnown = !isNewer
        let last = isNewer ? moment : entry.moment
        var moments: [CacheMoment] = []
        for (index, property) in partialProperties.enumerated() {
            var own = entry.moment(of: index)
            if withUnsafePointer(to: answer, property.isKnown), moment >= own {
                own = moment
                if !isNewer { property.copy(answer, &merged); isKnown = false }
            } else if isNewer, withUnsafePointer(to: known, property.isKnown) {
                property.copy(known, &merged)
                isAnswer = false
            }
            if own != last, moments.isEmpty { moments = Array(repeating: last, count: partialProperties.count) }
            if !moments.isEmpty { moments[index] = own }
        }
        entry.moment = last
        entry.partialMoments = moments
        return isKnown ? nil : (merged, isAnswer)
    }

    @inlinable
    func remove(_ id: Target.ID, asOf moment: CacheMoment) {
        let entry = entryOrNew(id)
        entry.moment = moment
        core.noteStored(entry)
        setTruth(nil, of: entry)
    }

    @inlinable
    func update(_ id: Target.ID, asOf moment: CacheMoment, _ body: (inout Target) -> Void) {
        guard let entry = entry(id), var entity = entry.truth else { return }
        body(&entity)
        setTruth(entity, of: entry)
        setMomentOfChange(of: entry, to: moment)
    }
}
