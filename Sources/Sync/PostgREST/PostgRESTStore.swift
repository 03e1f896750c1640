import Feedback
import Foundation
import Networking
import Persistence

/// A table on a server that speaks PostgREST's dialect, such as PostgREST itself or Supabase.
///
///     let movies = PostgRESTStore(Movie.schema, accessible: session)
///     movies.filter(where: \.rating == .PG_13 && \.budget >= 10_000_000).sorted(by: \.title).result()
///
/// It needs only the schema, which has the name of the table, the columns of the rows and the meaning of conditions.
///
/// It gives the same answers as every other store. Some conditions, such as a search for text by Swift's rules, have no
/// exact form in the dialect. The store then fetches all rows that could match, and filters them. If that takes too
/// many rows, the query fails with `StoreError.refused(reason:)`; the answer is never incomplete.
///
/// If the server has done a write, and this version of the program cannot read its object, the write fails with
/// `StoreError.unreadableAnswer(table:id:column:found:)`; if the answer is not a list of rows, with
/// `StoreError.outcomeUnknown(reason:)`. Do not repeat such a write before you have read the object.
///
/// The table must keep text in composed form (NFC), as this store writes it, and order it by code point, unless the
/// configuration says otherwise:
///
///     CREATE TABLE movies (
///         id uuid PRIMARY KEY, title text COLLATE "C" NOT NULL, rating text COLLATE "C" NOT NULL,
///         budget bigint NOT NULL, year bigint, score double precision, tagline text COLLATE "C");
///
/// | property | column |
/// |---|---|
/// | `Bool` | `boolean` |
/// | integers up to `Int64` | `bigint` |
/// | `UInt64` | `numeric` |
/// | `Double`, `Float` | `double precision` |
/// | `String` | `text` |
/// | `UUID` | `uuid` |
/// | `Date` | `timestamptz`, in microseconds, from the year 1 to 9999 |
/// | `Data` | `bytea` |
public struct PostgRESTStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// Settings of a table.
    public struct Configuration: Sendable {
        /// The order in which the server sorts text.
        public var textOrder = TextOrder.codePoints
        /// The number of rows that one request asks for, at least 1. If the server returns fewer at once, the store asks again.
        public var rowsPerRequest = 1_000
        /// The number of rows that one query may fetch to filter them in the store.
        public var maximumLookedAt = 50_000
        /// The greatest length of all conditions in a URL, in bytes as they are encoded there. Common servers accept
        /// about 8,000 for the whole URL.
        public var maximumConditionLength = 5_000
        /// `true` if the server performs requests with the same `Idempotency-Key` only once. PostgREST itself does not.
        public var remembersKeys = false
    }

    let schema: Schema<Object>
    let path: ResourcePath
    let configuration: Configuration
    private let send: @Sendable (PostgRESTRequest, ResourcePath) async throws(CoreError) -> PostgRESTAnswer

    /// Makes a store of a table that needs credentials.
    ///
    /// - Parameters:
    ///   - path: The path of the table; by default its name.
    ///   - authentication: The kind of credentials that the server needs.
    public init<Auth: CredentialedAuthentication>(
        _ schema: Schema<Object>, at path: ResourcePath? = nil, accessible: any AuthenticatedAccessible,
        authentication: Auth.Type = KongAuth.self, configure: (inout Configuration) -> Void = { _ in }
    ) {
        let path = path ?? .api(.core, "/\(schema.name)")
        self.init(schema, path, configure) { request, path async throws(CoreError) in
            let resource: BackendResource<Void, PostgRESTAnswer, Auth> = request.resource(at: path)
            return try await accessible.access(resource)
        }
    }

    /// Makes a store of a table that needs no credentials.
    public init(
        _ schema: Schema<Object>, at path: ResourcePath? = nil, open accessible: any Accessible,
        configure: (inout Configuration) -> Void = { _ in }
    ) {
        let path = path ?? .api(.core, "/\(schema.name)")
        self.init(schema, path, configure) { request, path async throws(CoreError) in
            let resource: BackendResource<Void, PostgRESTAnswer, NoAuth> = request.resource(at: path)
            return try await accessible.access(resource)
        }
    }

    private init(
        _ schema: Schema<Object>, _ path: ResourcePath, _ configure: (inout Configuration) -> Void,
        _ send: @escaping @Sendable (PostgRESTRequest, ResourcePath) async throws(CoreError) -> PostgRESTAnswer
    ) {
        var configuration = Configuration()
        configure(&configuration)
        configuration.rowsPerRequest = max(configuration.rowsPerRequest, 1)
        self.schema = schema
        self.path = path
        self.configuration = configuration
        self.send = send
    }

    /// Returns the table whose name is that of this one with a suffix.
    func neighbour<Other>(_ schema: Schema<Other>, suffix: String) -> PostgRESTStore<Other> {
        let path: ResourcePath =
            switch path {
            case let .api(service, path): .api(service, path + suffix)
            case let .absolute(url):
                .absolute(url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + suffix))
            }
        return PostgRESTStore<Other>(
            schema, path,
            {
                $0.textOrder = configuration.textOrder
                $0.rowsPerRequest = configuration.rowsPerRequest
                $0.maximumLookedAt = configuration.maximumLookedAt
                $0.maximumConditionLength = configuration.maximumConditionLength
            }, send)
    }
}

