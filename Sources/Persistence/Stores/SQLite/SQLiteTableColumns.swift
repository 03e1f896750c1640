import Synchronization

/// The columns of a table, as the stores of one database know them.
final class SQLiteTableColumns: Sendable {
    private let names: [String]
    /// An array of ``Attribute``s.
    private let attributes: any Sendable
    private let haveDiffered = Atomic(false)

    init<Object>(_ schema: Schema<Object>) {
        names = schema.columns.map(\.name)
        attributes = schema.columns.map(\.attribute)
    }

    /// True if two stores make different objects of the same row, since their schemas differ.
    var differ: Bool { haveDiffered.load(ordering: .acquiring) }

    /// Adds those of a new store.
    func add<Object>(_ schema: Schema<Object>) {
        guard let known = attributes as? [Attribute<Object>], known == schema.columns.map(\.attribute),
            names == schema.columns.map(\.name)
        else { return haveDiffered.store(true, ordering: .releasing) }
    }
}
