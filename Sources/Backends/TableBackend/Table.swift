import Feedback
import Foundation
import LocalBackend
import Persistence

/// A table of a store, served in PostgREST's dialect.
///
///     let store = try SQLiteStore(Movie.schema, in: SQLiteDatabase(.memory))
///     backend.serve(Table(store, Movie.schema), at: "/movies")
///
/// The keys of an object's JSON must be the names of its columns. Text is compared by Swift's rules, and regular expressions
/// are Swift's too; for plain ones that makes no difference.
public struct Table<S: TransactionalStore>: Sendable where S.Object: Codable {
    let store: S
    let schema: Schema<S.Object>
    /// How many rows one answer has at most, as PostgREST's `db-max-rows`.
    let maximumRows: Int?

    public init(_ store: S, _ schema: Schema<S.Object>, maximumRows: Int? = nil) {
        self.store = store
        self.schema = schema
        self.maximumRows = maximumRows
    }
}

extension LocalBackend {
    /// Answers GET, HEAD, POST, PATCH and DELETE to a path from a table.
    public func serve<S>(_ table: Table<S>, at path: String) {
        get(path) { await table.answer($0, with: table.read) }
        post(path) { await table.answer($0, with: table.insert) }
        patch(path) { await table.answer($0, with: table.update) }
        delete(path) { await table.answer($0, with: table.delete) }
    }
}

// MARK: - Answers

extension Table {
    typealias Row = [String: JSONValue]

    /// An answer, before it is one of HTTP.
    struct Answer: Sendable {
        var status = 200
        var rows: [Row]?
        var contentRange: String?
    }

    func answer(
        _ request: LocalBackend.Request,
        with work: @Sendable (TableQuery<S.Object>, Preferences, Data) async throws(TableRejection) -> Answer
    ) async -> LocalBackend.Response {
        do throws(TableRejection) {
            let query = try TableQuery(request.query.items.map { ($0.name, $0.value) }, schema: schema)
            let answer = try await work(query, Preferences(request.headers), request.body)
            var headers: LocalBackend.Headers = [:]
            headers["Content-Range"] = answer.contentRange
            guard let rows = answer.rows else { return .status(answer.status, headers: headers) }
            return .json(rows, status: answer.status, headers: headers)
        } catch {
            return .json(error, status: error.status)
        }
    }

    // MARK: - Reading

    @Sendable
    func read(
        _ query: TableQuery<S.Object>, _ preferences: Preferences, _: Data
    ) async throws(TableRejection) -> Answer {
        let limit = [query.limit, maximumRows].compactMap { $0 }.min()
        let question = question(query).page(limit: limit, offset: query.offset)
        let objects = try await value(of: question.result())
        let rows = try rows(of: objects, query.columns)
        let range = rows.isEmpty ? "*" : "\(query.offset)-\(query.offset + rows.count - 1)"
        guard preferences.wantsCount else { return Answer(rows: rows, contentRange: "\(range)/*") }
        let total = try await value(of: question.count())
        if query.offset > 0, query.offset >= total { throw .offsetBeyond(query.offset, of: total) }
        return Answer(status: rows.count < total ? 206 : 200, rows: rows, contentRange: "\(range)/\(total)")
    }

    // MARK: - Writing

    @Sendable
    func insert(
        _ query: TableQuery<S.Object>, _ preferences: Preferences, _ body: Data
    ) async throws(TableRejection) -> Answer {
        var objects: [S.Object] = []
        for row in try rows(of: body) {
            objects.append(try object(of: query.keys.map { keys in row.filter { keys.contains($0.key) } } ?? row))
        }
        let new = objects
        let stored = try await value(
            of: store.transaction { (table) throws(StoreError) -> [S.Object] in
                switch preferences.resolution {
                case nil:
                    try table.insert(new)
                    return new
                case .mergeDuplicates:
                    try table.upsert(new)
                    return new
                case .ignoreDuplicates:
                    var added: [S.Object] = []
                    for object in new where try table.object(withId: object.id) == nil {
                        try table.insert([object])
                        added.append(object)
                    }
                    return added
                }
            })
        return try representation(of: stored, query, preferences, status: 201)
    }

