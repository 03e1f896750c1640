import Persistence

/// A server's record of the changes of a table. With it, a pull fetches only what has changed since the one before.
///
///     let remote = PostgRESTStore(Movie.schema, accessible: session)
///     let movies = try SyncedStore(
///         Movie.schema, remote: remote, outbox: outbox, history: remote.history(numberedBy: \.version))
///
/// The server gives each change of a row a number that is greater than all before it. A column of the row has the
/// number of its last change. Deletions and their numbers are in a table of their own, for as long as the server keeps
/// them. One row of a third table has the last number, and the number up to which deletions are forgotten. If deletions
/// are forgotten that a client has not seen, the client compares all objects with its own.
///
/// Changes must become visible in the order of their numbers. In PostgreSQL, a trigger ensures that if it takes the
/// number from a row that it updates, since that row stays locked until the change is committed. A sequence does not
/// ensure it.
///
///     CREATE TABLE movies_deleted (id uuid PRIMARY KEY, number bigint NOT NULL);
///     CREATE TABLE movies_history (id text COLLATE "C" PRIMARY KEY, last bigint NOT NULL, forgotten bigint NOT NULL);
///     INSERT INTO movies_history VALUES ('movies', 0, 0);
///     CREATE FUNCTION number_movie() RETURNS trigger LANGUAGE plpgsql AS $$
///     DECLARE next bigint;
///     BEGIN
///         UPDATE movies_history SET last = last + 1 RETURNING last INTO next;
///         IF TG_OP = 'DELETE' THEN
///             INSERT INTO movies_deleted VALUES (OLD.id, next) ON CONFLICT (id) DO UPDATE SET number = next;
///             RETURN OLD;
///         END IF;
///         NEW.version := next;
///         RETURN NEW;
///     END $$;
///     CREATE TRIGGER number_movie BEFORE INSERT OR UPDATE OR DELETE ON movies
///         FOR EACH ROW EXECUTE FUNCTION number_movie();
///
/// To forget deletions, delete the rows up to a number, and set `forgotten` to that number, in one transaction. A server whose
/// table was restored from a backup sets `forgotten` and `last` to a number that is greater than any it has ever given.
///
/// `TableBackend` also serves such tables.
public struct ChangeHistory<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The property that has the number of an object's last change.
    let number: KeyPath<Object, Int> & Sendable
    private let deletions: AnyStore<Deletion<Object.ID>>
    private let extents: AnyStore<HistoryExtent>
    /// The number of changed objects that a pull fetches and stores at once, at least 1.
    public var pageSize = 1_000 {
        didSet { pageSize = max(pageSize, 1) }
    }

    /// - Parameters:
    ///   - number: The property that has the number of an object's last change.
    ///   - deletions: The deletions on the server.
    ///   - extents: The row on the server that has the extent of the history.
    public init(
        numberedBy number: KeyPath<Object, Int> & Sendable, deletions: some Store<Deletion<Object.ID>>,
        extents: some Store<HistoryExtent>
    ) {
        self.number = number
        self.deletions = AnyStore(deletions)
        self.extents = AnyStore(extents)
    }
}

/// The deletion of an object, as a server remembers it.
public struct Deletion<ID: Primitive & Hashable>: Identifiable, Equatable, Sendable {
    /// The id that the object had.
    public let id: ID
    /// The number of the change.
    public let number: Int

    /// Makes the deletion of the object with this id.
    public init(id: ID, number: Int) {
        self.id = id
        self.number = number
    }

    /// The table of the deletions from another table, such as `movies_deleted`, with the columns `id` and `number`.
    public static func schema<Object>(of schema: Schema<Object>) -> Schema<Deletion> where Object.ID == ID {
        Schema(
            schema.name + HistoryExtent.deletions, { Deletion(id: $0, number: $1) }, Column("id", \.id),
            Column("number", \.number, isIndexed: true))
    }
}

