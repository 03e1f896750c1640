/// One column of a ``Schema``: its name in the table, and the property that it holds.
public struct Column<Object: Identifiable & Sendable, Value: Primitive>: Sendable where Object.ID: Primitive {
    @usableFromInline let erased: SchemaColumn<Object>

    /// - Parameters:
    ///   - isIndexed: Whether stores keep an index of the property, so that a query for few of many objects looks at those only.
    ///   - isUnique: Whether no two objects may have the same value, except nil. A unique column is indexed.
    @inlinable
    public init(
        _ name: String, _ property: KeyPath<Object, Value> & Sendable, isIndexed: Bool = false, isUnique: Bool = false
    ) {
        erased = SchemaColumn(
            name: name, attribute: Attribute(property), isIndexed: isIndexed || isUnique, isUnique: isUnique,
            bind: makeBinding(property), isSame: makeSameness(property), makeIndex: MemoryIndexMaker(property))
    }
}

/// An index of several columns of a ``Schema``, in this order.
///
///     Schema("pages", Page.init, Column("id", \.id), Column("book", \.book), Column("number", \.number),
///         indexes: [ColumnIndex("book", "number", isUnique: true)])
public struct ColumnIndex: Sendable, Hashable {
    /// The names of the columns.
    public let columns: [String]
    /// Whether no two objects may have the same values in all columns, unless one of them is nil.
    public let isUnique: Bool

    public init(_ columns: String..., isUnique: Bool = false) {
        self.init(columns: columns, isUnique: isUnique)
    }

    public init(columns: [String], isUnique: Bool = false) {
        self.columns = columns
        self.isUnique = isUnique
    }
}

/// A column of a schema, whatever the type of its property.
public struct SchemaColumn<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    public let name: String
    public let attribute: Attribute<Object>
    public let isIndexed: Bool
    public let isUnique: Bool
    /// The name, quoted for SQL.
    package let quotedName: String

    /// Binds the property of the object at an address to a parameter.
    let bind: @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void

    /// Whether the property is the same in the objects at two addresses.
    let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

    /// Makes an empty index of the property for a memory store.
    let makeIndex: MemoryIndexMaker<Object>

    @usableFromInline
    init(
        name: String, attribute: Attribute<Object>, isIndexed: Bool, isUnique: Bool,
        bind: @escaping @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void,
        isSame: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool,
        makeIndex: MemoryIndexMaker<Object>
    ) {
        self.name = name
        quotedName = SQLText.quoted(name)
        self.attribute = attribute
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.bind = bind
        self.isSame = isSame
        self.makeIndex = makeIndex
    }
}

/// Makes an index, whatever the type of its property.
@usableFromInline
struct MemoryIndexMaker<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private let make: @Sendable (Attribute<Object>) -> any MemoryIndexing<Object>

    @usableFromInline
    init<Value: Primitive>(_ property: KeyPath<Object, Value> & Sendable) {
        make = { MemoryIndex($0, property) }
    }

    func callAsFunction(_ attribute: Attribute<Object>) -> any MemoryIndexing<Object> { make(attribute) }
}

@inlinable
func makeBinding<Object, Value: Primitive>(
    _ property: KeyPath<Object, Value> & Sendable
) -> @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void {
    if let offset = MemoryLayout<Object>.offset(of: property) {
        return { object, binder, index in
            binder.bind((object + offset).assumingMemoryBound(to: Value.self).pointee.primitiveValue, at: index)
        }
    }
    return { object, binder, index in
        binder.bind(object.assumingMemoryBound(to: Object.self).pointee[keyPath: property].primitiveValue, at: index)
    }
}

@inlinable
func makeSameness<Object, Value: Primitive>(
    _ property: KeyPath<Object, Value> & Sendable
) -> @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
    if let offset = MemoryLayout<Object>.offset(of: property) {
        return { lhs, rhs in
            isSame(
                (lhs + offset).assumingMemoryBound(to: Value.self).pointee,
                (rhs + offset).assumingMemoryBound(to: Value.self).pointee)
        }
    }
    return { lhs, rhs in
        isSame(
            lhs.assumingMemoryBound(to: Object.self).pointee[keyPath: property],
            rhs.assumingMemoryBound(to: Object.self).pointee[keyPath: property])
    }
}

/// Whether two values are equal, or neither is a number.
@inlinable
@inline(__always)
func isSame<Value: Primitive>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs == rhs || (lhs != lhs && rhs != rhs)
}
