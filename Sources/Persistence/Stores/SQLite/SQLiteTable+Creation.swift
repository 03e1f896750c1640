import CSQLite

extension SQLiteTable {
    /// Makes the table and its indexes if the file lacks them, and checks that the table is the schema's.
    func prepare(in database: SQLiteDatabase) throws(StoreError) {
        let isComplete = try database.read { connection throws(StoreError) in
            guard try exists(on: connection) else { return false }
            return try missingIndexes(on: connection).isEmpty
        }
        if !isComplete {
            if database.configuration.isReadOnly { throw .readOnly(file: database.file) }
            try database.write { writer throws(StoreError) in
                if try !exists(on: writer.connection) { try writer.connection.execute(creation) }
                // The table may be an old one, which lacks a column that an index is to be made of.
                try check(on: writer.connection)
                for index in try missingIndexes(on: writer.connection) { try make(index, on: writer.connection) }
            }
        }
        try database.read { connection throws(StoreError) in try check(on: connection) }
    }

    private func exists(on connection: SQLiteConnection) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
            [.primitive(.text(schema.name))]) > 0
    }

    private var creation: String {
        let columns = schema.columns.map { column in
            "\(column.quotedName) \(column.declaration)" + (column.name == schema.id.name ? " PRIMARY KEY" : "")
        }
        // Rows lie in the order of the key, in which answers are given: by itself if that is an integer.
        let order = schema.id.attribute.kind == .integer ? "" : " WITHOUT ROWID"
        return "CREATE TABLE \(schema.quotedName) (\(columns.joined(separator: ", ")))\(order)"
    }

    // MARK: - Indexes

    /// The indexes for which the table has none of the same columns, under whichever name.
    private func missingIndexes(on connection: SQLiteConnection) throws(StoreError) -> [ColumnIndex] {
        var present: [ColumnIndex] = []
        let rows = try connection.rows(
            "SELECT name, \"unique\" FROM pragma_index_list(?) WHERE partial = 0", [.primitive(.text(schema.name))])
        for row in rows {
            guard case .text(let name) = row[0] else { continue }
            let columns = try connection.rows(
                "SELECT name, desc, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
                [.primitive(.text(name))])
            let names = columns.compactMap { column -> String? in
                guard case .text(let name) = column[0], column[1] == .integer(0), column[2] == .text("BINARY") else {
                    return nil
                }
                return name
            }
            if names.count == columns.count {
                present.append(ColumnIndex(columns: names, isUnique: row[1] == .integer(1)))
            }
        }
        return schema.indexes.filter { index in
            !present.contains { $0.columns == index.columns && ($0.isUnique || !index.isUnique) }
        }
    }

    private func make(_ index: ColumnIndex, on connection: SQLiteConnection) throws(StoreError) {
        let columns = index.columns.map { SQLText.quoted($0) }.joined(separator: ", ")
        // No two indexes have the same name, however their table and columns are named.
        let name = SQLText.quoted("\(index.isUnique ? "unique " : "")\(schema.quotedName)(\(columns))")
        do throws(StoreError) {
            try connection.execute(
                "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(name) ON \(schema.quotedName) (\(columns))"
            )
        } catch .constraint {
            throw .schemaMismatch(
                table: schema.name,
                reason: "\(columns) is to be unique, but rows have the same values; delete all but one of them")
        }
    }

    // MARK: - Checking

    private func check(on connection: SQLiteConnection) throws(StoreError) {
        let rows = try connection.rows(
            "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)",
            [.primitive(.text(schema.name))])
        let columns = rows.map { StoredColumn($0) }
        for column in schema.columns {
            guard let stored = columns.first(where: { $0.name == column.name }) else {
                throw mismatch(
                    "it has no column \(column.name); add a migration with ALTER TABLE \(schema.quotedName) ADD COLUMN "
                        + "\(column.quotedName) \(column.declaration)"
                        + (column.attribute.isOptional ? "" : " DEFAULT …"))
            }
            guard column.attribute.kind.fits(stored.affinity) else {
                throw mismatch(
                    "its column \(column.name) has the type \(stored.type), and the property needs \(column.declaration)"
                )
            }
            if column.attribute.isOptional, stored.isNotNull {
                throw mismatch("its column \(column.name) is NOT NULL, and the property may be nil")
            }
            if !column.attribute.isOptional, !stored.isNotNull, !stored.isKey,
                try connection.integer(
                    "SELECT EXISTS (SELECT 1 FROM \(schema.quotedName) WHERE \(column.quotedName) IS NULL)") == 1
            {
                throw mismatch("a row holds NULL in \(column.name), and the property is never nil")
            }
            if column.attribute.kind == .text || column.attribute.kind == .uuid {
                try checkCollation(of: column.name, on: connection)
            }
        }
        for stored in columns {
            if stored.isKey != (stored.name == schema.id.name) {
                throw mismatch("\(schema.id.name) is not its primary key")
            }
            if stored.isNotNull, !stored.hasDefault, !schema.columns.contains(where: { $0.name == stored.name }) {
                throw mismatch("it demands a value for \(stored.name), which the schema does not have")
            }
        }
    }

    private func checkCollation(of column: String, on connection: SQLiteConnection) throws(StoreError) {
        var collation: UnsafePointer<CChar>?
        let status = sqlite3_table_column_metadata(
            connection.handle, nil, schema.name, column, nil, &collation, nil, nil, nil)
        guard status == SQLITE_OK, let collation else { return }
        let name = String(cString: collation)
        if name.uppercased() != "BINARY" {
            throw mismatch("its column \(column) is compared by \(name), and text must be compared by BINARY")
        }
    }

    private func mismatch(_ reason: String) -> StoreError { .schemaMismatch(table: schema.name, reason: reason) }
}

/// A column as the file has it.
private struct StoredColumn {
    let name: String
    let type: String
    let isNotNull: Bool
    let hasDefault: Bool
    let isKey: Bool

    init(_ row: [PrimitiveValue]) {
        func text(_ value: PrimitiveValue) -> String { if case .text(let text) = value { text } else { "" } }
        name = text(row[0])
        type = text(row[1])
        isNotNull = row[2] != .integer(0)
        hasDefault = row[3] != .null
        isKey = row[4] != .integer(0)
    }

    enum Affinity {
        case integer
        case real
        case numeric
        case text
        case none
    }

    /// The values that SQLite prefers for the type, by its rules for type names.
    var affinity: Affinity {
        let type = type.uppercased()
        if type.contains("INT") { return .integer }
        if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
        if type.isEmpty || type.contains("BLOB") { return .none }
        return ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .real : .numeric
    }
}

extension PrimitiveKind {
    /// Returns whether a column of such an affinity keeps a property's values as they are.
    fileprivate func fits(_ affinity: StoredColumn.Affinity) -> Bool {
        switch self {
        case .bool, .integer, .unsigned: [.integer, .numeric, .none].contains(affinity)
        case .real, .date: affinity != .text
        case .text, .uuid: [.text, .none].contains(affinity)
        case .data: true
        }
    }
}

extension SchemaColumn {
    fileprivate var declaration: String {
        let type =
            switch attribute.kind {
            case .bool, .integer: "INTEGER"
            // Not INTEGER, since as a key that would be SQLite's own row number, which has 63 bits.
            case .unsigned: "INT"
            case .real, .date: "REAL"
            case .text, .uuid: "TEXT"
            case .data: "BLOB"
            }
        return attribute.isOptional ? type : "\(type) NOT NULL"
    }
}
