import CSQLite
import Foundation

/// A mapping of a model to a table, written once for all stores.
///
///     extension Song {
///         static let schema = Schema<Song>(
///             "songs", Song.init,
///             Column("id", \.id), Column("title", \.title), Column("rating", \.rating, isIndexed: true))
///     }
///
/// The function makes an object from the columns' values, in their order; usually it is the model's memberwise initializer.
/// The first column is the key, and holds the object's `id`.
///
/// With more than 16 columns besides the key, write the type of the model, as above. Without it, the compiler of Swift 6.3
/// crashes ("Trail corrupted") if the type of a column differs from that of its parameter; otherwise, it points at the
/// column. ``swappedColumns(for:)`` finds columns of the same type that are in the wrong order.
public struct Schema<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The name of the table.
    public let name: String
    /// The columns, that of the key first.
    public private(set) var columns: [SchemaColumn<Object>]
    /// The indexes: those of single columns, then those of several.
    public private(set) var indexes: [ColumnIndex]

    /// The names of the table and its columns for SQL.
    package let names: SQLNames
    package let ids: IDAttributes
    /// The places of a row's values, for readers of rows.
    @usableFromInline package let slots: RowSlots
    @usableFromInline let rows: SchemaRows<Object>
    @usableFromInline let readings: ColumnReadings
    private let bindings: ColumnBindings
    private let comparisons: [@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool]

    /// - Parameter indexes: Indexes of more than one column. Indexes of single columns are declared by ``Column``.
    @inlinable
    public init<each Value: Primitive>(
        _ name: String, _ make: @escaping @Sendable (Object.ID, repeat each Value) -> Object,
        _ id: Column<Object, Object.ID>,
        _ columns: repeat Column<Object, each Value>,
        indexes: [ColumnIndex] = []
    ) {
        var erased = [id.erased]
        for column in repeat each columns { erased.append(column.erased) }
        self.init(name: name, columns: erased, indexes: indexes, rows: SchemaRows(make))
    }

    /// - Parameter make: Makes an object from the values in its slots.
    // Objects are made here, where the compiler knows all types.
    @inlinable
    init(
        _ name: String, _ columns: [SchemaColumn<Object>], _ indexes: [ColumnIndex],
        _ make: @escaping @Sendable (inout SlotCursor) -> Object
    ) {
        self.init(name: name, columns: columns, indexes: indexes, rows: SchemaRows(make))
    }

    @usableFromInline
    init(name: String, columns: [SchemaColumn<Object>], indexes: [ColumnIndex], rows: SchemaRows<Object>) {
        let names = Set(columns.map { $0.name.lowercased() })
        precondition(names.count == columns.count, "Two columns of the schema \(name) have the same name.")
        for column in indexes.flatMap(\.columns) {
            precondition(columns.contains { $0.name == column }, "The schema \(name) has no column \(column) to index.")
        }
        // Names are composed, since databases compare them by their bytes.
        self.name = name.precomposed
        self.columns = columns
        self.indexes =
            columns.dropFirst().filter(\.isIndexed).map { ColumnIndex($0.name, isUnique: $0.isUnique) } + indexes
        self.rows = rows
        slots = RowSlots(columns.map(\.valueType))
        readings = ColumnReadings(columns, slots)
        bindings = ColumnBindings(columns)
        comparisons = columns.map(\.isSame)
        ids = IDAttributes(columns[0].attribute)
        let positions = columns.enumerated().map { ($0.element.attribute.erased, $0.offset) } + [(ids.generic, 0)]
        self.names = SQLNames(
            table: self.name, columns: columns.map(\.quotedName),
            positions: Dictionary(positions, uniquingKeysWith: { first, _ in first }))
    }

    /// The schema of a copy of the table, in which unique columns are only indexed: between two changes of the original,
    /// the copy may have objects of both.
    package var ofCopy: Schema {
        var schema = self
        for index in schema.columns.indices { schema.columns[index].isUnique = false }
        schema.indexes = indexes.map { ColumnIndex(columns: $0.columns) }
        return schema
    }

    /// The names of the table and of all columns, quoted for SQL.
    package var quotedName: String { names.quotedTable }
    package var quotedColumns: String { names.quotedColumns }

    /// The column of the key.
    public var id: SchemaColumn<Object> { columns[0] }

    /// The column that holds a property, or nil if there is none.
    public func column(for attribute: Attribute<Object>) -> SchemaColumn<Object>? {
        position(of: attribute).map { columns[$0] }
    }

    /// Returns the position of the column that holds a property, or nil if there is none.
    package func position(of attribute: Attribute<Object>) -> Int? { names.positions[attribute.erased] }

    /// Returns the property of the column `name`, for conditions that are made at run time.
    public func attribute(named name: String) -> Attribute<Object>? {
        columns.first { $0.name == name }?.attribute
    }

    /// The properties of each unique index.
    package var uniques: [[Attribute<Object>]] {
        indexes.filter(\.isUnique).map { index in
            index.columns.compactMap { name in columns.first { $0.name == name }?.attribute }
        }
    }

    /// Binds all properties of the object at an address, in the order of the columns.
    func bind(_ object: UnsafeRawPointer, _ binder: SQLiteBinder) {
        binder.begin()
        for column in 0..<bindings.count { bindings.bind(object, column, binder) }
    }

    /// Binds the key and the columns of a set, each to the parameter with the number of its column.
    func bind(_ object: UnsafeRawPointer, _ columns: ColumnSet, _ binder: SQLiteBinder) {
        binder.begin()
        bindings.bind(object, 0, binder)
        for column in 1..<bindings.count where columns.contains(column) { bindings.bind(object, column, binder) }
    }

    /// The columns in which two objects differ.
    func changes(from old: Object, to new: Object) -> ColumnSet {
        withUnsafePointer(to: old) { old in
            withUnsafePointer(to: new) { new in
                var columns = ColumnSet()
                for column in 1..<comparisons.count
                where !comparisons[column](UnsafeRawPointer(old), UnsafeRawPointer(new)) {
                    columns.insert(column)
                }
                return columns
            }
        }
    }

    /// Returns whether two objects have the same values in all columns.
    package func isSame(_ lhs: Object, _ rhs: Object) -> Bool {
        withUnsafePointer(to: lhs) { lhs in
            withUnsafePointer(to: rhs) { rhs in isSame(UnsafeRawPointer(lhs), UnsafeRawPointer(rhs)) }
        }
    }

    /// Returns whether two arrays have objects with the same values in all columns, in the same order.
    package func areSame(_ lhs: [Object], _ rhs: [Object]) -> Bool {
        guard lhs.count == rhs.count else { return false }
        let stride = MemoryLayout<Object>.stride
        return lhs.withUnsafeBytes { left in
            rhs.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                // Objects with the same bytes have the same values; after most changes, all but one have.
                let size = MemoryLayout<Object>.size
                let rows = (0..<lhs.count).filter { memcmp(left + $0 &* stride, right + $0 &* stride, size) != 0 }
                // Compared column by column, since each closure that is taken out of an array is retained.
                for comparison in comparisons {
                    for row in rows where !comparison(left + row &* stride, right + row &* stride) { return false }
                }
                return true
            }
        }
    }

    private func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
        // Only the closures are read, since copying the columns would retain many references.
        comparisons.withUnsafeBufferPointer { comparisons in
            for index in 0..<comparisons.count where !comparisons[index](lhs, rhs) { return false }
            return true
        }
    }
}

/// Some of the first 64 columns of a schema.
struct ColumnSet: Hashable, Sendable {
    private var bits: UInt64 = 0

    /// The greatest number of columns that a set can represent.
    static var capacity: Int { 64 }

    var isEmpty: Bool { bits == 0 }
    func contains(_ column: Int) -> Bool { bits >> UInt64(column) & 1 == 1 }
    mutating func insert(_ column: Int) { bits |= 1 << UInt64(column) }
    var columns: [Int] { (0..<Self.capacity).filter(contains) }
}
