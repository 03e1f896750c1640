/// A new value for one property, for `Store.update(where:set:)`.
///
///     movies.update(where: \.budget == 0, set: .value(\.rating, .G), .value(\.year, nil))
public struct Assignment<Object: Sendable>: Sendable {
    /// The property that is set.
    public let attribute: Attribute<Object>
    /// The value as a store keeps it.
    public let value: PrimitiveValue
    /// True if the property is only stored, so that setting it does nothing else. A property with an observer, such as `didSet`,
    /// is not, and neither is a computed one.
    package let isOfPlainProperty: Bool
    private let assign: @Sendable (inout Object) -> Void

    /// Sets a property to a value.
    public static func value<Value: Primitive>(
        _ property: WritableKeyPath<Object, Value> & Sendable, _ value: Value
    ) -> Assignment {
        Assignment(
            attribute: Attribute(property), value: value.primitiveValue,
            isOfPlainProperty: MemoryLayout<Object>.offset(of: property) != nil
        ) { $0[keyPath: property] = value }
    }

    private init(
        attribute: Attribute<Object>, value: PrimitiveValue, isOfPlainProperty: Bool,
        assign: @escaping @Sendable (inout Object) -> Void
    ) {
        self.attribute = attribute
        self.value = value
        self.isOfPlainProperty = isOfPlainProperty
        self.assign = assign
    }

    /// Sets the property of `object`.
    public func callAsFunction(_ object: inout Object) { assign(&object) }
}

/// Returns `object` with all assignments made. Throws if one of them changes the id, by which a store finds the object.
package func changed<Object: Identifiable & Sendable>(
    _ object: Object, by assignments: [Assignment<Object>]
) throws(StoreError) -> Object where Object.ID: Primitive {
    var changed = object
    for assignment in assignments { assignment(&changed) }
    guard changed.id == object.id else {
        throw .constraint(reason: "an update cannot change the id of an object; delete it and insert another one")
    }
    return changed
}
