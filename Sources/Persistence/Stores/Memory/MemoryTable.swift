/// The objects of a memory store and their indexes; a value, whose copies readers read while others write.
struct MemoryTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private var objects = OrderedTable<Object>()
    private var indexes: [any MemoryIndexing<Object>]
    private let ids: IDAttributes<Object>
    private let operations: MemoryOperations<Object>

    init(id: Attribute<Object>, indexes: [any MemoryIndexing<Object>], operations: MemoryOperations<Object>) {
        ids = IDAttributes(id)
        self.indexes = indexes
        self.operations = operations
    }

    // MARK: - Writing

    mutating func insert(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects { try insert(object, &changes) }
    }

    mutating func update(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects {
            guard let old = replace(object) else { throw .missing(id: "\(object.id)") }
            changes.note(old)
            changes.note(object)
        }
    }

    mutating func upsert(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects {
            if let old = replace(object) {
                changes.note(old)
                changes.note(object)
            } else {
                try insert(object, &changes)
            }
        }
    }

    mutating func delete(_ objects: [Object], _ changes: inout MemoryChanges<Object>) {
        for object in objects {
            guard let old = operations.remove(&self.objects, object.id) else { continue }
            for index in indexes.indices { indexes[index].remove(old) }
            changes.note(old)
        }
    }

    private mutating func insert(_ object: Object, _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        guard operations.insert(&objects, object) else { throw .duplicate(id: "\(object.id)") }
        for index in indexes.indices { indexes[index].insert(object) }
        changes.note(object)
    }

    /// Replaces an object, and returns what it was.
    private mutating func replace(_ object: Object) -> Object? {
        guard let old = operations.replace(&objects, object) else { return nil }
        for index in indexes.indices {
            indexes[index].remove(old)
            indexes[index].insert(object)
        }
        return old
    }

    // MARK: - Reading

    func object(withId id: Object.ID) -> Object? { operations.find(objects, id) }

    func execute(_ question: Question<Object>) throws(StoreError) -> [Object] {
        if let sole = question.soleID(ids) {
            return Object.ID(primitiveValue: sole).flatMap { operations.find(objects, $0) }.map { [$0] } ?? []
        }
        let path = try path(for: question)
        let isSorted = question.criteria.isEmpty
        let limit = question.limit ?? .max
        if isSorted { return elements(path, offset: question.offset, limit: limit) }
        let found = elements(path, offset: 0, limit: .max)
        return operations.sort(found, question.criteria.map(\.comparing), question.offset, limit)
    }

    func count(_ question: Question<Object>) throws(StoreError) -> Int {
        let path = try path(for: Question(condition: question.condition))
        switch path.candidates {
        case .range(let start, let end): return operations.count(objects, path.filter, start, end)
        case .ids: return elements(path, offset: 0, limit: .max).count
        }
    }

    func plan(_ question: Question<Object>) throws(StoreError) -> QueryPlan {
        let path = try path(for: question)
        var steps = [path.description]
        let condition = question.pagedCondition(id: ids.property).optimized
        if condition != .always { steps.append("FILTER \(condition)") }
        if !question.criteria.isEmpty {
            steps.append("SORT by \(question.criteria.map(\.description).joined(separator: ", then "))")
        }
        return QueryPlan(steps: steps)
    }

    // MARK: - Planning

    /// Which objects are looked at, and how they are tested.
    private struct Path {
        enum Candidates {
            case range(OrderedTable<Object>.Position, OrderedTable<Object>.Position)
            case ids([Object.ID])
        }

        var candidates: Candidates
        var filter: Filter<Object>
        var description: String
    }

    private func path(for question: Question<Object>) throws(StoreError) -> Path {
        let condition = question.pagedCondition(id: ids.property).optimized
        let filter = try Filter(condition)
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var best: (index: any MemoryIndexing<Object>, ranges: [AttributeRange], count: Int)?
        for part in parts {
            guard let (attribute, ranges) = part.ranges() else { continue }
            if ids.contains(attribute), let path = path(throughIDs: ranges, filter, part) { return path }
            guard let index = indexes.first(where: { $0.attribute == attribute }) else { continue }
            let count = ranges.reduce(0) { $0 + index.count(in: $1) }
            if count < best?.count ?? .max { best = (index, ranges, count) }
        }
        // An object found by its id costs about ten times one that is passed by on the way through all.
        if let best, best.count < objects.count / 8 {
            var ids = best.ranges.flatMap { best.index.ids(in: $0) }
            operations.sortIDs(&ids)
            return Path(
                candidates: .ids(ids), filter: filter,
                description: "SEARCH \(best.count) of \(objects.count) objects by the index of \(best.index.attribute)")
        }
        return Path(
            candidates: .range(OrderedTable.Position(block: 0, index: 0), objects.end), filter: filter,
            description: "SCAN \(objects.count) objects")
    }

    private func path(throughIDs ranges: [AttributeRange], _ filter: Filter<Object>, _ part: Condition<Object>) -> Path?
    {
        if case .membership(_, let values) = part.form {
            var ids = values.compactMap { Object.ID(primitiveValue: $0) }
            operations.sortIDs(&ids)
            return Path(candidates: .ids(ids), filter: filter, description: "SEARCH \(ids.count) ids")
        }
        guard let range = ranges.first else { return nil }
        let start: OrderedTable<Object>.Position
        let end: OrderedTable<Object>.Position
        switch range.lower {
        case .open: start = OrderedTable.Position(block: 0, index: 0)
        case .including(let bound), .excluding(let bound):
            guard let bound = Object.ID(primitiveValue: bound) else { return nil }
            start = objects.partition { Object.ID.isOrdered($0, before: bound) }
        }
        switch range.upper {
        case .open: end = objects.end
        case .including(let bound), .excluding(let bound):
            guard let bound = Object.ID(primitiveValue: bound) else { return nil }
            end = objects.partition { !Object.ID.isOrdered(bound, before: $0) }
        }
        return Path(
            candidates: .range(start, end), filter: filter,
            description: "SEARCH \(objects.count(from: start, to: end)) of \(objects.count) objects by id")
    }

    private func elements(_ path: Path, offset: Int, limit: Int) -> [Object] {
        switch path.candidates {
        case .range(let start, let end): return operations.scan(objects, path.filter, start, end, offset, limit)
        case .ids(let ids):
            var found: [Object] = []
            var toSkip = offset
            for id in ids where found.count < limit {
                guard let object = operations.find(objects, id), path.filter.passes(object) else { continue }
                if toSkip > 0 { toSkip -= 1 } else { found.append(object) }
            }
            return found
        }
    }
}
