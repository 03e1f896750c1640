/// The changes of a write, collected if anybody observes.
struct MemoryChanges<Object: Sendable>: Sendable {
    let isObserved: Bool
    /// The objects that came or went, and those that were changed, as they were and as they are.
    private(set) var objects: [Object] = []
    private(set) var isEmpty = true

    init(isObserved: Bool) { self.isObserved = isObserved }

    mutating func note(_ object: @autoclosure () -> Object) {
        isEmpty = false
        if isObserved { objects.append(object()) }
    }
}

/// The objects of a memory store and their indexes; a value, whose copies readers read while others write.
struct MemoryTable<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private var objects = OrderedTable<Object>()
    private var indexes: [any MemoryIndexing<Object>]
    private var uniqueIndexes: [MemoryUniqueIndex<Object>]
    private let ids: IDAttributes<Object>
    private let operations: MemoryOperations<Object>
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

    var id: Attribute<Object> { ids.property }

    // MARK: - Writing

    mutating func insert(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects { try insert(object, &changes) }
    }

    mutating func update(_ objects: [Object], _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        for object in objects {
            guard let old = try replace(object) else { throw .missing(id: "\(object.id)") }
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
        let result = try MergePlan(
            of: objects, into: stored, isMatching: { matching.contains($0.id) }, isSame: isSame
        ).result
        delete(ids: result.deleted.lazy.map { $0.id }, &changes)
        try update(result.updated, &changes)
        try insert(result.inserted, &changes)
        return result
    }

    private mutating func insert(_ object: Object, _ changes: inout MemoryChanges<Object>) throws(StoreError) {
        if !uniqueIndexes.isEmpty, operations.find(objects, object.id) == nil {
            for index in uniqueIndexes { try index.check(object) }
        }
        guard operations.insert(&objects, object) else { throw .duplicate(id: "\(object.id)") }
        for index in indexes.indices { indexes[index].insert(object) }
        for index in uniqueIndexes.indices { uniqueIndexes[index].insert(object) }
        changes.note(object)
    }

    /// Replaces an object, and returns what it was, or nil if there is none with its id.
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

    // MARK: - Reading

    func object(withId id: Object.ID) -> Object? { operations.find(objects, id) }

    func execute(_ question: Question<Object>) throws(StoreError) -> [Object] {
        if let sole = question.soleID(ids) {
            return Object.ID(primitiveValue: sole).flatMap { operations.find(objects, $0) }.map { [$0] } ?? []
        }
        let path = try path(for: question)
        let criteria = criteria(of: question)
        let limit = question.limit ?? .max
        if criteria.isEmpty { return elements(path, offset: question.offset, limit: limit) }
        if let last = lastObjects(question, criteria) { return last }
        if let found = inIndexOrder(question, criteria, path) { return found }
        let found = elements(path, offset: 0, limit: .max)
        return operations.sort(found, criteria.map { $0.comparing }, question.offset, limit)
    }

    func count(_ question: Question<Object>) throws(StoreError) -> Int {
        let path = try path(for: Question(condition: question.condition))
        return switch path.candidates {
        case .range(let start, let end): operations.count(objects, path.filter, start, end)
        case .ids: elements(path, offset: 0, limit: .max).count
        }
    }

    func aggregate(
        _ aggregate: Aggregate<Object>, _ question: Question<Object>
    ) throws(StoreError) -> [[PrimitiveValue]] {
        let path = try path(for: Question(condition: question.condition))
        return try aggregate.rows(of: elements(path, offset: 0, limit: .max))
    }

    func plan(_ question: Question<Object>) throws(StoreError) -> QueryPlan {
        let path = try path(for: question)
        var steps = [path.description]
        let condition = question.pagedCondition(id: id).optimized
        if condition != .always { steps.append("FILTER \(condition)") }
        let criteria = criteria(of: question)
        if let index = orderIndex(question, criteria, path) {
            steps[0] = "READ in the order of the index of \(index.attribute)"
        } else if !criteria.isEmpty {
            steps.append("SORT by \(criteria.map(\.description).joined(separator: ", then "))")
        }
        return QueryPlan(steps: steps)
    }

    // MARK: - Order

    /// The criteria that sort more than the order of the ids does, in which objects lie.
    private func criteria(of question: Question<Object>) -> [SortCriterion<Object>] {
        guard let id = question.criteria.firstIndex(where: { ids.contains($0.attribute) }) else {
            return question.criteria
        }
        return Array(question.criteria[..<(question.criteria[id].order == .ascending ? id : id + 1)])
    }

    /// The answer if the objects with the largest ids are asked for, and nothing else.
    private func lastObjects(_ question: Question<Object>, _ criteria: [SortCriterion<Object>]) -> [Object]? {
        guard criteria.count == 1, ids.contains(criteria[0].attribute), question.condition.form == .constant(true),
            question.after == nil, let limit = question.limit
        else { return nil }
        var found: [Object] = []
        let wanted = wanted(question, limit)
        for block in objects.blocks.reversed() where found.count < wanted { found += block.reversed() }
        return Array(found.dropFirst(question.offset).prefix(limit))
    }

    /// The index in whose order a page is found without looking at most objects, or nil.
    private func orderIndex(
        _ question: Question<Object>, _ criteria: [SortCriterion<Object>], _ path: Path
    ) -> (any MemoryIndexing<Object>)? {
        guard let first = criteria.first, let limit = question.limit, wanted(question, limit) < path.count / 8 else {
            return nil
        }
        return indexes.first { $0.attribute == first.attribute }
    }

    private func wanted(_ question: Question<Object>, _ limit: Int) -> Int {
        let (wanted, overflow) = limit.addingReportingOverflow(question.offset)
        return overflow ? .max : wanted
    }

    /// The answer, read in the order of an index; nil if there is none, or if too few objects pass to find the page soon.
    private func inIndexOrder(
        _ question: Question<Object>, _ criteria: [SortCriterion<Object>], _ path: Path
    ) -> [Object]? {
        guard let index = orderIndex(question, criteria, path), let limit = question.limit else { return nil }
        let wanted = wanted(question, limit)
        let rest = criteria.dropFirst().map { $0.comparing }
        var found: [Object] = []
        var tied: [Object] = []
        var visited = 0
        var isTooSlow = false
        index.visit(
            descending: criteria[0].order == .descending, nilFirst: criteria[0].nilPlace == .first, from: question.after
        ) { ids, isLast in
            visited += ids.count
            isTooSlow = visited > max(4096, path.count / 8)
            for id in ids where !rest.isEmpty || found.count + tied.count < wanted {
                if let object = operations.find(objects, id), path.filter.passes(object) { tied.append(object) }
            }
            if isLast || rest.isEmpty {
                found += rest.isEmpty ? tied : operations.sort(tied, rest, 0, .max)
                tied = []
            }
            return !isTooSlow && found.count < wanted
        }
        if isTooSlow, found.count < wanted { return nil }
        return Array(found.dropFirst(question.offset).prefix(limit))
    }

    // MARK: - Planning

    /// The objects that are looked at, and how they are tested.
    private struct Path {
        enum Candidates {
            case range(OrderedTable<Object>.Position, OrderedTable<Object>.Position)
            case ids([Object.ID])
        }

        var candidates: Candidates
        var filter: Filter<Object>
        /// The number of objects that are looked at.
        var count: Int
        var description: String
    }

    private func path(for question: Question<Object>) throws(StoreError) -> Path {
        let paged = question.pagedCondition(id: id)
        let filter = try Filter(paged)
        let condition = paged.optimized
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var best: (index: any MemoryIndexing<Object>, ranges: [AttributeRange], count: Int)?
        for part in parts {
            guard let (attribute, ranges) = part.ranges() else { continue }
            if ids.contains(attribute), let path = path(throughIDs: ranges, filter, part) { return path }
            guard let index = indexes.first(where: { $0.attribute == attribute }) else { continue }
            let count = ranges.reduce(0) { $0 + index.estimatedCount(in: $1) }
            if count < best?.count ?? .max { best = (index, ranges, count) }
        }
        // An object found by its id costs about ten times one that is passed by on the way through all.
        if let best, best.count < objects.count / 8 {
            var ids = best.ranges.flatMap { best.index.ids(in: $0) }
            operations.sortIDs(&ids)
            return Path(
                candidates: .ids(ids), filter: filter, count: best.count,
                description: "SEARCH \(best.count) of \(objects.count) objects by the index of \(best.index.attribute)")
        }
        return Path(
            candidates: .range(OrderedTable.Position(block: 0, index: 0), objects.end), filter: filter,
            count: objects.count,
            description: "SCAN \(objects.count) objects")
    }

    private func path(throughIDs ranges: [AttributeRange], _ filter: Filter<Object>, _ part: Condition<Object>) -> Path?
    {
        if case .membership(_, let values) = part.form {
            var ids = values.compactMap { Object.ID(primitiveValue: $0) }
            operations.sortIDs(&ids)
            return Path(candidates: .ids(ids), filter: filter, count: ids.count, description: "SEARCH \(ids.count) ids")
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
        let count = objects.estimatedCount(from: start, to: end)
        return Path(
            candidates: .range(start, end), filter: filter, count: count,
            description: "SEARCH \(count) of \(objects.count) objects by id")
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
