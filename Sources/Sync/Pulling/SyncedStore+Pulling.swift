import Persistence

extension SyncedStore {
    /// Brings the local store up to date with the server, below the waiting writes.
    ///
    /// With a ``ChangeHistory``, it fetches the changes since the last pull, page by page; after an interruption, the
    /// next pull continues there. Without one, or if the server's history does not reach back to the last pull, it
    /// fetches all objects and compares them.
    ///
    /// Objects of a ``PostgRESTStore`` that cannot be read, for example since they have a value that this version of the
    /// program does not know, are left out. They are in ``unreadable``, and the next pulls ask for them again. Their local
    /// copies stay as they are if they can be read. If the server has objects, and none of them can be read, it throws
    /// `StoreError.unreadable(table:id:column:found:)`, since the schema probably does not fit the server's table. A pull of
    /// changes throws that only if the local store is empty, since a few changed objects tell nothing about the others.
    ///
    /// Local objects that cannot be read are replaced by the server's.
    ///
    /// One pull runs at a time. A second call waits for the first one.
    public func pull() async throws(StoreError) {
        try await channel.pulls.run { [self] () throws(StoreError) in
            let hasFollowed = try await followHistory()
            if !hasFollowed { try await pullAll(nil) }
            changeObserver.send(value: ())
            try checkSchema()
        }
    }

    /// Throws if objects were left out of pages of changes, and there are no others.
    private func checkSchema() throws(StoreError) {
        guard let object = unreadable.value.first else { return }
        if try local.answer(local.all().page(limit: 1)).isEmpty { throw object.error }
    }

    private func followHistory() async throws(StoreError) -> Bool {
        guard let history, let extent = try await history.extent(of: schema.name) else { return false }
        outbox.noteSuccess()
        if try await hasPulledChanges(history, extent) {
            try await pullLeftOut()
        } else {
            try await pullAll(extent.last)
        }
        return true
    }

    /// Returns false if all objects must be compared: the history does not reach back to the last pull, or a local object
    /// cannot be read.
    private func hasPulledChanges(
        _ history: ChangeHistory<Object>, _ extent: HistoryExtent
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            guard try await pullChanges(history, extent) else { return false }
            try await checkCopies()
            return true
        } catch {
            guard case .unreadable = error else { throw error }
            return false
        }
    }
}

// MARK: - Everything

extension SyncedStore {
    /// Fetches all objects, and compares them with the local ones.
    ///
    /// - Parameter number: The number of the last change before the request; nil if the server does not number changes.
    private func pullAll(_ number: Int?) async throws(StoreError) {
        let pull = channel.pulls.begin()
        do throws(StoreError) {
            let answer = try await remote.readable(remote.all())
            outbox.noteSuccess()
            let areDamaged = try outbox.rows.perform {
                [channel, outbox, leftOut, local, schema] transaction throws(StoreError) in
                let settled = channel.pulls.end(pull)
                let tables = try channel.tables(transaction)
                let known = try tables.copies(local.all(), of: schema)
                let rest = try channel.rules.merge(
                    answer.objects, without: answer.leftOut, replacing: known.objects, damaged: known.damaged,
                    settledMeanwhile: settled, hasWrites: { outbox.hasWrites(to: channel.subject($0)) },
                    parked: outbox.parkedEntities(of: channel.name), in: tables)
                try leftOut.note(answer.leftOut, answering: nil as [Object.ID]?, in: transaction)
                let entities = Set((answer.objects + known.objects).map { channel.rules.entity($0.id) })
                channel.pulls.note(entities, mergedBy: pull)
                // If no object can be read, the next pull compares all of them again.
                guard let number, !answer.objects.isEmpty || answer.leftOut.isEmpty else {
                    return known.areDamaged
                }
                let cursor = PullCursor(id: schema.name, changes: number, deletions: number)
                try tables.cursors.upsert([rest.map { cursor.limited(to: $0.before) } ?? cursor])
                return known.areDamaged
            }
            try leftOut.refresh()
            if !areDamaged { isChecked.withLock { $0 = true } }
            if answer.objects.isEmpty { changeObserver.send(value: ()) }
            try answer.check()
        } catch {
            channel.pulls.cancel(pull)
            throw error
        }
    }
}

// MARK: - What has changed

extension SyncedStore {
    /// Fetches the changes since the last pull.
    ///
    /// | step | |
    /// |---|---|
    /// | `extent` | The changes up to `last` are visible from now on. |
    /// | deletions | All up to `last` that the server has not forgotten. |
    /// | changes, page by page | Each page is kept with the cursor. An object that was deleted and added again is among them. |
    /// | `extent` | If deletions were forgotten meanwhile, those that were fetched may be incomplete. |
    /// | the deletions are kept | Last, so that an object that was added again does not disappear from the screen meanwhile. |
    ///
    /// - Returns: `false` if the history does not reach back to the last pull.
    private func pullChanges(
        _ history: ChangeHistory<Object>, _ extent: HistoryExtent
    ) async throws(StoreError) -> Bool {
        guard var cursor = try firstCursor(extent), extent.covers(cursor) else { return false }
        let start = cursor
        if start.changes == extent.last, start.deletions == extent.last { return true }
        let deletions = try await history.deletions(after: start.deletions)
        var (last, isAtEnd, leftOut) = (nil as Object?, false, Int.max)
        while !isAtEnd {
            let pull = channel.pulls.begin()
            let page: ReadableAnswer<Object>
            do throws(StoreError) {
                page = try await history.changes(in: remote, after: start.changes, last: last)
                // An object that was changed meanwhile has a greater number.
                if let last, let object = page.objects.last, object.id == last.id,
                    object[keyPath: history.number] == last[keyPath: history.number]
                {
                    throw .repeatedPage(of: schema.name)
                }
            } catch {
                channel.pulls.cancel(pull)
                throw error
            }
            (last, isAtEnd) = (page.objects.last, page.objects.count < history.pageSize)
            // The last object of a page may share its number with the first one of the next page.
            let reached = isAtEnd ? .max : last.map { $0[keyPath: history.number].before } ?? .max
            try keep(page, pull, min(reached, extent.last), leftOut: &leftOut, &cursor)
        }
        guard let now = try await history.extent(of: schema.name), now.covers(start) else { return false }
        try keep(deletions, extent.last, &cursor)
        return true
    }

