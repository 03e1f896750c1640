/// The values of properties that no two objects may share, and the ids of the objects that have them.
struct MemoryUniqueIndex<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    let attributes: [Attribute<Object>]
    // Not a dictionary, of which each transaction would copy all entries.
    private var entries = OrderedTable<UniqueValues<Object.ID>>()

    init(_ attributes: [Attribute<Object>]) { self.attributes = attributes }

    /// Returns the object's values; nil if one of them is nil, since several objects may have nil.
    private func values(of object: Object) -> UniqueValues<Object.ID>? {
        let values = attributes.map { $0.value(in: object) }
        return values.contains(.null) ? nil : UniqueValues(values, of: object.id)
    }

    /// Throws if another object has the same values.
    func check(_ object: Object) throws(StoreError) {
        guard let own = values(of: object), let known = entries.find(own.id),
            // Not as ids: NaN would differ from itself.
            known.object.primitiveValue != own.object.primitiveValue
        else { return }
        let names = attributes.map { "\($0)" }.joined(separator: ", ")
        throw .constraint(reason: "the object with the id \(known.object.printed) has the same value of \(names)")
    }

    /// Adds the values of an object that ``check(_:)`` has passed.
    mutating func insert(_ object: Object) { if let values = values(of: object) { _ = entries.insert(values) } }

    mutating func remove(_ object: Object) { if let values = values(of: object) { _ = entries.remove(values.id) } }
}

/// The values of one object in a unique index, and its id.
private struct UniqueValues<Object: Sendable>: Identifiable, Sendable {
    struct ID: Hashable, Sortable, Sendable {
        let values: [PrimitiveValue]

        static func isOrdered(_ lhs: ID, before rhs: ID) -> Bool {
            for (left, right) in zip(lhs.values, rhs.values) {
                if PrimitiveValue.isOrdered(left, before: right) { return true }
                if PrimitiveValue.isOrdered(right, before: left) { return false }
            }
            return false
        }
    }

    let id: ID
    let object: Object

    init(_ values: [PrimitiveValue], of object: Object) {
        id = ID(values: values)
        self.object = object
    }
}
