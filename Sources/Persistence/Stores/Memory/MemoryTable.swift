/// The changes of a write; the objects are collected only if there are observers.
struct MemoryChanges<Object: Sendable>: Sendable {
    let isObserved: Bool
    /// The objects that were inserted or deleted, and those that were changed, before and after the change.
    private(set) var objects: [Object] = []
    private(set) var isEmpty = true

    init(isObserved: Bool) { self.isObserved = isObserved }

    mutating func note(_ object: @autoclosure () -> Object) {
        isEmpty = false
        if isObserved { objects.append(object()) }
    }

    /// The state of the changes at one moment. It is not a copy of them, so that to add to them still copies nothing.
    struct Mark {
        fileprivate let count: Int
        fileprivate let isEmpty: Bool
    }

    var mark: Mark { Mark(count: objects.count, isEmpty: isEmpty) }

    /// Forgets the changes since a mark.
    mutating func undo(to mark: Mark) {
        objects.removeSubrange(mark.count...)
        isEmpty = mark.isEmpty
    }
}

/// The objects of a memory store and their indexes. It is a value: readers read a copy while others write.
struct MemoryTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    var objects = OrderedTable<Object>()
    var indexes: [any MemoryIndexing<Object>]
    private var uniqueIndexes: [MemoryUniqueIndex<Object>]
    let ids: IDAttributes
    let operations: MemoryOperations<Object>
    private let isSame: @Sendable (Object, Object) -> Bool

    init(
        id: Attribute<Object>, indexes: [any MemoryIndexing<Object>], uniqueIndexes: [MemoryUniqueIndex<Object>],
        operations: MemoryOperations<Object>, isSame: @escaping @Sendable (Object, Object) -> Bool
    ) {
        ids = IDAttributes(id)
        self.indexes = indexes
        self.uniqueIndexes = uniqueIndexes
        self.operations = operations
        self.isSame = isSame
    }

    var id: Attribute<Object> { Attribute(erased: ids.property) }

    // MARK: - Writing

    mutating func insert(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects { try insert(object, &changes) }
    }

    mutating func update(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects {
            guard let old = try replace(object) else { throw .missing(id: object.id.printed) }
            changes.note(old)
            changes.note(object)
        }
    }

    mutating func upsert(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects {
            if let old = try replace(object) {
                changes.note(old)
                changes.note(object)
            } else {
                try insert(object, &changes)
            }
        }
    }

    @discardableResult
    mutating func delete(ids: some Sequence<Object.ID>, _ changes: inout MemoryChanges<Object>) -> Int {
        var count = 0
        for id in ids {
            guard let old = operations.remove(&objects, id) else { continue }
            for index in indexes.indices { indexes[index].remove(old) }
            for index in uniqueIndexes.indices { uniqueIndexes[index].remove(old) }
            changes.note(old)
            count += 1
        }
        return count
    }

    mutating func delete(
        where condition: Condition<Object>, _ changes: inout MemoryChanges<Object>
    ) throws(StoreError) -> Int {
        delete(ids: try execute(Question(condition: condition)).lazy.map { $0.id }, &changes)
    }

    mutating func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>],
        _ changes: inout MemoryChanges<Object>
    ) throws(StoreError) -> Int {
        var objects: [Object] = []
        for object in try execute(Question(condition: condition)) {
            objects.append(try changed(object, by: assignments))
        }
        try update(objects, &changes)
        return objects.count
    }

    mutating func merge(
        _ objects: [Object], where condition: Condition<Object>, _ changes: inout MemoryChanges<Object>
    ) throws(StoreError) -> MergeResult<Object> {
        var stored = try execute(Question(condition: condition))
        let matching = Set(stored.map { $0.id })
        for object in objects where !matching.contains(object.id) {
            if let other = self.object(withId: object.id) { stored.append(other) }
        }
        let plan = try MergePlan(
            of: objects, into: stored, uniques: uniqueIndexes.map(\.attributes),
            isMatching: { matching.contains($0.id) }, isSame: isSame)
        delete(ids: plan.deleted, &changes)
        try update(plan.updated, &changes)
        try insert(plan.inserted, &changes)
        return plan.result
    }

    private mutating func insert(_ object: Object, _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        if !uniqueIndexes.isEmpty, operations.find(objects, object.id) == nil {
            for index in uniqueIndexes { try index.check(object) }
        }
        guard operations.insert(&objects, object) else { throw .duplicate(id: object.id.printed) }
        for index in indexes.indices { indexes[index].insert(object) }
        for index in uniqueIndexes.indices { uniqueIndexes[index].insert(object) }
        changes.note(object)
    }

    /// Replaces an object, and returns the old one; returns nil if there is none with its id.
    private mutating func replace(_ object: Object) throws(StoreError) -> Object? {
        if !uniqueIndexes.isEmpty, operations.find(objects, object.id) != nil {
            for index in uniqueIndexes { try index.check(object) }
        }
        guard let old = operations.replace(&objects, object) else { return nil }
        for index in indexes.indices {
            indexes[index].remove(old)
            indexes[index].insert(object)
        }
        for index in uniqueIndexes.indices {
            uniqueIndexes[index].remove(old)
            uniqueIndexes[index].insert(object)
        }
        return old
    }
}
