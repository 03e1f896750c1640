import Persistence

extension SyncedStore {
    /// Returns the object with this id, or nil if there is none.
    public func object(withId id: Object.ID) async throws(StoreError) -> Sourced<Object?> {
        let isID = Condition(schema.id.attribute, .equal, id.primitiveValue) ?? .never
        return try await answer(local.filter(where: isID).page(limit: 1), asking: 1, about: id).map(\.first)
    }

    /// Returns the objects that match a condition, sorted; with a `limit`, a page of them that begins after the last object of
    /// the page before.
    ///
    /// The server's answer is placed below the waiting writes. If the server fails, the local store answers alone, and
    /// the result says so. If the server has never answered this question, the local store answers with the objects
    /// that it has; if it has none, or the page is not the first one, the server's error is thrown.
    ///
    /// Objects that cannot be read are left out, as in a ``pull()``. If no object of a first page can be read, this counts as
    /// a failure of the server: the local store answers alone.
    public func fetch(
        where condition: Condition<Object> = .always, sortedBy criteria: [SortCriterion<Object>] = [],
        after: Object? = nil, limit: Int? = nil
    ) async throws(StoreError) -> Sourced<[Object]> {
        if let limit, limit <= 0 { return Sourced([]) }
        let query = criteria.reduce(local.filter(where: condition)) { $0.sorted(by: $1) }
        // Waiting writes may hide some of the server's objects.
        let hidden = min(outbox.status.value.waiting + outbox.status.value.parked, 100)
        return try await answer(query.page(after: after, limit: limit), asking: limit?.adding(hidden))
    }

    /// Asks the server until there are enough objects for a page, and no later answer has overtaken it.
    ///
    /// - Parameters:
    ///   - count: The number of objects to ask for; nil for all.
    ///   - id: The id of the object, if the question is about one.
    private func answer(
        _ query: Query<SQLiteStore<Object>>, asking count: Int?, about id: Object.ID? = nil
    ) async throws(StoreError) -> Sourced<[Object]> {
        do throws(StoreError) {
            var count = count
            var tries = 3
            while true {
                let asked = query.page(after: query.after, limit: count)
                guard let part = try await ask(asked, about: id) else {
                    tries -= 1
                    if tries > 0 { continue }
                    // Later answers come faster than this one. They are newer, and all of them are in the local store.
                    return Sourced(try local.answer(query))
                }
                // Objects beyond the answer are known by chance; others may be missing between them.
                let objects = try local.answer(query.filter(where: part.window))
                if part.isFull, id == nil, let limit = query.limit, objects.count < limit {
                    count = count?.adding(max(count ?? 0, limit))
                    continue
                }
                try await answers.note(query.words(in: schema), at: now())
                return Sourced(objects)
            }
        } catch .cancelled {
            throw .cancelled
        } catch {
            return try localAnswer(to: query, because: error)
        }
    }

    /// Asks the server, and merges its answer. Returns the range of the answer, and whether there may be more objects
    /// after it; nil if a later answer was merged meanwhile.
    private func ask(
        _ query: Query<SQLiteStore<Object>>, about id: Object.ID?
    ) async throws(StoreError) -> (window: Condition<Object>, isFull: Bool)? {
        let pull = channel.pulls.begin()
        do throws(StoreError) {
            let answer = try await remote.readable(query.asked(of: remote))
            outbox.noteSuccess()
            let window = query.window(of: answer.objects, id: schema.id.attribute)
            guard try merge(answer, window, pull, about: id) else { return nil }
            // A question about one object has no answer if that cannot be read.
            if id != nil, let object = answer.leftOut.first { throw object.error }
            // A later page may have no object that can be read; it is the end of the list.
            if query.after == nil { try answer.check() }
            return (window, answer.objects.count >= query.limit ?? .max)
        } catch {
            channel.pulls.cancel(pull)
            throw error
        }
    }

    /// Returns false if a later answer was merged meanwhile.
    private func merge(
        _ answer: ReadableAnswer<Object>, _ window: Condition<Object>, _ page: Int, about id: Object.ID?
    ) throws(StoreError) -> Bool {
        let isMerged = try outbox.rows.perform {
            [channel, outbox, leftOut, local, schema] transaction throws(StoreError) in
            guard let settled = channel.pulls.endPage(page) else { return false }
            let tables = try channel.tables(transaction)
            let known = try tables.copies(local.filter(where: window), of: schema)
            try channel.rules.merge(
                answer.objects, without: answer.leftOut, replacing: known.objects, damaged: known.damaged,
                settledMeanwhile: settled, hasWrites: { outbox.hasWrites(to: channel.subject($0)) }, in: tables)
            // The range of the page in the file may not be that of the answer, so the next pull compares all objects.
            if known.areDamaged { try tables.cursors.delete(ids: [schema.name]) }
            // The object that was asked for may be unknown, and gone from the server.
            let ids = answer.objects.map(\.id) + (id.map { [$0] } ?? [])
            let entities = (ids + known.objects.map(\.id)).map(channel.rules.entity)
            channel.pulls.note(Set(entities), mergedBy: page, isPage: id == nil)
            try leftOut.note(answer.leftOut, answering: ids, in: transaction)
            return true
        }
        try leftOut.refresh()
        return isMerged
    }

    private func localAnswer(
        to query: Query<SQLiteStore<Object>>, because remoteError: StoreError
    ) throws(StoreError) -> Sourced<[Object]> {
        let since = answers.date(of: query.words(in: schema), now: now())
        let objects: [Object]
        do throws(StoreError) { objects = try local.answer(query) } catch { throw remoteError }
        // A page of only the known objects would leave gaps in a list.
        if since == nil, objects.isEmpty || query.after != nil { throw remoteError }
        return Sourced(objects, source: .local(staleSince: since, because: remoteError))
    }
}
