import Feedback
import Foundation
import Persistence

/// A local store of a server's objects, whose writes are sent to the server through an outbox.
///
///     let outbox = try Outbox(in: database)
///     let movies = try SyncedStore(
///         Movie.schema, remote: PostgRESTStore(Movie.schema, accessible: session), outbox: outbox)
///     try await movies.save(movie)                          // also without a network
///     let page = try await movies.fetch(sortedBy: [SortCriterion(\.title)], limit: 20)
///
/// A write is done as soon as it is on the disk, with its object. Reads return the server's truth with the waiting
/// writes on top. They ask the server first, so that they are up to date, and the local store if the server cannot be
/// reached.
public final class SyncedStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// Sends a value after each local write, and after the server has answered writes.
    public let changes: Signal<Void, NoError>
    /// The objects that screens show: those of the server, with the waiting writes on top. Observe it, but write
    /// through the synced store.
    ///
    /// Unique columns are only indexed here. The server decides if a value is unique, and refuses a write otherwise.
    public let local: SQLiteStore<Object>
    /// The outbox that sends the writes.
    public let outbox: Outbox

    let schema: Schema<Object>
    let remote: AnyStore<Object>
    let channel: TableChannel<Object>
    let history: ChangeHistory<Object>?
    private let answers: AnswerLog
    private let now: @Sendable () -> Date
    let changeObserver: Signal<Void, NoError>.Observer

    /// An outbox has one synced store for each table. Throws `StoreError.refused(reason:)` if it has one of this table,
    /// or requests with its name.
    ///
    /// - Parameters:
    ///   - version: The property that the server changes with each write of an object. If objects have no version, the
    ///     server gets the old values of the changed columns, and changes the object only if it still has them. It then
    ///     cannot notice that a value was changed and changed back. If the server computes a column of its own, give the
    ///     objects a version; otherwise a deletion that waits behind another change conflicts with what the server has
    ///     computed.
    ///   - history: The server's record of its changes; nil if it does not keep one. Its numbers are the versions of
    ///     the objects.
    ///   - columnChanges: The columns of the schema that were renamed or removed since earlier versions of the program.
    ///     Writes of these versions may still wait in the outbox.
    ///   - answers: Records how old the local store's answers are.
    ///   - resolve: Returns the resolution of a conflict. It may be called on any thread.
    ///   - now: Returns the current time.
    public init(
        _ schema: Schema<Object>, remote: some Store<Object> & OutboxTable<Object>, outbox: Outbox,
        version: Attribute<Object>? = nil, history: ChangeHistory<Object>? = nil, columnChanges: [ColumnChange] = [],
        answers: AnswerLog = AnswerLog(),
        resolve: @escaping @Sendable (WriteConflict<Object>) -> WriteConflict<Object>.Resolution = \.usualResolution,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        self.schema = schema
        self.remote = AnyStore(remote)
        self.outbox = outbox
        self.history = history
        self.answers = answers
        self.now = now
        try Self.removeUniqueIndexes(of: schema, in: outbox)
        local = try SQLiteStore(schema.ofCopy, in: outbox.database)
        (changes, changeObserver) = Signal.pipe()
        let version = history.map { Attribute($0.number) } ?? version
        channel = try TableChannel(
            rules: OutboxRules(
                schema: schema,
                versionColumn: version.flatMap { version in
                    schema.columns.firstIndex { $0.attribute == version }
                }, serverRemembersKeys: remote.remembersKeys, isNumbered: history != nil,
                columnChanges: columnChanges),
            objects: local, remote: remote, resolve: resolve, outbox: outbox, changeObserver: changeObserver)
        try outbox.add(channel)
    }
}

// MARK: - Old files

extension SyncedStore {
    /// Removes the indexes by which an earlier version of this package has enforced unique columns. With them, a pull
    /// fails between two changes of the server's values.
    private static func removeUniqueIndexes(of schema: Schema<Object>, in outbox: Outbox) throws(StoreError) {
        let unique = schema.indexes.filter(\.isUnique).map(\.columns)
        if unique.isEmpty { return }
        // An index keeps its name when its table or a column is renamed, so it is found by its columns.
        let rows = try outbox.database.rows(
            """
            SELECT list.name, info.name FROM pragma_index_list(\(schema.name)) AS list, pragma_index_info(list.name) AS info
            WHERE list.name GLOB 'unique "*' ORDER BY list.name, info.seqno
            """)
        var indexes: [String: [String]] = [:]
        for row in rows {
            if case let .text(index) = row[0], case let .text(column) = row[1] {
                indexes[index, default: []].append(column)
            }
        }
        let old = indexes.filter { unique.contains($0.value) }.keys
        if old.isEmpty { return }
        try outbox.rows.perform { transaction throws(StoreError) in
            for name in old { _ = try transaction.execute("DROP INDEX IF EXISTS \(name: name)") }
        }
    }
}

// MARK: - Writing

extension SyncedStore {
    /// Adds an object. Throws `StoreError.duplicate(id:)` if the local store has one with the same id.
    public func insert(_ object: Object) async throws(StoreError) { try write([.insert(object)]) }

