/// What is hot in a memory store, made where the type of its objects is known to the compiler.
///
/// A store that is reached through a generic parameter is else compiled for no type in particular, and many times slower.
@usableFromInline
struct MemoryOperations<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    @usableFromInline typealias Table = OrderedTable<Object>

    let find: @Sendable (Table, Object.ID) -> Object?
    let insert: @Sendable (inout Table, Object) -> Bool
    let replace: @Sendable (inout Table, Object) -> Object?
    let remove: @Sendable (inout Table, Object.ID) -> Object?
    let scan: @Sendable (Table, Filter<Object>, Table.Position, Table.Position, Int, Int) -> [Object]
    let count: @Sendable (Table, Filter<Object>, Table.Position, Table.Position) -> Int
    let sort: @Sendable ([Object], [Comparing], Int, Int) -> [Object]
    let sortIDs: @Sendable (inout [Object.ID]) -> Void

    @inlinable
    static func make() -> MemoryOperations {
        MemoryOperations(
            find: { table, id in table.find(id) },
            insert: { table, object in table.insert(object) },
            replace: { table, object in table.replace(object) },
            remove: { table, id in table.remove(id) },
            scan: { table, filter, start, end, offset, limit in
                table.elements(passing: filter, from: start, to: end, offset: offset, limit: limit)
            },
            count: { table, filter, start, end in table.count(passing: filter, from: start, to: end) },
            sort: { objects, comparings, offset, limit in
                sortedPage(of: objects, by: comparings, offset: offset, limit: limit)
            },
            sortIDs: { ids in ids.sort { Object.ID.isOrdered($0, before: $1) } })
    }

    @usableFromInline
    init(
        find: @escaping @Sendable (Table, Object.ID) -> Object?,
        insert: @escaping @Sendable (inout Table, Object) -> Bool,
        replace: @escaping @Sendable (inout Table, Object) -> Object?,
        remove: @escaping @Sendable (inout Table, Object.ID) -> Object?,
        scan: @escaping @Sendable (Table, Filter<Object>, Table.Position, Table.Position, Int, Int) -> [Object],
        count: @escaping @Sendable (Table, Filter<Object>, Table.Position, Table.Position) -> Int,
        sort: @escaping @Sendable ([Object], [Comparing], Int, Int) -> [Object],
        sortIDs: @escaping @Sendable (inout [Object.ID]) -> Void
    ) {
        self.find = find
        self.insert = insert
        self.replace = replace
        self.remove = remove
        self.scan = scan
        self.count = count
        self.sort = sort
        self.sortIDs = sortIDs
    }
}

/// A part of the objects as several comparisons sort them; those that all find equal stay in their order.
@inlinable
func sortedPage<Object>(of objects: [Object], by comparings: [Comparing], offset: Int, limit: Int) -> [Object] {
    objects.withUnsafeBytes { memory in
        guard let first = memory.baseAddress, offset < objects.count else { return [] }
        let stride = MemoryLayout<Object>.stride
        var order = Array(0..<objects.count)
        order.sort { lhs, rhs in
            for comparing in comparings {
                let result = comparing(first + lhs &* stride, first + rhs &* stride)
                if result != 0 { return result < 0 }
            }
            return lhs < rhs
        }
        let end = limit < objects.count &- offset ? offset &+ limit : objects.count
        return order[offset..<end].map { objects[$0] }
    }
}
