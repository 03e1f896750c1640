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
    /// The objects that were left out of pulls and reads, since this version of the program cannot read them. It is kept in
    /// the database.
    public var unreadable: Property<[UnreadableObject]> { leftOut.all }
    var leftOut: LeftOutObjects { channel.leftOut }

    let schema: Schema<Object>
    let remote: AnyStore<Object>
    let channel: TableChannel<Object>
    let history: ChangeHistory<Object>?
    let answers: AnswerLog
    let now: @Sendable () -> Date
    let changeObserver: Signal<Void, NoError>.Observer
    /// `true` if all local objects could be read.
    let isChecked = Locked(false)

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
                schema: schema, versionColumn: version.flatMap(schema.position),
                serverRemembersKeys: remote.remembersKeys, isNumbered: history != nil, columnChanges: columnChanges),
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

// A write to an object that is in `unreadable` throws `StoreError.unreadable(table:id:column:found:)`. The server's object
// may have changed in a way that the person has not seen, and the answer to the write could not be read either.

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
        let parked = outbox.parked.value.first { write in
            write.table == schema.name && write.entity == entity && write.cause != .unreadable
        }
        if let parked {
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
        try leftOut.check(changes.lazy.map(\.id))
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
