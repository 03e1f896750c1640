import Feedback
import Foundation
import LocalBackend
import Persistence
import Sync

extension Table {
    @Sendable
    func insert(_ request: Request) async throws(TableRejection) -> LocalBackend.Response {
        let payload = try RowPayload(request.body, of: schema, keys: request.query.keys)
        let resolution = request.preferences.resolution
        return try await transaction(for: request) { (table) throws(TableRejection) in
            var (stored, hasInserted): ([Object], Bool) = ([], false)
            var seen: Set<Object.ID> = []
            for row in payload.rows {
                var object = try object(from: payload.values(of: row, onto: nil, in: schema))
                let isKnown = !seen.insert(object.id).inserted
                // Without a resolution, a row that exists is refused by the store.
                let existing = try working { () throws(StoreError) in
                    resolution == nil ? nil : try table.object(withId: object.id)
                }
                guard let existing else {
                    object = try numbered(object, in: table)
                    try working { () throws(StoreError) in try table.insert([object]) }
                    hasInserted = true
                    stored.append(object)
                    continue
                }
                if resolution == .ignoreDuplicates { continue }
                if isKnown { throw .affectedTwice }
                // Columns that were not sent keep their values.
                object = try numbered(
                    self.object(from: payload.values(of: row, onto: existing, in: schema)), in: table)
                try working { () throws(StoreError) in try table.update([object]) }
                stored.append(object)
            }
            let isUpdateOnly = resolution == .mergeDuplicates && !hasInserted
            var answer = try representation(of: stored, request, status: isUpdateOnly ? 200 : 201)
            answer.setRange(from: 0, count: 0, total: request.total(stored.count))
            answer.applied = request.preferences.appliedToInserting
            if request.preferences.representation == .headersOnly, stored.count == 1,
                let id = stored[0].id.primitiveValue.postgresText
            {
                let encoded = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."]))
                answer.location = "\(request.path)?\(schema.id.name)=eq.\(encoded ?? id)"
            }
            return answer
        }
    }

    @Sendable
    func update(_ request: Request) async throws(TableRejection) -> LocalBackend.Response {
        let payload = try RowPayload(request.body, of: schema, keys: request.query.keys)
        let query = query(request)
        return try await transaction(for: request) { (table) throws(TableRejection) in
            var changed: [Object] = []
            // An update without columns changes no row.
            if let row = payload.rows.first, !payload.positions.isEmpty {
                let objects = try working { () throws(StoreError) in try table.execute(query) }
                for object in objects {
                    changed.append(
                        try numbered(self.object(from: payload.values(of: row, onto: object, in: schema)), in: table))
                }
                let (old, new) = (objects, changed)
                try working { () throws(StoreError) in
                    let moved = zip(old, new).filter { $0.id != $1.id }
                    try history?.noteDeletion(of: moved.map(\.0), in: table)
                    if !moved.isEmpty { try table.delete(moved.map(\.0)) }
                    try table.update(zip(old, new).filter { $0.id == $1.id }.map(\.1))
                    if !moved.isEmpty { try table.insert(moved.map(\.1)) }
                }
            }
            try request.preferences.check(affected: changed.count)
            var answer = try representation(of: changed, request, status: 204)
            answer.setRange(from: 0, count: changed.count, total: request.total(changed.count))
            answer.applied = request.preferences.appliedToUpdating
            return answer
        }
    }

    @Sendable
    func delete(_ request: Request) async throws(TableRejection) -> LocalBackend.Response {
        let query = query(request)
        return try await transaction(for: request) { (table) throws(TableRejection) in
            let objects = try working { () throws(StoreError) in
                let objects = try table.execute(query)
                try history?.noteDeletion(of: objects, in: table)
                try table.delete(objects)
                return objects
            }
            try request.preferences.check(affected: objects.count)
            var answer = try representation(of: objects, request, status: 204)
            answer.setRange(from: 0, count: 0, total: request.total(objects.count))
            answer.applied = request.preferences.appliedToDeleting
            return answer
        }
    }

    // MARK: - Machinery

