/// One column of a ``Schema``: its name in the table, and the property that it holds.
public struct Column<Object: Identifiable & Sendable, Value: Primitive>: Sendable where Object.ID: Primitive {
    @usableFromInline let erased: SchemaColumn<Object>

    /// - Parameter isIndexed: Whether stores keep an index of the property, so that a query for few of many objects looks at
    ///   those few only.
    @inlinable
    public init(_ name: String, _ property: KeyPath<Object, Value> & Sendable, isIndexed: Bool = false) {
        erased = SchemaColumn(
            name: name, attribute: Attribute(property), isIndexed: isIndexed, bind: makeBinding(property),
            makeIndex: MemoryIndexMaker(property))
    }
}

/// A column of a schema, whatever the type of its property.
public struct SchemaColumn<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    public let name: String
    public let attribute: Attribute<Object>
    public let isIndexed: Bool

    /// Binds the property of the object at an address to a parameter.
    let bind: @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void

    /// Makes an empty index of the property for a memory store.
    let makeIndex: MemoryIndexMaker<Object>

    @usableFromInline
    init(
        name: String, attribute: Attribute<Object>, isIndexed: Bool,
        bind: @escaping @Sendable (UnsafeRawPointer, SQLiteBinder, Int32) -> Void,
        makeIndex: MemoryIndexMaker<Object>
    ) {
        self.name = name
        self.attribute = attribute
        self.isIndexed = isIndexed
        self.bind = bind
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
