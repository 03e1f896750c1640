/// A column of a table as the database describes it, for comparison with the column of a schema.
package struct StoredColumn: Sendable {
    package let name: String
    /// The type, as the database calls it.
    package let type: String
    /// The kinds of property whose values the type stores unchanged.
    package let kinds: Set<PrimitiveKind>
    package let isNotNull: Bool
    /// `true` if a row may be added without a value for the column.
    package let hasDefault: Bool
    /// The collation of texts; nil if they are compared by their bytes.
    package let collation: String?

    package init(
        name: String, type: String, kinds: Set<PrimitiveKind>, isNotNull: Bool, hasDefault: Bool, collation: String?
    ) {
        self.name = name
        self.type = type
        self.kinds = kinds
        self.isNotNull = isNotNull
        self.hasDefault = hasDefault
        self.collation = collation
    }
}

extension Schema {
    /// Checks that the columns of the table can hold the objects; throws ``StoreError/schemaMismatch(table:reason:)`` otherwise.
    ///
    /// - Parameters:
    ///   - declaration: Returns the type of a column in SQL, with `NOT NULL` if its property is never nil.
    ///   - nulls: Returns the reason why a column that is not declared `NOT NULL` may hold NULL, or nil if it cannot.
    ///   - comparison: The database's name for comparison by bytes.
    package func check(
        _ table: [StoredColumn], declaration: (SchemaColumn<Object>) -> String,
        nulls: (SchemaColumn<Object>) throws(StoreError) -> String?, comparison: String
    ) throws(StoreError) {
        for column in columns {
            // Databases compare names by their bytes.
            guard let stored = table.first(where: { $0.name.utf8.elementsEqual(column.name.utf8) }) else {
                throw mismatch(
                    "it has no column \(column.name); add a migration with ALTER TABLE \(quotedName) ADD COLUMN "
                        + "\(column.quotedName) \(declaration(column))"
                        + (column.attribute.isOptional ? "" : " DEFAULT …"))
            }
            guard stored.kinds.contains(column.attribute.kind) else {
                throw mismatch(
                    "its column \(column.name) has the type \(stored.type), and the property needs "
                        + declaration(column))
            }
            if column.attribute.isOptional, stored.isNotNull {
                throw mismatch("its column \(column.name) is NOT NULL, and the property may be nil")
            }
            if !column.attribute.isOptional, !stored.isNotNull, let reason = try nulls(column) {
                throw mismatch("\(reason), and the property is never nil")
            }
            if let collation = stored.collation {
                throw mismatch(
                    "its column \(column.name) is compared by \(collation), and text must be compared by \(comparison)")
            }
        }
        for stored in table where stored.isNotNull && !stored.hasDefault {
            if !columns.contains(where: { $0.name == stored.name }) {
                throw mismatch("it demands a value for \(stored.name), which the schema does not have")
            }
        }
    }

    /// Returns the error for a table that does not fit the schema.
    package func mismatch(_ reason: String) -> StoreError { .schemaMismatch(table: name, reason: reason) }
}
