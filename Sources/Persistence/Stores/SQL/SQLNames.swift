/// The names of a table and its columns in SQL, without the type of the objects; see ``AnyAttribute``.
// A class, since a copy of its parts would retain all of them.
package final class SQLNames: Sendable {
    /// The name of the table, as errors say it.
    let table: String
    /// The names of the table, of all columns, and of the key, quoted.
    package let quotedTable: String
    package let quotedColumns: String
    let quotedID: String
    /// Selects all columns of the table; a condition may follow.
    let selection: String
    /// The positions of the attributes' columns.
    let positions: [AnyAttribute: Int]
    private let columns: [String]

    /// - Parameter columns: The quoted names of the columns, that of the key first.
    init(table: String, columns: [String], positions: [AnyAttribute: Int]) {
        self.table = table
        self.columns = columns
        self.positions = positions
        quotedTable = SQLText.quoted(table)
        quotedColumns = columns.joined(separator: ", ")
        quotedID = columns[0]
        selection = "SELECT \(quotedColumns) FROM \(quotedTable)"
    }

    /// Returns the quoted name of an attribute's column.
    func column(_ attribute: AnyAttribute) throws(StoreError) -> String {
        guard let position = positions[attribute] else { throw .unknownProperty("\(attribute)", table: table) }
        return columns[position]
    }
}