    /// Changes an object. Throws `StoreError.missing(id:)` if the local store has none with this id.
    ///
    /// - Parameter seen: The object that the person has edited; by default the one in the local store. The write has
    ///   only the columns in which `object` differs from it, so it leaves alone what others have changed meanwhile.
    public func update(_ object: Object, basedOn seen: Object? = nil) async throws(StoreError) {
        try write([.update(object, basedOn: seen)])
    }

    /// Adds an object, or changes the one with its id.
    public func save(_ object: Object) async throws(StoreError) { try write([.upsert(object)]) }

    /// Changes an object as ``update(_:basedOn:)`` does. If the server has refused a write to it, that write is replaced
    /// and sent.
    ///
    /// - Parameter seen: The object that the person has edited; by default the one in the local store.
    public func mend(_ object: Object, basedOn seen: Object? = nil) async throws(StoreError) {
        let entity = channel.rules.entity(object.id)
        if let parked = outbox.parked.value.first(where: { $0.entity == entity && $0.cause != .unreadable }) {
            try edit(parked.id, to: object, basedOn: seen)
        } else {
            try await update(object, basedOn: seen)
        }
    }

    /// Removes an object, if the local store has it.
    public func delete(_ object: Object) async throws(StoreError) { try write([.delete(object.id)]) }

    /// Adds objects, or changes those with their ids, in one transaction.
    public func save(_ objects: [Object]) async throws(StoreError) { try write(objects.map { .upsert($0) }) }

    private func write(_ changes: [OutboxRules<Object>.Change]) throws(StoreError) {
        let now = now()
        try outbox.write(changes) { [channel] change, number, transaction throws(StoreError) in
            try channel.rules.record(
                change, number: number, key: UUID(), at: now, in: channel.tables(transaction))
        }
        changeObserver.send(value: ())
    }
}

// MARK: - Closing

extension SyncedStore {
    /// Ends the sending of this store's writes, and waits for the requests that are under way.
    ///
    /// The writes that wait, and those that are parked, stay in the database with their objects. They are sent when a
    /// synced store of the table is made again, with this outbox or a later one. Writes and pulls of this store throw
    /// `StoreError.refused(reason:)` from now on; ``local`` can still be read. Without a call of this function, an outbox
    /// sends a store's writes as long as the outbox exists.
    ///
    /// If it throws, the database has failed; call it again.
    public func close() async throws(StoreError) { try await outbox.close(channel) }
}

// MARK: - Parked writes

extension SyncedStore {
    /// The id of the object that a parked write concerns; nil if the write belongs to another table.
    public func objectID(of write: ParkedWrite) -> Object.ID? {
        guard write.table == schema.name else { return nil }
        return (try? outbox.rows.find(write.id)).flatMap { channel.rules.id(of: $0) }
    }

    /// Replaces a parked write by one that changes its object to `object`, and sends that.
    public func edit(_ id: ParkedWrite.ID, to object: Object) async throws(StoreError) {
        try edit(id, to: object, basedOn: nil)
    }

    private func edit(_ id: ParkedWrite.ID, to object: Object, basedOn seen: Object?) throws(StoreError) {
        try outbox.unpark(id) { [channel] _, row, transaction throws(StoreError) in
            let tables = try channel.tables(transaction)
            try channel.rules.edit(row.number, to: object, basedOn: seen, key: UUID(), in: tables)
            // If the object equals the server's, there is nothing to write.
            return try transaction.object(withId: row.number) == nil ? [row.number] : []
        }
    }
}

// MARK: - Reading

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
            let objects = try await remote.execute(query.asked(of: remote))
            outbox.noteSuccess()
            let window = query.window(of: objects, id: schema.id.attribute)
            guard try merge(objects, window, pull, about: id) else { return nil }
            return (window, objects.count >= query.limit ?? .max)
        } catch {
            channel.pulls.cancel(pull)
            throw error
        }
    }

    /// Returns false if a later answer was merged meanwhile.
    private func merge(
        _ objects: [Object], _ window: Condition<Object>, _ page: Int, about id: Object.ID?
    ) throws(StoreError) -> Bool {
        try outbox.rows.perform { [channel, outbox, local] transaction throws(StoreError) in
            guard let settled = channel.pulls.endPage(page) else { return false }
            let tables = try channel.tables(transaction)
            let known = try tables.objects.execute(local.filter(where: window))
            try channel.rules.merge(
                objects, replacing: known, settledMeanwhile: settled, hasWrites: { outbox.hasWrites(to: $0) },
                in: tables)
            // The object that was asked for may be unknown, and gone from the server.
            let ids = (objects + known).map(\.id) + (id.map { [$0] } ?? [])
            channel.pulls.note(Set(ids.map { channel.rules.entity($0) }), mergedBy: page, isPage: id == nil)
            return true
        }
    }

    private func localAnswer(
        to query: Query<SQLiteStore<Object>>, because remoteError: StoreError
    ) throws(StoreError) -> Sourced<[Object]> {
        let since = answers.date(of: query.words(in: schema))
        let objects: [Object]
        do throws(StoreError) { objects = try local.answer(query) } catch { throw remoteError }
        // A page of only the known objects would leave gaps in a list.
        if since == nil, objects.isEmpty || query.after != nil { throw remoteError }
        return Sourced(objects, source: .local(staleSince: since, because: remoteError))
    }
}

extension Int {
    /// The sum, or the greatest number.
    fileprivate func adding(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
