import Feedback
import Foundation
import LocalBackend
import Persistence
import Sync

/// A table of a store, served in PostgREST's dialect.
///
///     let store = try SQLiteStore(Movie.schema, in: SQLiteDatabase(.memory))
///     backend.serve(Table(store, Movie.schema), at: "/movies")
///
/// Rows are read and written through the columns of the schema. The tests compare the answers with those that PostgREST
/// gives to PyPI's `postgrest` client. It serves:
///
/// - `select` of columns, also under other names, `order`, `limit`, `offset` and the header field `Range`;
/// - the operators `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `like`, `ilike`, `match`, `imatch`, `in`, `is`, `isdistinct`,
///   with `not`, `any` and `all`, joined by `and` and `or`;
/// - inserting, upserting (`on_conflict` the key), updating and deleting, each in one transaction;
/// - of `Prefer`: `return`, `count`, `resolution`, `missing`, `handling`, `max-affected`;
/// - of `Accept`: JSON, one object (`application/vnd.pgrst.object+json`), both without nulls, and CSV.
///
/// It refuses the following with an error in PostgREST's form: full-text search (`fts`), casts, embedding of other
/// tables, aggregates, paths into JSON columns, plans, `PUT`, functions (`/rpc`), bodies that are not JSON, a column that
/// is selected twice under one name, keys of more than 255 bytes, and regular expressions that could take too long: those
/// with more than two repetitions, with more than two choices or optional parts beside two repetitions, with a repetition
/// inside of another one or over a choice, and more of them than one request may have. A planned or estimated count is
/// exact.
///
/// Text is compared by Swift's rules, and regular expressions are Swift's, too; simple ones mean the same as in
/// PostgreSQL.
public struct Table<S: TransactionalStore>: Sendable {
    let store: S
    let schema: Schema<S.Object>
    /// The greatest number of rows of one answer, like PostgREST's `db-max-rows`.
    let maximumRows: Int?
    private let keys: RememberedKeys?
    /// The answers to writes that had a key, in the database of the table.
    let answers: (any TransactionalStore<KeptAnswer>)?
    private let check: @Sendable (S.Object) -> String?
    /// The record of the changes, if the table keeps one.
    private(set) var history: TableHistory<S>?

    /// Serves the objects of a store as rows of a schema, at most `maximumRows` in one answer.
    ///
    /// - Parameters:
    ///   - remembersKeys: True if writes with the same header field `Idempotency-Key` are performed only once and get
    ///     the same answer, while the process runs. PostgREST itself does not do that.
    ///   - check: Returns the reason why a row must not be stored, like PostgreSQL's `CHECK`; nil if it may be.
    public init(
        _ store: S, _ schema: Schema<S.Object>, maximumRows: Int? = nil, remembersKeys: Bool = false,
        check: @escaping @Sendable (S.Object) -> String? = { _ in nil }
    ) {
        self.store = store
        self.schema = schema
        self.maximumRows = maximumRows
        keys = remembersKeys ? RememberedKeys() : nil
        answers = nil
        self.check = check
    }

    /// Serves the objects of a store as rows of a schema, at most `maximumRows` in one answer; writes with the same
    /// header field `Idempotency-Key` are performed only once and get the same answer.
    ///
    ///     let database = try SQLiteDatabase(.memory)
    ///     let table = Table(
    ///         try SQLiteStore(Movie.schema, in: database), Movie.schema,
    ///         keepingAnswersIn: try SQLiteStore(KeptAnswer.schema, in: database))
    ///     backend.serve(table, at: "/movies")
    ///
    /// - Parameters:
    ///   - answers: The store of the answers, which are written in the transaction of the write. It must be in the same
    ///     database as `store`. So each process that serves the table knows the writes of the others.
    ///   - check: Returns the reason why a row must not be stored, like PostgreSQL's `CHECK`; nil if it may be.
    public init(
        _ store: S, _ schema: Schema<S.Object>, maximumRows: Int? = nil,
        keepingAnswersIn answers: some TransactionalStore<KeptAnswer>,
        check: @escaping @Sendable (S.Object) -> String? = { _ in nil }
    ) {
        self.store = store
        self.schema = schema
        self.maximumRows = maximumRows
        keys = nil
        self.answers = answers
        self.check = check
    }

    /// Returns the table with a record of its changes, so that a client can fetch only the changes since its last
    /// request. The deletions are served at the path of the table with the suffix `_deleted`, and the extent of the
    /// record with the suffix `_history`.
    ///
    ///     let database = try SQLiteDatabase(.memory)
    ///     let table = Table(try SQLiteStore(Movie.schema, in: database), Movie.schema)
    ///         .numberingChanges(
    ///             by: \.version, deletions: try SQLiteStore(Deletion.schema(of: Movie.schema), in: database),
    ///             extents: try SQLiteStore(HistoryExtent.schema(of: Movie.schema), in: database))
    ///     backend.serve(table, at: "/movies")
    ///
    /// - Parameters:
    ///   - number: The property that each write of an object sets to the number of the change. Its column should be indexed.
    ///   - deletions: The store of the deletions, in the same database.
    ///   - extents: The store of the number of the last change, in the same database.
    ///   - kept: The number of changes after which a deletion is forgotten.
    public func numberingChanges(
        by number: WritableKeyPath<S.Object, Int> & Sendable,
        deletions: some TransactionalStore<Deletion<S.Object.ID>>, extents: some TransactionalStore<HistoryExtent>,
        keeping kept: Int = 100_000
    ) -> Table {
        var table = self
        table.history = TableHistory(
            schema, numberedBy: number, deletions: deletions, extents: extents, keeping: kept)
        return table
    }