/// The part of a table's history that a server has.
public struct HistoryExtent: Identifiable, Equatable, Sendable {
    /// The name of the table.
    public let id: String
    /// The number of the last change.
    public let last: Int
    /// The number up to which deletions are forgotten.
    public let forgotten: Int

    /// Makes the extent of a table's history.
    public init(id: String, last: Int, forgotten: Int) {
        self.id = id
        self.last = last
        self.forgotten = forgotten
    }

    /// The table with the extent of another table's history, such as `movies_history`, with the columns `id`, `last` and
    /// `forgotten`.
    public static func schema<Object>(of schema: Schema<Object>) -> Schema<HistoryExtent> {
        Schema(
            schema.name + suffix, { HistoryExtent(id: $0, last: $1, forgotten: $2) }, Column("id", \.id),
            Column("last", \.last), Column("forgotten", \.forgotten))
    }

    /// The suffixes of the names of the tables that a history adds to a table.
    static let suffix = "_history"
    static let deletions = "_deleted"

    /// Returns true if the server has all changes since the cursor.
    func covers(_ cursor: PullCursor) -> Bool {
        cursor.deletions >= forgotten && max(cursor.changes, cursor.deletions) <= last
    }
}

extension PostgRESTStore {
    /// Returns the record of the table's changes, in the tables with its name and the suffixes `_deleted` and
    /// `_history`.
    ///
    /// - Parameter number: The property that has the number of an object's last change.
    public func history(numberedBy number: KeyPath<Object, Int> & Sendable) -> ChangeHistory<Object> {
        ChangeHistory(
            numberedBy: number,
            deletions: neighbour(Deletion.schema(of: schema), suffix: HistoryExtent.deletions),
            extents: neighbour(HistoryExtent.schema(of: schema), suffix: HistoryExtent.suffix))
    }
}

// MARK: - Asking

extension ChangeHistory {
    /// Returns the extent of the history; nil if the server does not have it.
    func extent(of table: String) async throws(StoreError) -> HistoryExtent? {
        try await extents.object(withId: table)
    }

    /// Returns the deletions after a number.
    func deletions(after start: Int) async throws(StoreError) -> [Deletion<Object.ID>] {
        // An object whose id this version of the program cannot read is not in the local store.
        try await deletions.readable(deletions.filter(where: \.number > start)).objects
    }

    /// Returns the next objects that have changed after a number, in the order of the changes.
    func changes(
        in remote: AnyStore<Object>, after start: Int, last: Object?
    ) async throws(StoreError) -> ReadableAnswer<Object> {
        // The next page begins after an object, since one change may have given several objects its number.
        try await remote.readable(
            remote.filter(where: number > start).sorted(by: number).page(after: last, limit: pageSize))
    }
}

extension Int {
    /// The number of the change before this one.
    var before: Int { self == .min ? .min : self - 1 }
    /// The number of the change after this one.
    var after: Int { self == .max ? .max : self + 1 }
}

/// The numbers up to which a table was pulled.
struct PullCursor: Identifiable, Equatable, Sendable {
    /// The name of the table.
    let id: String
    /// The changes up to this number are stored locally.
    var changes: Int
    /// The deletions up to this number are stored locally.
    var deletions: Int

    static let schema = Schema(
        "pulls", { PullCursor(id: $0, changes: $1, deletions: $2) }, Column("id", \.id), Column("changes", \.changes),
        Column("deletions", \.deletions))

    /// Returns the cursor of a store without objects: all changes are still to be pulled, also rows that are older than
    /// the numbering, and no deletions.
    static func first(of extent: HistoryExtent) -> PullCursor {
        PullCursor(id: extent.id, changes: .min, deletions: extent.last)
    }

    /// Returns the cursor, moved back to a number if it is after it.
    func limited(to number: Int) -> PullCursor {
        PullCursor(id: id, changes: min(changes, number), deletions: min(deletions, number))
    }
}