    /// Returns the answer to a change. If the client accepts only a single object and there are more or none, it
    /// throws, and the change is rolled back.
    private func representation(
        of objects: [Object], _ request: Request, status: Int
    ) throws(TableRejection) -> TableAnswer {
        let rows = try rows(of: try sorted(objects, request), request)
        guard request.preferences.representation == .representation else { return TableAnswer(status: status) }
        return TableAnswer(status: status == 204 ? 200 : status, rows: rows)
    }

    private func sorted(_ objects: [Object], _ request: Request) throws(TableRejection) -> [Object] {
        if request.query.criteria.isEmpty { return objects }
        return try working { () throws(StoreError) in
            try Query(store: store, sortCriteria: request.query.criteria).answer(from: objects)
        }
    }

    private func object(from values: [PrimitiveValue]) throws(TableRejection) -> Object {
        let object: Object
        do throws(RowMismatch) {
            object = try schema.object(from: values)
        } catch {
            let column = schema.columns[error.column]
            switch values[error.column] {
            case .null:
                let row = values.map { $0.postgresText ?? "null" }.joined(separator: ", ")
                throw .nullValue(in: column.name, of: schema.name, row: row)
            case let .text(text):
                throw TableRejection(
                    status: 400, code: "22P02", message: "invalid input value for enum \(column.name): \"\(text)\"")
            case let value: throw .outOfRange(value.postgresText ?? "\(value)", of: column.attribute.kind)
            }
        }
        return try checked(object)
    }

    /// Returns the object with the number of this change, if the table numbers its changes.
    private func numbered(_ object: Object, in table: S.Transaction) throws(TableRejection) -> Object {
        guard let history else { return object }
        return try working { () throws(StoreError) in
            var object = object
            try history.note(&object, in: table)
            return object
        }
    }

    private func working<Value>(_ work: () throws(StoreError) -> Value) throws(TableRejection) -> Value {
        do throws(StoreError) { return try work() } catch { throw rejection(error) }
    }

    /// Runs a change as a transaction, which is rolled back if the change is refused. A change whose key is known is
    /// not made again.
    private func transaction(
        for request: Request, _ body: @escaping @Sendable (S.Transaction) throws(TableRejection) -> TableAnswer
    ) async throws(TableRejection) -> LocalBackend.Response {
        // A transaction can only throw a `StoreError`, so the rejection is passed in this variable.
        let refusal = Locked<TableRejection?>(nil)
        do throws(StoreError) {
            return try await store.transaction { (table) throws(StoreError) in
                let place = try place(of: request.key, in: table)
                if let kept = try place?.answer() { return kept }
                do throws(TableRejection) {
                    let response = try body(table).response(as: request.media)
                    try working { () throws(StoreError) in try place?.keep(response) }
                    return response
                } catch {
                    refusal.withLock { $0 = error }
                    throw .rolledBack(reason: error.message)
                }
            }
        } catch {
            // The body may have run several times, so the rejection may be of an earlier run.
            guard case .rolledBack = error, let refusal = refusal.withLock({ $0 }) else { throw rejection(error) }
            // Another process may have performed the same request meanwhile, and that is what stands in the way.
            if refusal.code == TableRejection.duplicateCode, let kept = await keptAnswer(to: request.key) {
                return kept
            }
            throw refusal
        }
    }

    private func keptAnswer(to key: String?) async -> LocalBackend.Response? {
        guard key != nil, answers != nil else { return nil }
        let kept = try? await store.transaction { (table) throws(StoreError) in
            try place(of: key, in: table)?.answer()
        }
        return kept ?? nil
    }

    /// Returns the place for the answer to a request with this key, if answers are kept.
    private func place(of key: String?, in transaction: S.Transaction) throws(StoreError) -> AnswerPlace? {
        func place(_ key: String, _ answers: some TransactionalStore<KeptAnswer>) throws(StoreError) -> AnswerPlace {
            AnswerPlace(key: key, answers: AnyTransaction(try transaction.with(answers), of: answers))
        }
        guard let key, let answers else { return nil }
        return try place(key, answers)
    }
}