    /// Refuses a row that the table does not allow.
    func checked(_ object: S.Object) throws(TableRejection) -> S.Object {
        guard let reason = check(object) else { return object }
        throw TableRejection(status: 400, code: "23514", message: reason)
    }
}

extension LocalBackend {
    /// Answers GET, HEAD, POST, PATCH and DELETE to a path from a table.
    public func serve<S>(_ table: Table<S>, at path: String) {
        get(path) { await table.respond(to: $0, table.read) }
        post(path) { await table.respondOnce(to: $0, table.insert) }
        patch(path) { await table.respondOnce(to: $0, table.update) }
        delete(path) { await table.respondOnce(to: $0, table.delete) }
        table.history?.serve(on: self, at: path, maximumRows: table.maximumRows)
        put(path) { TableRejection.unsupportedMethod($0.method).response }
        let functions = path.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/rpc/:function"
        for method in [Method.get, .post] {
            route(method, functions) { TableRejection.unknownFunction($0.parameters["function"] ?? "").response }
        }
    }
}

// MARK: - Requests

extension Table {
    typealias Object = S.Object

    /// A request, read for this table.
    struct Request: Sendable {
        let query: TableQuery<Object>
        let preferences: Preferences
        let media: MediaType
        let range: RowRange
        let path: String
        let body: Data
        /// The id of the stored answer; nil if the request has no key.
        let key: String?

        /// Returns the number of changed rows, if the client asks for it.
        func total(_ count: Int) -> Int? { preferences.count == nil ? nil : count }
    }

    /// Responds to a write. If its key was answered before, it responds with that answer.
    func respondOnce(
        to request: LocalBackend.Request,
        _ work: @escaping @Sendable (Request) async throws(TableRejection) -> LocalBackend.Response
    ) async -> LocalBackend.Response {
        guard let keys, let key = request.headers["Idempotency-Key"], key.utf8.count <= KeptAnswer.longestKey else {
            return await respond(to: request, work)
        }
        return await keys.response(to: "\(request.method) \(key)") { await respond(to: request, work) }
    }

    func respond(
        to request: LocalBackend.Request,
        _ work: @Sendable (Request) async throws(TableRejection) -> LocalBackend.Response
    ) async -> LocalBackend.Response {
        do throws(TableRejection) {
            let preferences = Preferences(request.headers)
            try preferences.check()
            let query = try TableQuery(request.query.items.map { ($0.name, $0.value) }, schema: schema)
            let isReading = request.method == .get || request.method == .head
            // Only GET has ranges (RFC 9110, 14.2).
            let range = try query.range.intersected(withHeader: request.method == .get ? request.headers["Range"] : nil)
            let media = try MediaType(accept: request.headers["Accept"])
            let key = isReading ? nil : request.headers["Idempotency-Key"]
            if let key, key.utf8.count > KeptAnswer.longestKey { throw .longKey(key.utf8.count) }
            let request = Request(
                query: query, preferences: preferences, media: media, range: range, path: request.path,
                body: request.body, key: key.map { "\(request.method) \(schema.name) \($0)" })
            return try await work(request)
        } catch {
            return error.response
        }
    }

    /// Returns the rows of an answer, with the columns that the query selects.
    func rows(of objects: [Object], _ request: Request) throws(TableRejection) -> TableAnswer.Rows {
        if request.media.isObject, objects.count != 1 { throw .notSingular(objects.count) }
        let columns = request.query.columns
        return TableAnswer.Rows(
            names: columns.map(\.name),
            values: objects.map { object in
                columns.map { schema.columns[$0.position].attribute.value(in: object) }
            })
    }

    func query(_ request: Request) -> Query<S> {
        Query(store: store, condition: request.query.condition, sortCriteria: request.query.criteria)
    }
}

// MARK: - Reading

extension Table {
    @Sendable
    func read(_ request: Request) async throws(TableRejection) -> LocalBackend.Response {
        let (range, all) = (request.range, query(request))
        let limit = [range.limit, maximumRows].compactMap { $0 }.min()
        let objects: [Object]
        var total: Int?
        do throws(StoreError) {
            objects = try await all.page(limit: limit, offset: range.offset).result()
            if request.preferences.count != nil { total = try await all.count() }
        } catch {
            throw rejection(error)
        }
        // Others may have deleted rows after the page was read.
        if !objects.isEmpty { total = total.map { max($0, range.offset + objects.count) } }
        var answer = TableAnswer()
        if let total {
            if range.offset > total { throw .offsetBeyond(range.offset, of: total) }
            if objects.count < total { answer.status = 206 }
        }
        answer.rows = try rows(of: objects, request)
        answer.setRange(from: range.offset, count: objects.count, total: total)
        answer.applied = request.preferences.appliedToReading
        return try answer.response(as: request.media)
    }
}

// MARK: - Errors

extension Table {
    func rejection(_ error: StoreError) -> TableRejection {
        switch error {
        case let .duplicate(id):
            let value = PrimitiveValue(postgresText: id, kind: schema.id.attribute.kind)
            return .duplicateKey(value?.postgresText ?? id, schema.id.name, of: schema.name)
        case .invalidPattern:
            return TableRejection(
                status: 400, code: "2201B", message: "invalid regular expression", details: "\(error)")
        case let .constraint(reason): return TableRejection(status: 400, code: "23514", message: reason)
        case .locked, .full: return TableRejection(status: 503, code: "53000", message: "\(error)")
        // The request can be sent again.
        case .unreachable: return TableRejection(status: 503, code: "08006", message: "\(error)")
        case .outcomeUnknown: return TableRejection(status: 503, code: "08007", message: "\(error)")
        case .conflict: return TableRejection(status: 503, code: "40001", message: "\(error)")
        default: return TableRejection(status: 500, code: "XX000", message: "\(error)")
        }
    }
}