    @Sendable
    func update(
        _ query: TableQuery<S.Object>, _ preferences: Preferences, _ body: Data
    ) async throws(TableRejection) -> Answer {
        let changes = try rows(of: body)
        guard changes.count == 1 else { throw .badBody("expecting one object") }
        let question = question(query)
        let result = try await value(
            of: store.transaction { (table) throws(StoreError) -> Result<[S.Object], TableRejection> in
                do throws(TableRejection) {
                    var updated: [S.Object] = []
                    let objects = try Result { () throws(StoreError) in try table.execute(question) }
                        .mapError(rejection).get()
                    for (object, row) in zip(objects, try rows(of: objects, nil)) {
                        let row = row.merging(changes[0]) { _, new in new }
                        let changed = try self.object(of: row)
                        guard changed.id == object.id else { throw .badRow("the key of a row cannot be changed") }
                        updated.append(changed)
                    }
                    let changed = updated
                    try Result { () throws(StoreError) in try table.update(changed) }.mapError(rejection).get()
                    return .success(updated)
                } catch {
                    return .failure(error)
                }
            })
        return try representation(of: try result.get(), query, preferences, status: 200)
    }

    @Sendable
    func delete(
        _ query: TableQuery<S.Object>, _ preferences: Preferences, _: Data
    ) async throws(TableRejection) -> Answer {
        let question = question(query)
        let deleted = try await value(
            of: store.transaction { (table) throws(StoreError) -> [S.Object] in
                let objects = try table.execute(question)
                try table.delete(objects)
                return objects
            })
        return try representation(of: deleted, query, preferences, status: 200)
    }

    private func representation(
        of objects: [S.Object], _ query: TableQuery<S.Object>, _ preferences: Preferences, status: Int
    ) throws(TableRejection) -> Answer {
        let range = "*/\(preferences.wantsCount ? "\(objects.count)" : "*")"
        guard preferences.wantsRepresentation else {
            return Answer(status: status == 200 ? 204 : status, contentRange: range)
        }
        return Answer(status: status, rows: try rows(of: objects, query.columns), contentRange: range)
    }

    // MARK: - The store

    private func question(_ query: TableQuery<S.Object>) -> Query<S> {
        query.criteria.reduce(store.filter(where: query.condition)) { $0.sorted(by: $1) }
    }

    private func value<Value>(of producer: SignalProducer<Value, StoreError>) async throws(TableRejection) -> Value {
        do throws(StoreError) {
            guard let value = try await producer.first() else { throw .cancelled }
            return value
        } catch {
            throw rejection(error)
        }
    }

    private func rejection(_ error: StoreError) -> TableRejection {
        switch error {
        case let .duplicate(id):
            TableRejection(
                status: 409, code: "23505",
                message: "duplicate key value violates unique constraint \"\(schema.name)_pkey\"",
                details: "Key (\(schema.id.name))=(\(id)) already exists.")
        case .invalidPattern:
            TableRejection(status: 400, code: "2201B", message: "invalid regular expression", details: "\(error)")
        case .locked, .full: TableRejection(status: 503, code: "53000", message: "\(error)")
        default: TableRejection(status: 500, code: "XX000", message: "\(error)")
        }
    }
}

// MARK: - Rows

extension Table {
    private func rows(of objects: [S.Object], _ columns: [String]?) throws(TableRejection) -> [Row] {
        let names = Set(columns ?? schema.columns.map(\.name))
        do {
            let rows = try JSONDecoder().decode([Row].self, from: JSONEncoder().encode(objects))
            // A column that is nil may have no key.
            return rows.map { row in Row(uniqueKeysWithValues: names.map { ($0, row[$0] ?? .null) }) }
        } catch {
            throw TableRejection(status: 500, code: "XX000", message: "A row cannot be sent: \(error)")
        }
    }

    private func object(of row: Row) throws(TableRejection) -> S.Object {
        if let key = row.keys.sorted().first(where: { schema.attribute(named: $0) == nil }) {
            throw .unknownKey(key, of: schema.name)
        }
        do {
            return try JSONDecoder().decode(S.Object.self, from: JSONEncoder().encode(row))
        } catch {
            throw .badRow("\(error)")
        }
    }

    /// One row, or several.
    private func rows(of body: Data) throws(TableRejection) -> [Row] {
        let decoder = JSONDecoder()
        if let rows = try? decoder.decode([Row].self, from: body) { return rows }
        do {
            return [try decoder.decode(Row.self, from: body)]
        } catch {
            throw .badBody("expecting an object, or a list of objects: \(error)")
        }
    }
}
