/// The functions of a memory store that must be fast, made where the compiler knows the type of the objects.
///
/// Generic code that the compiler cannot specialize for the type of the objects is many times slower.
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
            sortIDs: { ids in sortUnique(&ids) })
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

/// Sorts ids, and removes duplicates.
@inlinable
func sortUnique<ID: Primitive>(_ ids: inout [ID]) {
    ids.sort { ID.isOrdered($0, before: $1) }
    var kept = 0
    for index in ids.indices where kept == 0 || ID.isOrdered(ids[kept &- 1], before: ids[index]) {
        ids[kept] = ids[index]
        kept &+= 1
    }
    ids.removeSubrange(kept...)
}

/// Returns a part of the sorted objects. Objects that all comparisons find equal keep their order.
@inlinable
func sortedPage<Object>(of objects: [Object], by comparings: [Comparing], offset: Int, limit: Int) -> [Object] {
    objects.withUnsafeBytes { memory in
        guard let first = memory.baseAddress, offset < objects.count else { return [] }
        let stride = MemoryLayout<Object>.stride
        func isBefore(_ lhs: Int, _ rhs: Int) -> Bool {
            for comparing in comparings {
                let result = comparing(first + lhs &* stride, first + rhs &* stride)
                if result != 0 { return result < 0 }
            }
            // Sorting keeps the order of equal elements.
            return false
        }
        let end = offset &+ min(limit, objects.count &- offset)
        var order: [Int] = []
        if end < objects.count / 8 {
            // Only the first few of many objects are wanted, so at most about twice as many are kept and the rest is
            // dropped.
            let capacity = end &* 2 &+ 64
            var last: Int?
            for index in 0..<(end > 0 ? objects.count : 0) {
                if let last, !isBefore(index, last) { continue }
                order.append(index)
                guard order.count == capacity else { continue }
                order.sort(by: isBefore)
                order.removeSubrange(end...)
                last = order[end &- 1]
            }
        } else {
            order = Array(0..<objects.count)
        }
        order.sort(by: isBefore)
        return order[offset..<end].map { objects[$0] }
    }
}
