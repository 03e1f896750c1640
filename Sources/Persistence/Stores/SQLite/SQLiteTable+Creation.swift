import CSQLite

extension SQLiteTable {
    /// Makes the table and its indexes if they do not exist, and checks that the table fits the schema.
    func prepare(in database: SQLiteDatabase) throws(StoreError) {
        let isComplete = try database.read { connection throws(StoreError) in
            guard try exists(on: connection) else { return false }
            // Answers do not depend on the other indexes, so a file that can only be read may lack them.
            return try missingIndexes(on: connection).allSatisfy { database.isReadOnly && !$0.isUnique }
        }
        if !isComplete {
            if database.isReadOnly { throw .readOnly(file: database.file) }
            try database.write { writer throws(StoreError) in
                if try !exists(on: writer.connection) { try writer.connection.execute(creation) }
                // The table may be an old one that does not have all columns of an index.
                try check(on: writer.connection)
                for index in try missingIndexes(on: writer.connection) { try make(index, on: writer.connection) }
            }
        }
        try database.read { connection throws(StoreError) in
            try check(on: connection)
            if let definition = try definition(on: connection) {
                hasConflictClauses.store(SQLiteDefinition(definition).hasConflictClause, ordering: .releasing)
            }
        }
    }

    private func exists(on connection: SQLiteConnection) throws(StoreError) -> Bool {
        try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
            [.primitive(.text(schema.name))]) > 0
    }

    /// Returns the statement with which the table was made; nil if it is a view.
    func definition(on connection: SQLiteConnection) throws(StoreError) -> String? {
        let rows = try connection.rows(
            "SELECT sql FROM sqlite_schema WHERE name = ? COLLATE NOCASE AND type = 'table'",
            [.primitive(.text(schema.name))])
        return if case .text(let text)? = rows.first?.first { text } else { nil }
    }

    private var creation: String {
        let columns = schema.columns.map { column in
            "\(column.quotedName) \(column.declaration)" + (column.name == schema.id.name ? " PRIMARY KEY" : "")
        }
        // Rows are stored in the order of the key, which is the order of answers. SQLite does that on its own if the
        // key is an integer.
        let order = schema.id.attribute.kind == .integer ? "" : " WITHOUT ROWID"
        return "CREATE TABLE \(schema.quotedName) (\(columns.joined(separator: ", ")))\(order)"
    }

    // MARK: - Indexes

    /// Returns the indexes of the schema for which the table has no index of the same columns, whatever its name.
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
                guard case .text(let name) = column[0], column[1] == .integer(0) else { return nil }
                // Only texts have a collation, whatever a column is declared with.
                return column[2] == .text("BINARY") || !isText(name) ? name : nil
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
        // The quoted names make the name of the index unique, whatever the table and columns are called.
        let name = try unusedName("\(index.isUnique ? "unique " : "")\(schema.quotedName)(\(columns))", on: connection)
        do throws(StoreError) {
            try connection.execute(
                "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(SQLText.quoted(name)) "
                    + "ON \(schema.quotedName) (\(columns))")
        } catch .constraint {
            throw schema.mismatch(
                "\(columns) is to be unique, but rows have the same values; delete all but one of them")
        }
    }

    /// Returns the name, longer if something else has it. An index keeps its name when its table or columns are
    /// renamed.
    private func unusedName(_ name: String, on connection: SQLiteConnection) throws(StoreError) -> String {
        var unused = name
        while try connection.integer(
            "SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE", [.primitive(.text(unused))]) > 0
        {
            unused += " 2"
        }
        return unused
    }

    // MARK: - Checking

    private func check(on connection: SQLiteConnection) throws(StoreError) {
        let rows = try connection.rows(
            "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?)",
            [.primitive(.text(schema.name))])
        var keys: [String] = []
        let columns = try rows.map { row throws(StoreError) in
            let isKey = row[4] != .integer(0)
            let column = StoredColumn(row, collation: try collation(of: row[0], isKey: isKey, on: connection))
            if isKey { keys.append(column.name) }
            return column
        }
        try schema.check(
            columns, declaration: { $0.declaration },
            nulls: { column throws(StoreError) in
                if keys.contains(column.name) { return nil }
                let hasNull = try connection.integer(
                    "SELECT EXISTS (SELECT 1 FROM \(schema.quotedName) WHERE \(column.quotedName) IS NULL)")
                return hasNull == 1 ? "a row holds NULL in \(column.name)" : nil
            }, comparison: "BINARY")
        if keys != [schema.id.name] { throw schema.mismatch("\(schema.id.name) is not its primary key") }
        for column in schema.columns where column.attribute.kind == .uuid {
            try checkLetters(of: column, on: connection)
        }
    }

    /// Throws if UUIDs are stored with small letters. It looks at the first rows only, since all of a large table would take
    /// long; in the others, such a UUID is unreadable.
    private func checkLetters(
        of column: SchemaColumn<Object>, on connection: SQLiteConnection
    ) throws(StoreError) {
        let hasOthers = try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM (SELECT \(column.quotedName) AS uuid FROM \(schema.quotedName) LIMIT 20)
            WHERE typeof(uuid) = 'text' AND uuid <> upper(uuid))
            """)
        guard hasOthers == 1 else { return }
        throw schema.mismatch(
            "its column \(column.name) holds UUIDs in small letters, which no condition would find; add a migration with "
                + mending(column))
    }

    /// Returns the statement that stores the UUIDs of a column in capitals.
    func mending(_ column: SchemaColumn<Object>) -> String {
        "UPDATE \(schema.quotedName) SET \(column.quotedName) = upper(\(column.quotedName))"
    }

    private func isText(_ column: String) -> Bool {
        switch schema.columns.first(where: { $0.name == column })?.attribute.kind {
        case .text, .uuid: true
        default: false
        }
    }

    /// Returns the collation of a column, if it is not by bytes and matters to the schema. The index of the key may have
    /// another one than its column.
    private func collation(
        of name: PrimitiveValue, isKey: Bool, on connection: SQLiteConnection
    ) throws(StoreError) -> String? {
        guard case .text(let name) = name, isText(name) else { return nil }
        var collations: [PrimitiveValue] = []
        var collation: UnsafePointer<CChar>?
        let status = sqlite3_table_column_metadata(
            connection.handle, nil, schema.name, name, nil, &collation, nil, nil, nil)
        if status == SQLITE_OK, let collation { collations.append(.text(String(cString: collation))) }
        if isKey {
            collations += try connection.rows(
                """
                SELECT info.coll FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS info
                WHERE list.origin = 'pk' AND info.key = 1
                """, [.primitive(.text(schema.name))]
            ).map { $0[0] }
        }
        for case .text(let collation) in collations where collation.uppercased() != "BINARY" { return collation }
        return nil
    }
}

extension StoredColumn {
    fileprivate init(_ row: [PrimitiveValue], collation: String?) {
        func text(_ value: PrimitiveValue) -> String { if case .text(let text) = value { text } else { "" } }
        self.init(
            name: text(row[0]), type: text(row[1]), kinds: Self.kinds(of: text(row[1]).uppercased()),
            isNotNull: row[2] != .integer(0), hasDefault: row[3] != .null, collation: collation)
    }

    /// Returns the kinds whose values SQLite stores unchanged in a column of a type, by its rules for the names of
    /// types.
    private static func kinds(of type: String) -> Set<PrimitiveKind> {
        if type.contains("INT") { return [.bool, .integer, .unsigned, .real, .date, .data] }
        if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return [.text, .uuid, .data] }
        if type.isEmpty || type.contains("BLOB") {
            return [.bool, .integer, .unsigned, .real, .date, .text, .uuid, .data]
        }
        if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return [.real, .date, .data] }
        return [.bool, .integer, .unsigned, .real, .date, .data]
    }
}

extension SchemaColumn {
    fileprivate var declaration: String {
        let type =
            switch attribute.kind {
            case .bool, .integer: "INTEGER"
            // Not INTEGER, since an INTEGER key would be SQLite's row number, which has 63 bits.
            case .unsigned: "INT"
            case .real, .date: "REAL"
            case .text, .uuid: "TEXT"
            case .data: "BLOB"
            }
        return attribute.isOptional ? type : "\(type) NOT NULL"
    }
}
