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
    /// `true` to leave out rows that cannot be read; `false` to fail.
    private let isLenient: Bool

    private var configuration: Store.Configuration { store.configuration }
    private var key: String { store.schema.id.name }
    private var isSorted: Bool { criteria == query.sortCriteria }

    init(_ query: Query<Store>, isLenient: Bool = false) throws(StoreError) {
        self.isLenient = isLenient
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

    func answer() async throws(StoreError) -> [Object] { try await readableAnswer().objects }

    func readableAnswer() async throws(StoreError) -> ReadableAnswer<Object> {
        let filter = try condition.compiled()
        if translation.condition == .never || query.limit == 0 { return ReadableAnswer(objects: []) }
        if !isSorted {
            var answer = try await all(passing: filter)
            answer.objects = try query.answer(from: answer.objects)
            return answer
        }
        if translation.isExact { return try await rows(limit: query.limit, offset: query.offset) }

        // The first request asks for as many rows as would be enough if all of them passed.
        let limit = query.limit ?? .max
        let wanted = query.limit.map { $0.addingReportingOverflow(query.offset) }
        var found: [Object] = []
        let leftOut = try await forEachBatch(firstSize: wanted.map { $0.overflow ? .max : $0.partialValue }) { batch in
            found += batch.filter(filter)
            return found.count - query.offset < limit
        }
        return ReadableAnswer(objects: Array(found.dropFirst(query.offset).prefix(limit)), leftOut: leftOut)
    }

    func count() async throws(StoreError) -> Int {
        let filter = try condition.compiled()
        if translation.condition == .never { return 0 }
        if translation.isExact { return try await store.fetchCount(translation.condition) }
        return try await all(passing: filter).objects.count
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

    private func all(passing filter: (Object) -> Bool) async throws(StoreError) -> ReadableAnswer<Object> {
        var found: [Object] = []
        let leftOut = try await forEachBatch(firstSize: nil) { batch in
            found += batch.filter(filter)
            return true
        }
        return ReadableAnswer(objects: found, leftOut: leftOut)
    }

    // MARK: - Requests

    /// Calls `body` with the rows of the condition, in batches, until it returns false. Returns the rows that were left
    /// out.
    private func forEachBatch(
        firstSize: Int?, _ body: ([Object]) -> Bool
    ) async throws(StoreError) -> [UnreadableObject] {
        var pages = Pages(self)
        var lookedAt = 0
        var size = min(firstSize ?? .max, configuration.rowsPerRequest)
        while true {
            let batch = try await pages.next(size)
            if batch.count == 0 { return pages.leftOut }
            guard lookedAt < configuration.maximumLookedAt else {
                throw .refused(
                    reason: "the condition \(condition) has no exact form in the server's dialect, and more than "
                        + "\(configuration.maximumLookedAt) rows would have to be fetched to filter them in the store; "
                        + "narrow the condition, or raise maximumLookedAt in the store's configuration")
            }
            lookedAt += batch.count
            if !body(batch.objects) { return pages.leftOut }
            size = configuration.rowsPerRequest
        }
    }

    private func rows(limit: Int?, offset: Int) async throws(StoreError) -> ReadableAnswer<Object> {
        var pages = Pages(self, offset: offset)
        var rows: [Object] = []
        let most = configuration.rowsPerRequest
        var growth = 1
        while rows.count < limit ?? .max {
            let missing = min((limit ?? .max) - rows.count, most)
            let batch = try await pages.next(missing > most / growth ? most : missing * growth)
            // After a row that cannot be read, there may be more of them.
            if !batch.unreadable.isEmpty, growth <= most / 2 { growth *= 2 }
            // A server may return fewer rows than it was asked for, so only an empty page is the end.
            if batch.count == 0 { break }
            rows += batch.objects
        }
        return ReadableAnswer(objects: Array(rows.prefix(limit ?? .max)), leftOut: pages.leftOut)
    }

    /// The rows of the condition, in pages. Each request begins after the last row of the one before, so that rows
    /// which are added or removed meanwhile do not shift the pages.
    private struct Pages {
        private let reading: PostgRESTReading
        /// The rows that were left out so far.
        private(set) var leftOut: [UnreadableObject] = []
        /// The values by which the last row is sorted: those of the criteria, and its id.
        private var last: [PrimitiveValue]?
        private var offset: Int
        /// The number of pages by offset in a row that had nothing new.
        private var repetitions = 0

        init(_ reading: PostgRESTReading, offset: Int = 0) {
            self.reading = reading
            self.offset = offset
        }

        /// Returns the next rows, about as many as asked for; none at the end.
        mutating func next(_ size: Int) async throws(StoreError) -> PostgRESTPage<Object> {
            var request = PostgRESTQuery(
                key: reading.key, condition: reading.translation.condition, order: reading.order, limit: size,
                offset: offset)
            guard let last else { return try advance(over: try await fetch(request)) }
            let following = try reading.following(last)
            guard following.isExact else { return try await next(size, after: last) }
            request.condition = .joined(all: [request.condition, following.condition])
            request.offset = 0
            let rows = try await fetch(request)
            // A row that was changed meanwhile may have moved to a later page.
            if rows.last(reading.places, in: reading.store.schema) == last {
                throw .repeatedPage(of: reading.store.schema.name)
            }
            return try advance(over: rows)
        }

        private func fetch(_ request: PostgRESTQuery) async throws(StoreError) -> PostgRESTPage<Object> {
            try await reading.store.fetch(request, isLenient: reading.isLenient)
        }

        /// Returns the rows after this one, if the server can only count rows.
        ///
        /// The request begins with the last row of the page before, since rows that are added or removed before it shift
        /// the pages. If some were added, the row is at a later place. If some were removed, it is not found there, and
        /// rows after it may be missing.
        private mutating func next(
            _ size: Int, after last: [PrimitiveValue]
        ) async throws(StoreError) -> PostgRESTPage<Object> {
            let id = last[last.count - 1]
            var request = PostgRESTQuery(
                key: reading.key, condition: reading.translation.condition, order: reading.order,
                limit: size == .max ? .max : size + 1, offset: offset - 1)
            var skipped: PrimitiveValue?
            while true {
                let page = try await fetch(request)
                guard let first = page.firstID else { throw .shiftedPage(of: reading.store.schema.name) }
                guard let index = page.index(of: id) else {
                    if first == skipped { throw .repeatedPage(of: reading.store.schema.name) }
                    skipped = first
                    request.offset = request.offset.adding(page.count)
                    continue
                }
                offset = request.offset.adding(index + 1)
                let rows = page.dropFirst(index + 1)
                if rows.count > 0 {
                    repetitions = 0
                    return try advance(over: rows)
                }
                // This is the end, or the server returns few rows at once, or it does not count.
                request.offset = offset
                if index == 0 {
                    return try advance(over: try await fetch(request).removing(id))
                }
                repetitions += 1
                if repetitions == 3 { throw .repeatedPage(of: reading.store.schema.name) }
                request.offset -= 1
            }
        }

        private mutating func advance(over rows: PostgRESTPage<Object>) throws(StoreError) -> PostgRESTPage<Object> {
            leftOut += rows.unreadable.map(\.object)
            offset = offset.adding(rows.count)
            if rows.count == 0 { return rows }
            guard let place = rows.last(reading.places, in: reading.store.schema) else {
                // Without a value by which the rows are sorted, the next page cannot be asked for.
                throw rows.unreadable[0].object.error
            }
            last = place
            return rows
        }
    }

    /// The attributes by which the server sorts.
    private var places: [Attribute<Object>] { criteria.map(\.attribute) + [store.schema.id.attribute] }

    /// Returns the condition of the objects that come after a place in the server's order.
    private func following(_ place: [PrimitiveValue]) throws(StoreError) -> PostgRESTTranslation {
        let following = Question<Object>.following(place, criteria, id: store.schema.id.attribute)
        return try PostgRESTTranslation(following, in: store.schema, textOrder: configuration.textOrder)
            .fitting(configuration.maximumConditionLength / 2, key: key)
    }
}
