import Persistence

extension PostgresTable {
    /// Makes the table and its indexes if they do not exist, checks that the table fits the schema, and returns it.
    static func prepared(
        _ schema: Schema<Object>, in database: PostgresDatabase
    ) throws(StoreError) -> PostgresTable {
        for name in [schema.name] + schema.columns.map(\.name)
        where name.isEmpty || name.utf8.contains(0) || name.utf8.count > 63 {
            throw .schemaMismatch(
                table: schema.name, reason: "a name is empty, contains a zero byte, or has more than 63 bytes")
        }
        // The first check takes no lock, so that a complete database may be read-only.
        let complete = try database.read { connection throws(StoreError) in
            let table = StoredTable(schema.name, on: connection)
            guard try table.exists(), try table.missingIndexes(of: schema).isEmpty else { return nil as PostgresTable? }
            return try table.checked(schema)
        }
        if let complete { return complete }
        return try database.read { connection throws(StoreError) in
            // Processes that start together must not make the same table.
            try connection.changingDefinitions { () throws(StoreError) in
                let table = StoredTable(schema.name, on: connection)
                if try !table.exists() { try connection.run(schema.creation) }
                // The table may be an old one that does not have all columns of an index.
                let complete = try table.checked(schema)
                for index in try table.missingIndexes(of: schema) { try table.make(index, of: schema) }
                return complete
            }
        }
    }
}

extension PostgresConnection {
    /// Returns true if the database has a table or view that statements find by this name.
    func hasTable(_ name: String) throws(StoreError) -> Bool {
        // The query reads a table, since a server process may otherwise not know yet of tables that others have made.
        try run(
            "SELECT count(*) FROM pg_class WHERE oid = to_regclass($1)", PostgresParameters(.text(SQLText.quoted(name)))
        ).integer > 0
    }

    /// Lets `body` change tables or their version in a transaction, while no other process does.
    func changingDefinitions<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        // A table may be large, and another process may hold the lock for long.
        hasNoLimit = true
        defer { hasNoLimit = false }
        // In this isolation level, each statement sees the changes of those that held the lock before.
        try run("BEGIN ISOLATION LEVEL READ COMMITTED")
        do throws(StoreError) {
            // The number is used only by this package: "feedbac" and "k" in ASCII.
            try run("SELECT pg_advisory_xact_lock(\(0x6665_6564_6261_636B))")
            let result = try body()
            guard try run("COMMIT").command == "COMMIT" else {
                throw .rolledBack(reason: "a statement of it had failed")
            }
            return result
        } catch {
            if !isLost { try? execute("ROLLBACK") }
            throw error
        }
    }
}

extension Schema {
    fileprivate var creation: String {
        let columns = columns.map { column in
            "\(column.quotedName) \(column.declaration)" + (column.name == id.name ? " PRIMARY KEY" : "")
        }
        return "CREATE TABLE \(quotedName) (\(columns.joined(separator: ", ")))"
    }
}

extension SchemaColumn {
    fileprivate var declaration: String { attribute.kind.declaration + (attribute.isOptional ? "" : " NOT NULL") }
}

extension PrimitiveKind {
    fileprivate var declaration: String {
        switch self {
        case .bool: "boolean"
        case .integer: "bigint"
        case .unsigned: "numeric(20)"
        case .real, .date: "double precision"
        // Compared by its bytes, as in memory.
        case .text: "text COLLATE \"C\""
        case .data: "bytea"
        case .uuid: "uuid"
        }
    }
}

// MARK: - What the database has

/// A table as the database describes it.
private struct StoredTable {
    let name: String
    let connection: PostgresConnection

    init(_ name: String, on connection: PostgresConnection) {
        self.name = name
        self.connection = connection
    }

    /// The rows that a statement selects, whose one parameter is the name of the table, quoted.
    private func rows(_ text: String) throws(StoreError) -> [[PrimitiveValue]] {
        try connection.run(text, PostgresParameters(.text(SQLText.quoted(name)))).rows
    }

    func exists() throws(StoreError) -> Bool { try connection.hasTable(name) }

    // MARK: - Indexes

