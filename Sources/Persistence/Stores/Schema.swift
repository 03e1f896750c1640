import CSQLite

/// How a model becomes a table: the one mapping that a store needs, written once.
///
///     extension Movie {
///         static let schema = Schema(
///             "movies", Movie.init,
///             Column("id", \.id), Column("title", \.title), Column("rating", \.rating, isIndexed: true))
///     }
///
/// The function makes an object from the columns' values, in their order; mostly that is the model's own memberwise
/// initializer. The first column is the key, and holds the object's `id`.
public struct Schema<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The name of the table.
    public let name: String
    /// The columns, that of the key first.
    public let columns: [SchemaColumn<Object>]

    /// Makes an object from the values of all columns.
    let make: @Sendable ([PrimitiveValue]) throws(RowMismatch) -> Object
    /// Steps through the rows of a statement that selects all columns, and appends their objects.
    let read: @Sendable (OpaquePointer, inout [Object]) throws(RowMismatch) -> Int32
    private let bindings: [@Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void]
    private let positions: [Attribute<Object>: Int]
    let ids: IDAttributes<Object>

    /// The reading of rows is made here, where all types are known to the compiler.
    @inlinable
    public init<each Value: Primitive>(
        _ name: String,
        _ make: @escaping @Sendable (consuming Object.ID, repeat consuming each Value) -> Object,
        _ id: Column<Object, Object.ID>,
        _ columns: repeat Column<Object, each Value>
    ) {
        var erased = [id.erased]
        for column in repeat each columns { erased.append(column.erased) }
        self.init(
            name: name, columns: erased,
            make: { (values) throws(RowMismatch) in
                var column = 0
                return make(try nextValue(values, &column), repeat try nextValue(values, &column) as each Value)
            }
        ) { (statement, objects) throws(RowMismatch) in
            var status = sqlite3_step(statement)
            while status == SQLITE_ROW {
                var column: Int32 = 0
                do throws(SQLiteColumn.Mismatch) {
                    objects.append(
                        make(
                            try Object.ID.read(from: SQLiteColumn(statement, 0)),
                            repeat try (each Value).read(from: SQLiteColumn(statement, next(&column)))))
                } catch {
                    throw RowMismatch(column: Int(column))
                }
                status = sqlite3_step(statement)
            }
            return status
        }
    }

    @usableFromInline
    init(
        name: String, columns: [SchemaColumn<Object>],
        make: @escaping @Sendable ([PrimitiveValue]) throws(RowMismatch) -> Object,
        read: @escaping @Sendable (OpaquePointer, inout [Object]) throws(RowMismatch) -> Int32
    ) {
        let names = Set(columns.map { $0.name.lowercased() })
        precondition(names.count == columns.count, "Two columns of the schema \(name) have the same name.")
        self.name = name
        self.columns = columns
        self.make = make
        self.read = read
        bindings = columns.map(\.bind)
        ids = IDAttributes(columns[0].attribute)
        positions = Dictionary(
            columns.enumerated().map { ($0.element.attribute, $0.offset) } + [(.id, 0)],
            uniquingKeysWith: { first, _ in first })
    }

    /// The column of the key.
    public var id: SchemaColumn<Object> { columns[0] }

    /// Binds all properties of the object at an address, in the order of the columns.
    func bind(_ object: UnsafeRawPointer, _ binder: SQLiteBinder) {
        binder.begin()
        bindings.withUnsafeBufferPointer { bindings in
            for index in 0..<bindings.count { bindings[index](object, binder, Int32(truncatingIfNeeded: index &+ 1)) }
        }
    }

    /// The column that holds a property, or nil where there is none.
    public func column(for attribute: Attribute<Object>) -> SchemaColumn<Object>? {
        positions[attribute].map { columns[$0] }
    }

    /// The property that the column `name` holds, for conditions that are made while the program runs.
    public func attribute(named name: String) -> Attribute<Object>? {
        columns.first { $0.name == name }?.attribute
    }
}

/// The position of a column whose value was not one of its property's.
public struct RowMismatch: Error, Equatable {
    public let column: Int

    @usableFromInline
    init(column: Int) { self.column = column }
}

@inlinable
@inline(__always)
func next(_ column: inout Int32) -> Int32 {
    column &+= 1
    return column
}
