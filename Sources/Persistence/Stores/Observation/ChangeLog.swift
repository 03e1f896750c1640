/// The observed queries that the changes of a transaction concern.
struct ChangeLog {
    private let queries: [ObservedQuery]
    private var concerned: Set<ObjectIdentifier> = []
    /// The tables that were written to, whether or not they are observed yet; nil for all.
    private var tables: Set<String>? = []
    /// The tables any of whose objects may have changed; nil for all.
    private var uncertain: Set<String>? = []
    private var edits: [String: TableEdit] = [:]

    init(_ queries: [ObservedQuery]) { self.queries = queries }

    /// True if no query is observed.
    var isEmpty: Bool { queries.isEmpty }

    /// Returns true if a table is observed, so that its changed objects must be recorded.
    func isObserved(_ table: String) -> Bool { queries.contains { $0.table == table } }

    mutating func note(table: String) { tables?.insert(table) }

    /// Records that somebody else may have changed any table.
    func noteOtherWriters() { for query in queries { query.noteOtherWriters() } }

    /// Records objects of a table that were inserted or deleted, or changed: before and after the change.
    mutating func note<Object: Sendable>(table: String, _ objects: [Object]) {
        for query in queries where query.table == table && !concerned.contains(ObjectIdentifier(query)) {
            if query.isConcerned(by: objects) { concerned.insert(ObjectIdentifier(query)) }
        }
    }

    /// Records that any object of a table may have changed, or of all tables if `table` is nil.
    mutating func noteAnything(table: String? = nil) {
        if let table {
            tables?.insert(table)
            uncertain?.insert(table)
        } else {
            (tables, uncertain) = (nil, nil)
        }
        for query in queries where table == nil || query.table == table { concerned.insert(ObjectIdentifier(query)) }
    }

    /// Returns true if the changes concern a query about a table.
    func concerns(_ table: String) -> Bool {
        queries.contains { $0.table == table && concerned.contains(ObjectIdentifier($0)) }
    }

    /// Records all changes of a table, as they are at the end of the transaction.
    mutating func note(_ edit: TableEdit, of table: String) { edits[table] = edit }

    /// Prepares the queries that the changes concern. Call it before the transaction is committed.
    func willCommit() {
        for query in queries where concerned.contains(ObjectIdentifier(query)) { query.willCommit() }
    }

    /// Tells the queries that the changes concern how to change their answers, or that they must ask again. Call it
    /// before another thread can write.
    ///
    /// - Returns: Those queries.
    func pass(to all: [ObservedQuery]) -> [ObservedQuery] {
        let queries = concernedQueries(among: all)
        for query in queries {
            if let edit = edit(of: query) { query.apply(edit) } else { query.invalidate() }
        }
        return queries
    }

    private func edit(of query: ObservedQuery) -> TableEdit? {
        guard concerned.contains(ObjectIdentifier(query)), let uncertain, !uncertain.contains(query.table) else {
            return nil
        }
        return edits[query.table]
    }

    /// Returns the queries that the changes concern. A query whose observation began after the transaction has missed
    /// its records, so it counts as concerned if its table was written to.
    private func concernedQueries(among all: [ObservedQuery]) -> [ObservedQuery] {
        if all.isEmpty || tables?.isEmpty == true { return [] }
        let noted = Set(queries.map { ObjectIdentifier($0) })
        return all.filter { query in
            noted.contains(ObjectIdentifier(query))
                ? concerned.contains(ObjectIdentifier(query)) : tables?.contains(query.table) ?? true
        }
    }
}
