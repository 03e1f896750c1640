import Feedback
import Persistence

/// The steps that answer one query: requests to the server, and the work that is left for the store.
struct PostgRESTReading<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    typealias Store = PostgRESTStore<Object>

    private let query: Query<Store>
    private let store: Store
    /// The condition of the query, including the start of its page.
    private let condition: Condition<Object>
    private let translation: PostgRESTTranslation
    /// The order of the server: by ids alone if it cannot sort as the query wants.
    private let criteria: [SortCriterion<Object>]
    private let order: [String]

    private var configuration: Store.Configuration { store.configuration }
    private var key: String { store.schema.id.name }
    private var isSorted: Bool { criteria == query.sortCriteria }

    init(_ query: Query<Store>) throws(StoreError) {
        store = query.store
        let (schema, configuration) = (store.schema, store.configuration)
        let isSortable =
            configuration.textOrder == .codePoints || !query.sortCriteria.contains { $0.attribute.kind == .text }
        self.query = query
        condition = query.pagedCondition(id: schema.id.attribute)
        translation = try PostgRESTTranslation(condition, in: schema, textOrder: configuration.textOrder)
            .fitting(configuration.maximumConditionLength / 2, key: schema.id.name)
        // A criterion that is not sent must have a column too.
        let order = try PostgRESTQuery.order(by: query.sortCriteria, in: schema)
        criteria = isSortable ? query.sortCriteria : []
        self.order = isSortable ? order : try PostgRESTQuery.order(by: [], in: schema)
    }

    // MARK: - Answering

    func answer() async throws(StoreError) -> [Object] {
        let filter = try condition.compiled()
        if translation.condition == .never || query.limit == 0 { return [] }
        if !isSorted { return try query.answer(from: try await all(passing: filter)) }
        if translation.isExact { return try await rows(limit: query.limit, offset: query.offset) }

        // The first request asks for as many rows as would be enough if all of them passed.
        let limit = query.limit ?? .max
        let wanted = query.limit.map { $0.addingReportingOverflow(query.offset) }
        var found: [Object] = []
        try await forEachBatch(firstSize: wanted.map { $0.overflow ? .max : $0.partialValue }) { batch in
            found += batch.filter(filter)
            return found.count - query.offset < limit
        }
        return Array(found.dropFirst(query.offset).prefix(limit))
    }

    func count() async throws(StoreError) -> Int {
        let filter = try condition.compiled()
        if translation.condition == .never { return 0 }
        if translation.isExact { return try await store.fetchCount(translation.condition) }
        return try await all(passing: filter).count
    }

    var plan: QueryPlan {
        if translation.condition == .never {
            return QueryPlan(steps: ["no request, since no object can match"])
        }
        let isPaged = isSorted && translation.isExact
        let request = PostgRESTQuery(
            key: key, condition: translation.condition, order: order, limit: isPaged ? query.limit : nil,
            offset: isPaged ? query.offset : 0)
        let items = request.items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
        var steps = ["GET \(store.schema.name)?\(items)"]
        if !translation.isExact { steps.append("FILTER in the store by \(condition)") }
        if !isSorted { steps.append("SORT in the store") }
        if !isPaged, query.limit != nil || query.offset > 0 { steps.append("PAGE in the store") }
        return QueryPlan(steps: steps)
    }

    // MARK: - Work in the store

    private func all(passing filter: (Object) -> Bool) async throws(StoreError) -> [Object] {
        var found: [Object] = []
        try await forEachBatch(firstSize: nil) { batch in
            found += batch.filter(filter)
            return true
        }
        return found
    }

    // MARK: - Requests

    /// Calls `body` with the rows of the condition, in batches, until it returns false.
    private func forEachBatch(firstSize: Int?, _ body: ([Object]) -> Bool) async throws(StoreError) {
        var pages = Pages(self)
        var lookedAt = 0
        var size = min(firstSize ?? .max, configuration.rowsPerRequest)
        while true {
            let batch = try await pages.next(size)
            if batch.isEmpty { return }
            guard lookedAt < configuration.maximumLookedAt else {
                throw .refused(
                    reason: "the condition \(condition) has no exact form in the server's dialect, and more than "
                        + "\(configuration.maximumLookedAt) rows would have to be fetched to filter them in the store; "
                        + "narrow the condition, or raise maximumLookedAt in the store's configuration")
            }
            lookedAt += batch.count
            if !body(batch) { return }
            size = configuration.rowsPerRequest
        }
    }

    private func rows(limit: Int?, offset: Int) async throws(StoreError) -> [Object] {
        var pages = Pages(self, offset: offset)
        var rows: [Object] = []
        while rows.count < limit ?? .max {
            let batch = try await pages.next(min((limit ?? .max) - rows.count, configuration.rowsPerRequest))
            // A server may return fewer rows than it was asked for, so only an empty page is the end.
            if batch.isEmpty { break }
            rows += batch
        }
        return rows
    }

    /// The rows of the condition, in pages. Each request begins after the last row of the one before, so that rows
    /// which are added or removed meanwhile do not shift the pages.
    private struct Pages {
        private let reading: PostgRESTReading
        private var last: Object?
        private var offset: Int
        /// The number of pages by offset in a row that had nothing new.
        private var repetitions = 0

        init(_ reading: PostgRESTReading, offset: Int = 0) {
            self.reading = reading
            self.offset = offset
        }

        /// Returns the next rows, about as many as asked for; none at the end.
        mutating func next(_ size: Int) async throws(StoreError) -> [Object] {
            var request = PostgRESTQuery(
                key: reading.key, condition: reading.translation.condition, order: reading.order, limit: size,
                offset: offset)
            guard let last else { return advance(over: try await reading.store.fetch(request)) }
            let following = try reading.following(last)
            guard following.isExact else { return try await next(size, after: last) }
            request.condition = .joined(all: [request.condition, following.condition])
            request.offset = 0
            let rows = try await reading.store.fetch(request)
            // A row that was changed meanwhile may have moved to a later page.
            if let row = rows.last, row.id == last.id,
                reading.criteria.allSatisfy({ $0.attribute.value(in: row) == $0.attribute.value(in: last) })
            {
                throw .repeatedPage(of: reading.store.schema.name)
            }
            return advance(over: rows)
        }

        /// Returns the rows after this one, if the server can only count rows.
        ///
        /// The request begins with the last row of the page before, since rows that are added or removed before it shift
        /// the pages. If some were added, the row is at a later place. If some were removed, it is not found there, and
        /// rows after it may be missing.
        private mutating func next(_ size: Int, after last: Object) async throws(StoreError) -> [Object] {
            var request = PostgRESTQuery(
                key: reading.key, condition: reading.translation.condition, order: reading.order,
                limit: size == .max ? .max : size + 1, offset: offset - 1)
            var skipped: Object.ID?
            while true {
                let page = try await reading.store.fetch(request)
                guard let first = page.first else { throw .shiftedPage(of: reading.store.schema.name) }
                guard let index = page.firstIndex(where: { $0.id == last.id }) else {
                    if first.id == skipped { throw .repeatedPage(of: reading.store.schema.name) }
                    skipped = first.id
                    request.offset += page.count
                    continue
                }
                offset = request.offset + index + 1
                let rows = Array(page.dropFirst(index + 1))
                if !rows.isEmpty {
                    repetitions = 0
                    return advance(over: rows)
                }
                // This is the end, or the server returns few rows at once, or it does not count.
                request.offset = offset
                if index == 0 {
                    return advance(over: try await reading.store.fetch(request).filter { $0.id != last.id })
                }
                repetitions += 1
                if repetitions == 3 { throw .repeatedPage(of: reading.store.schema.name) }
                request.offset -= 1
            }
        }

        private mutating func advance(over rows: [Object]) -> [Object] {
            last = rows.last ?? last
            offset += rows.count
            return rows
        }
    }

    /// Returns the condition of the objects that come after this one in the server's order.
    private func following(_ object: Object) throws(StoreError) -> PostgRESTTranslation {
        let query = criteria.reduce(store.all().page(after: object)) { $0.sorted(by: $1) }
        return try PostgRESTTranslation(
            query.pagedCondition(id: store.schema.id.attribute), in: store.schema, textOrder: configuration.textOrder
        ).fitting(configuration.maximumConditionLength / 2, key: key)
    }
}
