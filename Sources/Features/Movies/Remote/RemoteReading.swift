import Feedback
import Persistence

/// How one query is answered: what the server is asked, and what is left to do here.
struct RemoteReading: Sendable {
    private let query: Query<RemoteMovieStore>
    private let store: RemoteMovieStore
    /// All that the query asks of an object, where its page begins included.
    private let condition: Condition<Movie>
    private let translation: RemoteTranslation
    /// The order of the server, by ids alone where it cannot sort as the query wants.
    private let criteria: [SortCriterion<Movie>]
    private let order: [String]

    private var configuration: RemoteMovieStore.Configuration { store.configuration }
    private var isSorted: Bool { criteria == query.sortCriteria }

    init(_ query: Query<RemoteMovieStore>, of store: RemoteMovieStore) throws(StoreError) {
        let configuration = store.configuration
        let isSortable =
            configuration.textOrder == .codePoints || !query.sortCriteria.contains { $0.attribute.kind == .text }
        self.query = query
        self.store = store
        condition = query.pagedCondition(id: Movie.schema.id.attribute)
        translation = try RemoteTranslation(condition, textOrder: configuration.textOrder)
            .fitting(configuration.maximumConditionLength / 2)
        // Also criteria that are not used must have a column.
        let order = try RemoteQuery.order(by: query.sortCriteria)
        criteria = isSortable ? query.sortCriteria : []
        self.order = isSortable ? order : try RemoteQuery.order(by: [])
    }

    // MARK: - Answering

    func answer() async throws(StoreError) -> [Movie] {
        let sieve = try Sieve(condition)
        if translation.condition == .never || query.limit == 0 { return [] }
        guard isSorted else { return try Sieve.answer(query, from: try await allThatPass(sieve)) }
        if translation.isExact { return try await rows(limit: query.limit, offset: query.offset) }

        // The first request asks for as many as would do if all of them passed.
        let limit = query.limit ?? .max
        let wanted = query.limit.map { $0.addingReportingOverflow(query.offset) }
        var found: [Movie] = []
        try await forEachBatch(firstSize: wanted.map { $0.overflow ? .max : $0.partialValue }) {
            (batch) throws(StoreError) in
            found += try sieve.sift(batch)
            return found.count - query.offset < limit
        }
        return Array(found.dropFirst(query.offset).prefix(limit))
    }

    func count() async throws(StoreError) -> Int {
        let sieve = try Sieve(condition)
        if translation.condition == .never { return 0 }
        if translation.isExact { return try await store.fetchCount(translation.condition) }
        return try await allThatPass(sieve).count
    }

    var plan: QueryPlan {
        if translation.condition == .never { return QueryPlan(steps: ["nothing can be found, so nothing is asked"]) }
        let isPaged = isSorted && translation.isExact
        let request = RemoteQuery(
            condition: translation.condition, order: order, limit: isPaged ? query.limit : nil,
            offset: isPaged ? query.offset : 0)
        var steps = ["GET /movies?" + request.items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")]
        if !translation.isExact { steps.append("FILTER here by \(condition)") }
        if !isSorted { steps.append("SORT here") }
        if !isPaged, query.limit != nil || query.offset > 0 { steps.append("PAGE here") }
        return QueryPlan(steps: steps)
    }

    // MARK: - Requests

    private func allThatPass(_ sieve: Sieve) async throws(StoreError) -> [Movie] {
        var found: [Movie] = []
        try await forEachBatch(firstSize: nil) { (batch) throws(StoreError) in
            found += try sieve.sift(batch)
            return true
        }
        return found
    }

    /// Hands the rows of the condition over, batch by batch, until `body` wants no more of them.
    private func forEachBatch(
        firstSize: Int?, _ body: ([Movie]) throws(StoreError) -> Bool
    ) async throws(StoreError) {
        var pages = Pages(self)
        var lookedAt = 0
        var size = min(firstSize ?? .max, configuration.rowsPerRequest)
        while true {
            let batch = try await pages.next(size)
            if batch.isEmpty { return }
            lookedAt += batch.count
            if try !body(batch) { return }
            if lookedAt >= configuration.maximumLookedAt {
                throw .refused(
                    reason: "the server cannot answer exactly where \(condition), and there are more than "
                        + "\(configuration.maximumLookedAt) objects to look at; ask for less, or allow more")
            }
            size = configuration.rowsPerRequest
        }
    }

    private func rows(limit: Int?, offset: Int) async throws(StoreError) -> [Movie] {
        var pages = Pages(self, offset: offset)
        var rows: [Movie] = []
        while rows.count < limit ?? .max {
            let batch = try await pages.next(min((limit ?? .max) - rows.count, configuration.rowsPerRequest))
            // A server may give less than it was asked for, so only nothing is the end.
            if batch.isEmpty { break }
            rows += batch
        }
        return rows
    }

    /// The rows of the condition, some at a time. Each request begins after the last row of the one before, so that rows which
    /// are added or removed meanwhile shift nothing.
    private struct Pages {
        private let reading: RemoteReading
        private var last: Movie?
        private var offset: Int

        init(_ reading: RemoteReading, offset: Int = 0) {
            self.reading = reading
            self.offset = offset
        }

        mutating func next(_ size: Int) async throws(StoreError) -> [Movie] {
            var request = RemoteQuery(
                condition: reading.translation.condition, order: reading.order, limit: size, offset: offset)
            if let last {
                let following = try reading.following(last)
                if following.isExact {
                    request.condition = .joined(all: [request.condition, following.condition])
                    request.offset = 0
                }
            }
            let rows = try await reading.store.fetch(request)
            last = rows.last ?? last
            offset += rows.count
            return rows
        }
    }

    /// That an object comes after this one in the server's order.
    private func following(_ movie: Movie) throws(StoreError) -> RemoteTranslation {
        var query = store.all().page(after: movie)
        for criterion in criteria { query = query.sorted(by: criterion) }
        return try RemoteTranslation(
            query.pagedCondition(id: Movie.schema.id.attribute), textOrder: configuration.textOrder
        ).fitting(configuration.maximumConditionLength / 2)
    }
}

// MARK: - What is done here

/// Lets through what a condition is true of, in its order; a memory store knows what the condition means.
private struct Sieve: Sendable {
    private let condition: Condition<Movie>

    /// Fails where the condition holds a regular expression that is none.
    init(_ condition: Condition<Movie>) throws(StoreError) {
        self.condition = condition
        _ = try sift([])
    }

    func sift(_ movies: [Movie]) throws(StoreError) -> [Movie] {
        let passing = Set(
            try Self.store(of: movies).filter(where: condition).result().immediateValue().map(\.id))
        return movies.filter { passing.contains($0.id) }
    }

    /// The answer that a query has among movies.
    static func answer(_ query: Query<RemoteMovieStore>, from movies: [Movie]) throws(StoreError) -> [Movie] {
        try query.asked(of: try store(of: movies)).result().immediateValue()
    }

    private static func store(of movies: [Movie]) throws(StoreError) -> MemoryStore<Movie> {
        let store = MemoryStore(id: \Movie.id)
        _ = try store.upsert(movies).immediateValue()
        return store
    }
}

extension SignalProducer where Error == StoreError {
    /// The value of a producer that does all its work while it is started, as those of a memory store do.
    fileprivate func immediateValue() throws(StoreError) -> Value {
        guard let result = first() else { throw .cancelled(reason: "the memory store gave no answer") }
        return try result.get()
    }
}
