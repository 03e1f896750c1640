import Foundation
import JSON
import Networking
import Persistence

extension PostgRESTStore: OutboxTable {
    public var remembersKeys: Bool { configuration.remembersKeys }

    /// Sends a write of an outbox as one request, with the key in the header field `Idempotency-Key`.
    ///
    /// The expectations of the write are a part of the request's filter, so that the server checks and changes the
    /// object in one step. Values that are too long for a URL, or that the server cannot compare exactly, are not
    /// checked.
    public func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object> {
        do throws(CoreError) {
            var request = try self.request(for: write)
            request.headers["Idempotency-Key"] = key.uuidString
            let answer = try await performed(write, request)
            // The object may have been changed between the two requests, and changed back.
            guard case let .conflict(current?) = answer, write.isExpected(current) else { return answer }
            let second = try await performed(write, request)
            guard case let .conflict(current?) = second, write.isExpected(current) else { return second }
            return .refused(
                reason:
                    "the server leaves \(schema.name) \(write.id) as it is, without an error; it may not allow this "
                    + "user to change it")
        } catch {
            return await answer(to: write, error)
        }
    }

    private func performed(
        _ write: OutboxWrite<Object>, _ request: PostgRESTRequest
    ) async throws(CoreError) -> OutboxAnswer<Object> {
        let answer = try schema.objects(fromJSON: try await access(request).body).get()
        let rows = answer.filter { $0.id == write.id }
        if rows.isEmpty, let other = answer.first {
            // If it were sent again, an insertion could add another object each time.
            return .refused(reason: "the server answered with \(schema.name) \(other.id) instead of \(write.id)")
        }
        switch write.kind {
        case .insert, .upsert: return .accepted(rows.first ?? write.applied(to: nil))
        case .update, .delete:
            if let row = rows.first { return .accepted(write.kind == .delete ? nil : row) }
            let current = try await current(write.id)
            return current == nil && write.kind == .delete ? .accepted(nil) : .conflict(current)
        }
    }

    private func request(for write: OutboxWrite<Object>) throws(CoreError) -> PostgRESTRequest {
        switch write.kind {
        case .insert, .upsert:
            return .insert(try schema.json(ofColumns: write.new).get())
        case .update:
            return .update(try filter(write), to: try schema.json(ofColumns: write.new).get(), key: schema.id.name)
        case .delete:
            var request = PostgRESTRequest.delete(try filter(write), key: schema.id.name)
            request.headers["Prefer"] = "return=representation"
            return request
        }
    }

    /// Returns the condition of the write's row, including the write's expectations.
    private func filter(_ write: OutboxWrite<Object>) throws(CoreError) -> PostgRESTCondition {
        var parts: [PostgRESTCondition] = []
        var length = 0
        for (column, value) in [(0, write.id.primitiveValue)] + write.expectations.filter({ $0.column != 0 }) {
            let translation: PostgRESTTranslation
            do throws(StoreError) {
                let attribute = schema.columns[column].attribute
                let condition =
                    column == 0
                    ? Condition(attribute, .equal, value) ?? .never : schema.columns[column].condition(of: value)
                translation = try PostgRESTTranslation(condition, in: schema, textOrder: configuration.textOrder)
            } catch {
                throw .request(RequestFailure("\(error)"))
            }
            length += "\(translation.condition)".utf8.count
            if column == 0 {
                guard translation.isExact else {
                    throw .request(RequestFailure("the id \(value) has no exact form in a request to the server"))
                }
            } else if !translation.isExact || length > configuration.maximumConditionLength {
                continue
            }
            parts.append(translation.condition)
        }
        return .joined(all: parts)
    }

    private func current(_ id: Object.ID) async throws(CoreError) -> Object? {
        do throws(StoreError) {
            return try await object(withId: id)
        } catch {
            // Without the current object the outcome is unknown, as without an answer: the write is sent again.
            throw .network(NetworkFailure(.connectionLost, detail: "\(error)"))
        }
    }

    private func answer(to write: OutboxWrite<Object>, _ error: CoreError) async -> OutboxAnswer<Object> {
        switch SendingFailure(error) {
        case let .unreachable(mayBeDone): return .unreachable(reason: "\(error)", mayBeDone: mayBeDone)
        case let .busy(after):
            return .busy(reason: "\(StoreError(error, key: SchemaKey(schema)))", after: after)
        case .refused:
            let refusal = StoreError(error, key: SchemaKey(schema))
            guard write.kind == .insert || write.kind == .upsert, error.isConflict else {
                return .refused(reason: "\(refusal)")
            }
            do throws(CoreError) {
                guard let current = try await current(write.id) else { return .refused(reason: "\(refusal)") }
                return .conflict(current)
            } catch {
                // Without reading the object it is unknown if this write has added it. The write is sent again.
                return .busy(reason: "\(StoreError(error, key: SchemaKey(schema)))")
            }
        }
    }
}

extension SchemaColumn {
    /// Returns the condition of the objects that have a value. Unlike in a query, NaN equals NaN.
    fileprivate func condition(of value: PrimitiveValue) -> Condition<Object> {
        // A server keeps more digits than a Float has, so it would find no equal number.
        if valueType is Float.Type || valueType is Float?.Type { return .always }
        guard value.isNaN else { return Condition(attribute, .equal, value) ?? .always }
        guard let isNumber = Condition(attribute, .lessOrEqual, .real(.infinity)) else { return .always }
        return Condition(attribute, .notEqual, .null).map { $0 && !isNumber } ?? !isNumber
    }
}

extension CoreError {
    /// `true` if the server reports a conflict with an existing row.
    fileprivate var isConflict: Bool {
        if case let .status(failure) = self { failure.code == 409 } else { false }
    }
}

extension Schema {
    /// Returns a row of the columns that have a value.
    fileprivate func json(ofColumns values: [PrimitiveValue?]) -> Result<Data, CoreError> {
        var writer = JSONWriter()
        writer.beginObject()
        for index in values.indices {
            guard let value = values[index] else { continue }
            writer.key(columns[index].name)
            if !value.write(to: &writer) {
                let reason = "PostgreSQL has no such \(columns[index].attribute.kind): \(value)"
                return .failure(.encoding(EncodingFailure(path: columns[index].name, reason: reason)))
            }
        }
        writer.endObject()
        return .success(writer.finish())
    }
}