    /// Returns the cursor of the last pull. The first pull into an empty store gets a new one, since there are no local
    /// objects that could have been deleted.
    private func firstCursor(_ extent: HistoryExtent) throws(StoreError) -> PullCursor? {
        try outbox.rows.perform { [self] transaction throws(StoreError) in
            let cursors = try channel.tables(transaction).cursors
            if let cursor = try cursors.readable(schema.name) { return cursor }
            let isEmpty = try transaction.with(local).execute(local.all().page(limit: 1)).isEmpty
            guard isEmpty, !outbox.hasWrites else { return nil }
            isChecked.withLock { $0 = true }
            let cursor = PullCursor.first(of: extent)
            try cursors.upsert([cursor])
            return cursor
        }
    }

    /// - Parameter leftOut: The least number of the changes that were left out so far; the cursor stays before it.
    private func keep(
        _ page: ReadableAnswer<Object>, _ pull: Int, _ reached: Int, leftOut: inout Int, _ cursor: inout PullCursor
    ) throws(StoreError) {
        let (expected, before) = (cursor, leftOut)
        (cursor, leftOut) = try outbox.rows.perform { [self] transaction throws(StoreError) in
            let tables = try channel.tables(transaction)
            let found = try merge(page, pull, asked: page.objects.map(\.id), transaction, tables)
            let leftOut = min(before, found ?? .max)
            var next = expected
            next.changes = min(max(next.changes, reached), leftOut.before)
            return (try Self.move(expected, to: next, in: tables.cursors), leftOut)
        }
        try self.leftOut.refresh()
    }

    /// Merges changed objects, and records those that were left out.
    ///
    /// - Parameter ids: The objects about which the answer tells if they can be read.
    /// - Returns: The least number of the changes that were not merged.
    private func merge(
        _ answer: ReadableAnswer<Object>, _ pull: Int, asked ids: [Object.ID],
        _ transaction: SQLiteTransaction<OutboxRow>, _ tables: OutboxTables<Object>
    ) throws(StoreError) -> Int? {
        let settled = channel.pulls.end(pull)
        let least = try channel.rules.merge(changed: answer.objects, settledMeanwhile: settled, in: tables)
        channel.pulls.note(Set(answer.objects.map { channel.rules.entity($0.id) }))
        try leftOut.note(answer.leftOut, answering: ids, in: transaction)
        return least
    }

    /// The greatest number of left-out objects that a pull asks for at once.
    static var retriedAtOnce: Int { 50 }

    /// Asks again for objects that were left out, as long as some of them can be read or are gone: the server may have
    /// mended them, or another version of the program may be able to read them.
    ///
    /// Those with an id that cannot be read, or that no request can hold, wait for the next comparison of all objects.
    private func pullLeftOut() async throws(StoreError) {
        // Not always the same ones, so that all get their turn.
        let ids = unreadable.value.shuffled().compactMap { Object.ID(of: $0, kind: schema.id.attribute.kind) }
        do throws(StoreError) {
            for batch in remote.batches(of: ids, count: Self.retriedAtOnce) {
                if try await pullLeftOut(batch) == batch.count { break }
            }
        } catch {
            try leftOut.refresh()
            throw error
        }
        try leftOut.refresh()
    }

    /// Returns the number of the objects that were left out again.
    private func pullLeftOut(_ ids: [Object.ID]) async throws(StoreError) -> Int {
        let isOne = Condition(schema.id.attribute, in: ids.map(\.primitiveValue)) ?? .never
        let pull = channel.pulls.begin()
        do throws(StoreError) {
            let answer = try await remote.readable(remote.filter(where: isOne))
            try outbox.rows.perform { [self] transaction throws(StoreError) in
                let tables = try channel.tables(transaction)
                if let least = try merge(answer, pull, asked: ids, transaction, tables) {
                    try tables.pullAgain(after: least.before)
                }
            }
            return answer.leftOut.count
        } catch {
            channel.pulls.cancel(pull)
            throw error
        }
    }

    private func keep(
        _ deletions: [Deletion<Object.ID>], _ reached: Int, _ cursor: inout PullCursor
    ) throws(StoreError) {
        let expected = cursor
        cursor = try outbox.rows.perform { [channel] transaction throws(StoreError) in
            let tables = try channel.tables(transaction)
            let leftOut = try channel.rules.merge(deletions, in: tables)
            channel.pulls.note(Set(deletions.map { channel.rules.entity($0.id) }))
            var next = expected
            next.deletions = max(next.deletions, min(reached, leftOut.map(\.before) ?? reached))
            return try Self.move(expected, to: next, in: tables.cursors)
        }
    }

    /// Moves the cursor, unless an answer to a write has set it back meanwhile; the next pull then fetches the changes
    /// since there again.
    private static func move(
        _ old: PullCursor, to new: PullCursor, in cursors: SQLiteTransaction<PullCursor>
    ) throws(StoreError) -> PullCursor {
        guard try cursors.readable(old.id) == old else { return old }
        try cursors.upsert([new])
        return new
    }
}
