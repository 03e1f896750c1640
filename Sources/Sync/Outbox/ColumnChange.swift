import JSON
import Persistence

/// A change of a table's columns since an earlier version of the program, whose writes may still wait in the outbox.
///
///     let movies = try SyncedStore(
///         Movie.schema, remote: remote, outbox: outbox,
///         columnChanges: [.renamed("name", to: "title"), .removed("poster")])
///
/// A column that was added needs none: a waiting write gets the value that the migration has given to its object. A
/// write that sets a column which is neither in the schema nor here is parked with ``ParkedWrite/Cause/unreadable``, so
/// that its value is not lost.
public enum ColumnChange: Hashable, Sendable {
    /// The column has another name now.
    case renamed(String, to: String)
    /// The column no longer exists. Its values are left out of the waiting writes.
    case removed(String)
}

/// The columns of a schema, found by their present or earlier names.
struct OutboxColumns<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    let schema: Schema<Object>
    /// The position of the column of the version.
    let version: Int?
    private let columns: [OutboxColumn]
    private let positions: [String: Int]
    private let changes: Set<ColumnChange>

    init(_ schema: Schema<Object>, version: Int?, changes: [ColumnChange] = []) {
        self.schema = schema
        self.version = version
        self.changes = Set(changes)
        columns = schema.columns.map {
            OutboxColumn(name: $0.name, kind: $0.attribute.kind, canonical: $0.attribute.canonical)
        }
        positions = Dictionary(
            schema.columns.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the position of a column; nil if the column was removed.
    ///
    /// - Parameter guess: A position that is likely, since columns are stored in the order of the schema.
    func position(of name: String, near guess: Int = 0) throws(StoreError) -> Int? {
        if guess < columns.count, columns[guess].name == name { return guess }
        if let position = positions[name] { return position }
        var current = name
        // A column may have been renamed several times.
        for _ in changes {
            if changes.contains(.removed(current)) { return nil }
            let next = changes.lazy.compactMap { change -> String? in
                if case .renamed(current, let next) = change { next } else { nil }
            }.first
            guard let next else { break }
            if let position = positions[next] { return position }
            current = next
        }
        throw .unknownProperty(name, table: schema.name)
    }

    /// Returns the value of a column; nil if the JSON is of another type.
    func value(_ column: Int, _ node: JSONNode) -> PrimitiveValue? {
        PrimitiveValue(node.scalar, kind: columns[column].kind)
    }

    /// Returns the value of a column; nil if the property cannot hold it.
    func fittingValue(_ column: Int, _ node: JSONNode) -> PrimitiveValue? {
        guard let value = value(column, node), columns[column].canonical(value) != nil else { return nil }
        return value
    }

    /// The form of the writes that these columns read without loss.
    var form: OutboxForm {
        let changes = changes.map { change in
            switch change {
            case let .renamed(old, new): "\(old)>\(new)"
            case let .removed(name): "-\(name)"
            }
        }
        let columns = schema.columns.map { "\($0.name) \($0.attribute.kind)\($0.attribute.isOptional ? "?" : "")" }
        return OutboxForm(id: schema.name, columns: (columns + changes.sorted()).joined(separator: ", "))
    }
}

/// A column without the type of its object, which generic code would look up for each use of a column.
private struct OutboxColumn: Sendable {
    let name: String
    let kind: PrimitiveKind
    /// Returns the value as the property's type stores it; nil if the property cannot hold it.
    let canonical: @Sendable (PrimitiveValue) -> PrimitiveValue?
}

/// The columns of a table when its writes were last stored or adapted.
struct OutboxForm: Identifiable, Equatable, Sendable {
    /// The name of the table.
    let id: String
    let columns: String

    static let schema = Schema(
        "outbox_forms", { OutboxForm(id: $0, columns: $1) }, Column("id", \.id), Column("columns", \.columns))
}
