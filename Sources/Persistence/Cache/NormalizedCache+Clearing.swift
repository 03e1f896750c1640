import Feedback

extension NormalizedCache {
    /// Removes all entities and lists, also from the file, when the person signs out.
    ///
    ///     cache.removeAll()
    ///     try cache.flush()                                    // now the file has none either
    ///
    /// It is one change: each watch is notified once, and goes on. What began before it no longer reaches the cache:
    ///
    /// - Answers that are stored as of an earlier moment are ignored, so a request that is under way does not fill the
    ///   cache again. An answer that is stored without a moment counts as new.
    /// - Optimistic changes are dropped. Confirming one, or rolling it back, does nothing; the answer is not stored.
    ///
    /// The file loses all its rows, also those of kinds that this cache does not know. SQLite overwrites them when it
    /// needs their space; if they must not be readable until then, delete the file instead.
    public func removeAll() {
        perform([{ $0.removeAll() }])
    }
}

/// The entities of a type, or the lists with keys of a type.
private protocol CacheTable: AnyObject {
    func removeAll()
}

extension CacheCore {
    fileprivate func removeAll() {
        noteRemovingAll()
        pending = [:]
        // The lists go first: their entries are unowned.
        for table in Array(listTables.values) + Array(tables.values) { (table as? any CacheTable)?.removeAll() }
        forgetDirty(clearingFile: true)
    }
}

extension ListTable: CacheTable {
    fileprivate func removeAll() {
        for entry in Array(entries.values) { entry.clear() }
    }
}

extension EntityTable: CacheTable {
    fileprivate func removeAll() {
        missed = [:]
        for order in orders.values { order.removeAll() }
        for entry in entries.entries { clear(entry) }
    }

    /// Makes an entry empty, as if its entity had never been known. It leaves the table, unless a watch shows it, or an
    /// entity that is removed after this one links to it.
    private func clear(_ entry: Entry) {
        let wasShown = entry.stored != nil
        core.count(entities: wasShown ? -1 : 0, entries: entry.isCounted ? -1 : 0, bytes: -entry.byteCount)
        entry.isCounted = false
        entry.byteCount = 0
        entry.optimistic = nil
        entry.stored = nil
        entry.assembled = nil
        entry.storedAt = .distantPast
        setAllMoments(of: entry, to: CacheMoment(number: 0))
        _ = entry.setLinks(EntityLinks())
        if wasShown { core.changed(entry) }
        core.noteIfEvictable(entry)
    }
}
