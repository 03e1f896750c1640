// The path to the objects that a question asks for: by their ids, by an index, or through all objects.

extension MemoryTable {
    /// The objects to read, and the filter that tests them.
    struct Path {
        enum Candidates {
            case range(OrderedTable<Object>.Position, OrderedTable<Object>.Position)
            case ids([Object.ID])
        }

        var candidates: Candidates
        var filter: Filter<Object>
        /// The number of objects to read.
        var count: Int
        var description: String
    }

    /// Returns the path that reads the fewest objects for a question.
    func path(for question: Question<Object>) throws(StoreError) -> Path {
        let paged = question.pagedCondition(id: id)
        let filter = try Filter(paged)
        let condition = paged.erased.optimized
        let parts = if case .and(let parts) = condition.form { parts } else { [condition] }
        var best: (index: any MemoryIndexing<Object>, ranges: [AttributeRange], count: Int)?
        for part in parts {
            guard let (attribute, ranges) = part.ranges() else { continue }
            if ids.contains(attribute), let path = path(throughIDs: ranges, filter, part) { return path }
            guard let index = indexes.first(where: { $0.attribute.erased == attribute }) else { continue }
            let count = ranges.reduce(0) { $0 + index.estimatedCount(in: $1) }
            if count < best?.count ?? .max { best = (index, ranges, count) }
        }
        // Finding an object by its id takes about ten times as long as testing one in a scan.
        if let best, best.count < objects.count / 8 {
            var ids = best.ranges.flatMap { best.index.ids(in: $0) }
            operations.sortIDs(&ids)
            return Path(
                candidates: .ids(ids), filter: filter, count: best.count,
                description: "SEARCH \(best.count) of \(objects.count) objects by the index of \(best.index.attribute)")
        }
        return Path(
            candidates: .range(objects.start, objects.end), filter: filter, count: objects.count,
            description: "SCAN \(objects.count) objects")
    }

    private func path(throughIDs ranges: [AttributeRange], _ filter: Filter<Object>, _ part: AnyCondition) -> Path? {
        if case .membership(_, let values) = part.form {
            var ids = values.compactMap { Object.ID(primitiveValue: $0) }
            operations.sortIDs(&ids)
            return Path(candidates: .ids(ids), filter: filter, count: ids.count, description: "SEARCH \(ids.count) ids")
        }
        guard let range = ranges.first else { return nil }
        let start: OrderedTable<Object>.Position
        let end: OrderedTable<Object>.Position
        switch range.lower {
        case .open: start = objects.start
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

    /// Returns the objects of a path that pass its test.
    func elements(_ path: Path, offset: Int, limit: Int) -> [Object] {
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
