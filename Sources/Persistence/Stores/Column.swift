/// One column of a ``Schema``: its name in the table, and the property that it holds.
public struct Column<Object: Identifiable & Sendable, Value: Primitive>: Sendable where Object.ID: Primitive {
    @usableFromInline let erased: SchemaColumn<Object>

    /// - Parameters:
    ///   - isIndexed: True if stores keep an index of the property, so that a query for few of many objects reads only
    ///     those.
    ///   - isUnique: True if no two objects may have the same value, except nil. A unique column is indexed.
    @inlinable
    public init(
        _ name: String, _ property: KeyPath<Object, Value> & Sendable, isIndexed: Bool = false, isUnique: Bool = false
    ) {
        erased = SchemaColumn(
            name: name, attribute: Attribute(property), valueType: Value.self,
            offset: MemoryLayout<Object>.offset(of: property), isIndexed: isIndexed || isUnique, isUnique: isUnique,
            read: makeReading(property), fill: makeFilling(Value.self), fillFromSQLite: makeSQLiteFilling(Value.self),
            bind: makeBinding(property),
            isSame: makeSameness(property), makeIndex: MemoryIndexMaker(property))
    }
}

/// An index of several columns of a ``Schema``, in this order.
///
///     Schema<Page>("pages", Page.init, Column("id", \.id), Column("book", \.book), Column("number", \.number),
///         indexes: [ColumnIndex("book", "number", isUnique: true)])
public struct ColumnIndex: Sendable, Hashable {
    /// The names of the columns.
    public let columns: [String]
    /// True if no two objects may have the same values in all columns, unless one of them is nil.
    public let isUnique: Bool

    /// Makes an index of some columns; the first one sorts first.
    public init(_ columns: String..., isUnique: Bool = false) {
        self.init(columns: columns, isUnique: isUnique)
    }

    /// Makes an index of some columns; the first one sorts first.
    public init(columns: [String], isUnique: Bool = false) {
        self.columns = columns.map(\.precomposed)
        self.isUnique = isUnique
    }
}

/// A column of a schema, without the type of its property.
public struct SchemaColumn<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The name in the table.
    public let name: String
    /// The property that the column holds.
    public let attribute: Attribute<Object>
    /// True if the column has an index of its own.
    public let isIndexed: Bool
    /// True if no two objects may have the same value, unless it is nil.
    public internal(set) var isUnique: Bool
    /// The type of the property.
    package let valueType: any Primitive.Type
    /// The property's offset in the memory of an object; nil if it is computed, or the object is a class.
    package let offset: Int?
    /// The name, quoted for SQL.
    package let quotedName: String

    /// Returns the property of the object at an address.
    package let read: @Sendable (UnsafeRawPointer) -> PrimitiveValue

    /// Puts a value of the property's type into an empty slot; returns false and leaves the slot empty if the primitive
    /// value does not stand for one.
    package let fill: @Sendable (PrimitiveValue, UnsafeMutableRawPointer) -> Bool

    /// The same for a column of a SQLite row.
    let fillFromSQLite: @Sendable (SQLiteColumn, UnsafeMutableRawPointer) -> Bool

    /// Binds the property of the object at an address to a parameter.
    let bind: @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void

    /// Returns true if the property is the same in the objects at two addresses.
    let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

    /// Makes an empty index of the property for a memory store.
    let makeIndex: MemoryIndexMaker<Object>

    @usableFromInline
    init(
        name: String, attribute: Attribute<Object>, valueType: any Primitive.Type, offset: Int?, isIndexed: Bool,
        isUnique: Bool, read: @escaping @Sendable (UnsafeRawPointer) -> PrimitiveValue,
        fill: @escaping @Sendable (PrimitiveValue, UnsafeMutableRawPointer) -> Bool,
        fillFromSQLite: @escaping @Sendable (SQLiteColumn, UnsafeMutableRawPointer) -> Bool,
        bind: @escaping @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void,
        isSame: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool,
        makeIndex: MemoryIndexMaker<Object>
    ) {
        self.name = name.precomposed
        quotedName = SQLText.quoted(self.name)
        self.attribute = attribute
        self.valueType = valueType
        self.offset = offset
        self.isIndexed = isIndexed
        self.isUnique = isUnique
        self.read = read
        self.fill = fill
        self.fillFromSQLite = fillFromSQLite
        self.bind = bind
        self.isSame = isSame
        self.makeIndex = makeIndex
    }
}

/// Makes an index without knowing the type of its property.
@usableFromInline
struct MemoryIndexMaker<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private let make: @Sendable (Attribute<Object>) -> any MemoryIndexing<Object>

    @usableFromInline
    init<Value: Primitive>(_ property: KeyPath<Object, Value> & Sendable) {
        if Value.Scalar.self is any StoredAsJSON.Type {
            // To compare two values would encode both.
            make = { attribute in MemoryIndex(attribute) { String?(json: $0[keyPath: property].primitiveValue) } }
        } else {
            make = { attribute in MemoryIndex(attribute) { $0[keyPath: property] } }
        }
    }

    func callAsFunction(_ attribute: Attribute<Object>) -> any MemoryIndexing<Object> { make(attribute) }
}

extension String? {
    /// The text of a value that is stored as JSON, or nil if it has none.
    fileprivate init(json: PrimitiveValue) {
        if case .text(let text) = json { self = text.precomposed } else { self = nil }
    }
}

@inlinable
func makeReading<Object, Value: Primitive>(
    _ property: KeyPath<Object, Value> & Sendable
) -> @Sendable (UnsafeRawPointer) -> PrimitiveValue {
    if let offset = MemoryLayout<Object>.offset(of: property) {
        return { object in (object + offset).assumingMemoryBound(to: Value.self).pointee.primitiveValue }
    }
    return { object in object.assumingMemoryBound(to: Object.self).pointee[keyPath: property].primitiveValue }
}

@inlinable
func makeFilling<Value: Primitive>(_ type: Value.Type) -> @Sendable (PrimitiveValue, UnsafeMutableRawPointer) -> Bool {
    { primitiveValue, slot in
        guard let value = Value(primitiveValue: primitiveValue) else { return false }
        slot.initializeMemory(as: Value.self, to: value)
        return true
    }
}

@inlinable
func makeSQLiteFilling<Value: Primitive>(
    _ type: Value.Type
) -> @Sendable (SQLiteColumn, UnsafeMutableRawPointer) -> Bool {
    let fill: @Sendable (SQLiteColumn, UnsafeMutableRawPointer) -> Bool = { column, slot in
        do throws(SQLiteColumn.Mismatch) {
            slot.initializeMemory(as: Value.self, to: try Value.read(from: column))
            return true
        } catch {
            return false
        }
    }
    guard let known = KnownTexts<Value>() else { return fill }
    return { column, slot in
        guard let value = known.value(in: column) else { return fill(column, slot) }
        slot.initializeMemory(as: Value.self, to: value)
        return true
    }
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

/// Returns whether two values are equal, or stored in the same form, as two NaNs are.
@inlinable
@inline(__always)
func isSame<Value: Primitive>(_ lhs: Value, _ rhs: Value) -> Bool {
    lhs == rhs || lhs.primitiveValue == rhs.primitiveValue
}
