/// The observed queries that the changes of a transaction concern.
struct ChangeLog {
    private let queries: [ObservedQuery]
    private var concerned: Set<ObjectIdentifier> = []
    /// The tables that were written to, whether or not they are observed yet; nil for all.
    private var tables: Set<String>? = []

    init(_ queries: [ObservedQuery]) { self.queries = queries }

    /// Returns true if a table is observed, so that its changed objects must be recorded.
    func isObserved(_ table: String) -> Bool { queries.contains { $0.table == table } }

    mutating func note(table: String) { tables?.insert(table) }

    /// Records objects of a table that were inserted or deleted, or changed: before and after the change.
    mutating func note<Object: Sendable>(table: String, _ objects: [Object]) {
        for query in queries where query.table == table && !concerned.contains(ObjectIdentifier(query)) {
            if query.isConcerned(by: objects) { concerned.insert(ObjectIdentifier(query)) }
        }
    }

    /// Records that any object of a table may have changed, or of all tables if `table` is nil.
    mutating func noteAnything(table: String? = nil) {
        if let table { tables?.insert(table) } else { tables = nil }
        for query in queries where table == nil || query.table == table { concerned.insert(ObjectIdentifier(query)) }
    }

    /// Returns the queries that the changes concern. A query whose observation began after the transaction has missed
    /// its records, so it counts as concerned if its table was written to.
    func concernedQueries(among all: [ObservedQuery]) -> [ObservedQuery] {
        if all.isEmpty || tables?.isEmpty == true { return [] }
        let noted = Set(queries.map { ObjectIdentifier($0) })
        return all.filter { query in
            noted.contains(ObjectIdentifier(query))
                ? concerned.contains(ObjectIdentifier(query)) : tables?.contains(query.table) ?? true
        }
    }
}
