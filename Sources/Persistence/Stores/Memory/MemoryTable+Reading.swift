extension MemoryTable {
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
        return sort(found, criteria, question.offset, limit)
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

    private func sort(
        _ objects: [Object], _ criteria: [SortCriterion<Object>], _ offset: Int, _ limit: Int
    ) -> [Object] {
        sortedPageByValues(of: objects, by: criteria, offset: offset, limit: limit)
            ?? operations.sort(objects, criteria.map { $0.comparing }, offset, limit)
    }

    /// Returns the criteria that change the order of the ids, in which the objects are stored.
    private func criteria(of question: Question<Object>) -> [SortCriterion<Object>] {
        guard let id = question.criteria.firstIndex(where: { ids.contains($0.attribute.erased) }) else {
            return question.criteria
        }
        return Array(question.criteria[..<(question.criteria[id].order == .ascending ? id : id + 1)])
    }

    /// Returns the answer if the question only asks for the objects with the largest ids; nil otherwise.
    private func lastObjects(_ question: Question<Object>, _ criteria: [SortCriterion<Object>]) -> [Object]? {
        guard let first = criteria.first, ids.contains(first.attribute.erased), question.condition.erased.isAlways,
            question.after == nil, let limit = question.limit
        else { return nil }
        var found: [Object] = []
        let wanted = wanted(question, limit)
        for block in objects.blocks.reversed() where found.count < wanted { found += block.reversed() }
        return Array(found.dropFirst(question.offset).prefix(limit))
    }

    /// Returns the index in whose order a page is found without reading most objects, or nil.
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

    /// Returns the answer, read in the order of an index; nil if there is no index, or if so few objects pass that a
    /// scan is faster.
    private func inIndexOrder(
        _ question: Question<Object>, _ criteria: [SortCriterion<Object>], _ path: Path
    ) -> [Object]? {
        guard let index = orderIndex(question, criteria, path), let limit = question.limit else { return nil }
        let wanted = wanted(question, limit)
        let rest = Array(criteria.dropFirst())
        var found: [Object] = []
        var tied: [Object] = []
        var visited = 0
        var isTooSlow: Bool { found.count < wanted && visited > max(4096, path.count / 8) }
        index.visit(
            descending: criteria[0].order == .descending, nilFirst: criteria[0].nilPlace == .first, from: question.after
        ) { ids, isLast in
            visited += ids.count
            for id in ids where !rest.isEmpty || found.count + tied.count < wanted {
                if let object = operations.find(objects, id), path.filter.passes(object) { tied.append(object) }
            }
            if isLast || rest.isEmpty {
                found += rest.isEmpty ? tied : sort(tied, rest, 0, .max)
                tied = []
            }
            return found.count < wanted && !isTooSlow
        }
        if isTooSlow { return nil }
        return Array(found.dropFirst(question.offset).prefix(limit))
    }
}
