import Persistence

/// The rows of a server's answer, in their order, without those that cannot be read.
struct PostgRESTPage<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    var objects: [Object]
    /// The rows that are left out.
    var unreadable: [UnreadableRow] = []

    /// The number of rows, also of those that are left out.
    var count: Int { objects.count + unreadable.count }

    /// The id of the first row.
    var firstID: PrimitiveValue? {
        if let row = unreadable.first, row.index == 0 { return row.id }
        return objects.first?.id.primitiveValue
    }

    /// The index of the row with an id.
    func index(of id: PrimitiveValue) -> Int? {
        if let row = unreadable.first(where: { $0.id == id }) { return row.index }
        guard var index = objects.firstIndex(where: { $0.id.primitiveValue == id }) else { return nil }
        for row in unreadable where row.index <= index { index += 1 }
        return index
    }

    /// Returns the page without its first rows.
    func dropFirst(_ count: Int) -> PostgRESTPage {
        var rest = self
        rest.unreadable.removeAll { $0.index < count }
        rest.objects.removeFirst(min(count - (unreadable.count - rest.unreadable.count), objects.count))
        for row in rest.unreadable.indices { rest.unreadable[row].index -= count }
        return rest
    }

    /// Returns the page without the row with an id.
    func removing(_ id: PrimitiveValue) -> PostgRESTPage {
        guard let index = index(of: id) else { return self }
        var rest = self
        rest.objects.removeAll { $0.id.primitiveValue == id }
        rest.unreadable.removeAll { $0.index == index }
        for row in rest.unreadable.indices where rest.unreadable[row].index > index { rest.unreadable[row].index -= 1 }
        return rest
    }

    /// Returns the values of some attributes in the last row that has them.
    func last(_ attributes: [Attribute<Object>], in schema: Schema<Object>) -> [PrimitiveValue]? {
        var index = count
        for row in unreadable.reversed() {
            index -= 1
            guard row.index == index else { break }
            let values = attributes.compactMap { row.value(of: $0, in: schema) }
            if values.count == attributes.count { return values }
        }
        return objects.last.map { object in attributes.map { $0.value(in: object) } }
    }
}

/// A row that is not an object.
struct UnreadableRow: Error {
    /// The number of rows before it in the page.
    var index: Int
    /// The values of the columns; nil for those of another kind.
    let values: [PrimitiveValue?]
    let object: UnreadableObject

    var id: PrimitiveValue? { values[0] }

    func isRow<ID: Primitive & Equatable>(of id: ID) -> Bool { self.id.flatMap(ID.init(primitiveValue:)) == id }

    /// Returns the value of an attribute; nil if the row does not have one of its kind.
    fileprivate func value<Object>(of attribute: Attribute<Object>, in schema: Schema<Object>) -> PrimitiveValue? {
        guard let name = schema.column(for: attribute)?.name,
            let value = schema.columns.firstIndex(where: { $0.name == name }).flatMap({ values[$0] })
        else { return nil }
        return value == .null && !attribute.isOptional ? nil : value
    }
}
