extension SQLiteTable {
    /// Makes the table and its indexes where the file lacks them, and checks that the table is the schema's.
    func prepare(in database: SQLiteDatabase) throws(StoreError) {
        let isThere = try database.read { connection throws(StoreError) in
            let names = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE tbl_name = ?", [.primitive(.text(schema.name))]
            ).map { $0[0] }
            return names.contains(schema.name) && indexes.allSatisfy { names.contains($0.name) }
        }
        if !isThere {
            if database.configuration.isReadOnly { throw .readOnly(file: database.file) }
            try database.write { writer throws(StoreError) in
                try writer.connection.execute(creation)
                // The table may be an old one, which lacks a column that an index is to be made of.
                try check(on: writer.connection)
                for index in indexes { try writer.connection.execute(index.creation) }
            }
        }
        try database.read { connection throws(StoreError) in try check(on: connection) }
    }

    private var indexes: [(name: String, creation: String)] {
        schema.columns.dropFirst().filter(\.isIndexed).map { column in
            let name = "\(schema.name)_\(column.name)"
            return (
                name,
                "CREATE INDEX IF NOT EXISTS \(SQLText.quoted(name)) ON \(SQLText.quoted(schema.name)) "
                    + "(\(SQLText.quoted(column.name)))"
            )
        }
    }

    private var creation: String {
        let columns = schema.columns.map { column in
            "\(SQLText.quoted(column.name)) \(column.declaration)"
                + (column.name == schema.id.name ? " PRIMARY KEY" : "")
        }
        // Rows lie in the order of the key, in which answers are given: by itself where that is an integer.
        let order = schema.id.attribute.kind == .integer ? "" : " WITHOUT ROWID"
        return "CREATE TABLE IF NOT EXISTS \(SQLText.quoted(schema.name)) (\(columns.joined(separator: ", ")))\(order)"
    }

    private func check(on connection: SQLiteConnection) throws(StoreError) {
        let rows = try connection.rows(
            "SELECT name, \"notnull\", dflt_value, pk FROM pragma_table_info(?)", [.primitive(.text(schema.name))])
        for column in schema.columns where !rows.contains(where: { $0[0] == column.name }) {
            throw .schemaMismatch(
                table: schema.name,
                reason: "it has no column \(column.name); add a migration with ALTER TABLE "
                    + "\(SQLText.quoted(schema.name)) ADD COLUMN \(SQLText.quoted(column.name)) "
                    + column.declaration + (column.attribute.isOptional ? "" : " DEFAULT …"))
        }
        for row in rows {
            let name = row[0] ?? ""
            let isKey = row[3] != "0"
            if isKey != (name == schema.id.name) {
                throw .schemaMismatch(table: schema.name, reason: "\(schema.id.name) is not its primary key")
            }
            if row[1] == "1", row[2] == nil, !schema.columns.contains(where: { $0.name == name }) {
                throw .schemaMismatch(
                    table: schema.name, reason: "it demands a value for \(name), which the schema does not have")
            }
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