    /// Returns the indexes of the schema for which the table has no index of the same columns, whatever its name.
    func missingIndexes<Object>(of schema: Schema<Object>) throws(StoreError) -> [ColumnIndex] {
        let rows = try rows(
            """
            SELECT i.indexrelid, i.indisunique, a.attname
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
            CROSS JOIN LATERAL unnest(i.indkey[0:i.indnkeyatts - 1]) WITH ORDINALITY AS k (number, place)
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
            WHERE i.indrelid = to_regclass($1) AND i.indpred IS NULL AND i.indisvalid AND m.amname = 'btree'
            ORDER BY i.indexrelid, k.place
            """)
        var present: [PrimitiveValue: (columns: [String], isUnique: Bool)] = [:]
        for row in rows {
            let column = if case .text(let name) = row[2] { name } else { "" }
            present[row[0], default: ([], row[1] == .bool(true))].columns.append(column)
        }
        return schema.indexes.filter { index in
            !present.values.contains { $0.columns == index.columns && ($0.isUnique || !index.isUnique) }
        }
    }

    func make<Object>(_ index: ColumnIndex, of schema: Schema<Object>) throws(StoreError) {
        let columns = index.columns.map { SQLText.quoted($0) }.joined(separator: ", ")
        do throws(StoreError) {
            // The server chooses a unique name for the index.
            try connection.run("CREATE \(index.isUnique ? "UNIQUE " : "")INDEX ON \(schema.quotedName) (\(columns))")
        } catch .constraint {
            throw schema.mismatch(
                "\(columns) is to be unique, but rows have the same values; delete all but one of them")
        }
    }

    // MARK: - Checking

    /// Checks that the table fits the schema, and returns it.
    func checked<Object>(_ schema: Schema<Object>) throws(StoreError) -> PostgresTable<Object> {
        let rows = try rows(
            """
            SELECT a.attname, a.atttypid, format_type(a.atttypid, a.atttypmod), a.attnotnull,
                a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> '', l.collname
            FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation
            WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
            """)
        try schema.check(
            rows.map { StoredColumn($0) }, declaration: { $0.declaration },
            nulls: { "its column \($0.name) may hold NULL" }, comparison: "its bytes; declare it as text COLLATE \"C\"")
        return try PostgresTable(schema, keyConstraint: keyConstraint(of: schema), isPart: isPart())
    }

    private func isPart() throws(StoreError) -> Bool {
        try !rows("SELECT inhparent FROM pg_inherits WHERE inhrelid = to_regclass($1)").isEmpty
    }

    private func keyConstraint<Object>(of schema: Schema<Object>) throws(StoreError) -> ConstraintName {
        let rows = try rows(
            """
            SELECT a.attname, c.conname, t.relname, n.nspname FROM pg_constraint c
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
            JOIN pg_class t ON t.oid = c.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
            WHERE c.conrelid = to_regclass($1) AND c.contype = 'p'
            """)
        guard rows.count == 1, rows[0][0] == .text(schema.id.name), case .text(let name) = rows[0][1],
            case .text(let table) = rows[0][2], case .text(let place) = rows[0][3]
        else {
            throw schema.mismatch("\(schema.id.name) is not its primary key")
        }
        return ConstraintName(schema: place, table: table, constraint: name)
    }
}

extension StoredColumn {
    fileprivate init(_ row: [PrimitiveValue]) {
        func text(_ value: PrimitiveValue) -> String? { if case .text(let text) = value { text } else { nil } }
        var type: PostgresType?
        if case .integer(let number) = row[1] { type = PostgresType(rawValue: .init(truncatingIfNeeded: number)) }
        let kinds = Self.kinds(of: type)
        let collation = kinds.contains(.text) ? text(row[5]) ?? "no collation" : "C"
        self.init(
            name: text(row[0]) ?? "", type: text(row[2]) ?? "", kinds: kinds, isNotNull: row[3] == .bool(true),
            hasDefault: row[4] == .bool(true), collation: collation == "C" || collation == "POSIX" ? nil : collation)
    }

    /// Returns the kinds whose values a column of a type stores unchanged.
    private static func kinds(of type: PostgresType?) -> Set<PrimitiveKind> {
        switch type {
        case .bool: [.bool]
        case .int8, .int4, .int2: [.integer]
        case .numeric: [.unsigned]
        case .float8: [.real, .date]
        case .text, .varchar: [.text]
        case .bytea: [.data]
        case .uuid: [.uuid]
        default: []
        }
    }
}