// MARK: - Requests

extension PostgRESTStore {
    var key: String { schema.id.name }

    /// Performs a request and reads the answer; errors become those of a store.
    func answer<Value>(
        to request: Result<PostgRESTRequest, CoreError>, _ read: (PostgRESTAnswer) -> Result<Value, CoreError>
    ) async throws(StoreError) -> Value {
        do throws(CoreError) {
            return try read(try await access(try request.get())).get()
        } catch {
            throw StoreError(error, key: SchemaKey(schema))
        }
    }

    func access(_ request: PostgRESTRequest) async throws(CoreError) -> PostgRESTAnswer {
        try await send(request, path)
    }

    func rows(of answer: PostgRESTAnswer) -> Result<[Object], CoreError> {
        schema.objects(fromJSON: answer.body)
    }

    /// - Parameter isLenient: `true` to leave out rows that cannot be read; `false` to fail.
    func fetch(_ query: PostgRESTQuery, isLenient: Bool) async throws(StoreError) -> PostgRESTPage<Object> {
        try await answer(to: .success(.fetch(query))) { answer in
            isLenient
                ? schema.readableRows(fromJSON: answer.body) : rows(of: answer).map { PostgRESTPage(objects: $0) }
        }
    }

    func fetchCount(_ condition: PostgRESTCondition) async throws(StoreError) -> Int {
        try await answer(to: .success(.count(condition, key: key)), \.total)
    }

    func translation(_ condition: Condition<Object>) throws(StoreError) -> PostgRESTTranslation {
        try PostgRESTTranslation(condition, in: schema, textOrder: configuration.textOrder)
    }

    func condition(ids: [Object.ID]) throws(StoreError) -> PostgRESTCondition {
        let ids = ids.map(\.primitiveValue)
        guard let condition = Condition(schema.id.attribute, in: ids) else { return .never }
        let translation = try translation(condition)
        guard translation.isExact else {
            throw .refused(
                reason: "an id has no exact form in a request to the server, one of \(ids); use ids that PostgreSQL "
                    + "stores unchanged")
        }
        return translation.condition
    }
}

// MARK: - Reading

extension PostgRESTStore: LenientStore {
    public func execute(_ query: Query<PostgRESTStore>) async throws(StoreError) -> [Object] {
        try await PostgRESTReading(query).answer()
    }

    func readable(_ query: Query<PostgRESTStore>) async throws(StoreError) -> ReadableAnswer<Object> {
        try await PostgRESTReading(query, isLenient: true).readableAnswer()
    }

    func batches(of ids: [Object.ID], count: Int) -> [[Object.ID]] {
        let length = configuration.maximumConditionLength / 2
        let fitting = ids.filter { id in
            guard let condition = try? condition(ids: [id]) else { return false }
            return condition.length(key: key) <= length
        }
        return batches(of: fitting, length: length, count: count)
    }

    public func execute(_ query: Query<PostgRESTStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await execute(query) }
    }

    public func count(_ query: Query<PostgRESTStore>) async throws(StoreError) -> Int {
        try await PostgRESTReading(filter(where: query.condition)).count()
    }

    public func count(_ query: Query<PostgRESTStore>) -> SignalProducer<Int, StoreError> {
        SignalProducer { () async throws(StoreError) in try await count(query) }
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? {
        let isID = Condition(schema.id.attribute, .equal, id.primitiveValue) ?? .never
        return try await execute(filter(where: isID).page(limit: 1)).first
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        SignalProducer { () async throws(StoreError) in try await object(withId: id) }
    }

    /// Emits the request to the server, followed by the steps that the store does itself.
    public func plan(_ query: Query<PostgRESTStore>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer { Result { () throws(StoreError) in try PostgRESTReading(query).plan } }
    }
}
