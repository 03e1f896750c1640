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
            // The server may remember its answer to the first request by the key.
            request.headers["Idempotency-Key"] = key.other.uuidString
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
        let response = try await access(request)
        guard case let .success(returned) = schema.readableRows(fromJSON: response.body) else {
            // It is not a list of rows.
            return await answer(afterDoing: write)
        }
        if let row = returned.objects.first(where: { $0.id == write.id }) {
            return .accepted(write.kind == .delete ? nil : row)
        }
        if let row = returned.unreadable.first(where: { $0.isRow(of: write.id) }) {
            return write.kind == .delete ? .accepted(nil) : .acceptedUnreadable(row.object, values: row.values)
        }
        if let other = returned.objects.first.map({ "\($0.id)" }) ?? returned.unreadable.first?.object.objectID {
            // If it were sent again, an insertion could add another object each time.
            return .refused(reason: "the server answered with \(schema.name) \(other) instead of \(write.id)")
        }
        switch write.kind {
        // A redirect may have made a question of the request, or a trigger of the server may have left the object out.
        case .insert, .upsert: return await answer(afterDoing: write)
        // No row has met the expectations.
        case .update, .delete: return try await answer(reading: write, mayBeDone: write.mayBeDone)
        }
    }

    /// Returns the answer to a write that the server's object means after the server has answered without an error.
    private func answer(afterDoing write: OutboxWrite<Object>) async -> OutboxAnswer<Object> {
        do throws(CoreError) {
            return try await answer(reading: write)
        } catch {
            // The question was not answered, but the write before it was.
            return failure(error, mayBeDone: true)
        }
    }

    /// Reads the server's object, and returns the answer to a write that it means.
    private func answer(
        reading write: OutboxWrite<Object>, mayBeDone: Bool = true
    ) async throws(CoreError) -> OutboxAnswer<Object> {
        let isInsertion = write.kind == .insert || write.kind == .upsert
        switch try await read(write.id) {
        case nil where isInsertion:
            return .refused(
                reason: "the server has answered without an error, and does not have \(schema.name) \(write.id)")
        case nil: return write.kind == .delete ? .accepted(nil) : .conflict(nil)
        case let .success(current)?:
            return isInsertion && write.isDone(in: current) ? .accepted(current) : .conflict(current)
        case let .failure(row)?:
            if write.isDone(inValues: row.values) {
                return .acceptedUnreadable(row.object, values: row.values, isResult: false)
            }
            if mayBeDone, write.kind != .delete { return .unconfirmed(reason: "\(row.object.error)") }
            return .refused(reason: "the server's object is another one now, which cannot be read: \(row.object.error)")
        }
    }

    /// Returns the server's object, or its row if that is not an object; nil if there is none.
    private func read(_ id: Object.ID) async throws(CoreError) -> Result<Object, UnreadableRow>? {
        let query = PostgRESTQuery(key: key, condition: try condition(id: id), limit: 1)
        let page = try schema.readableRows(fromJSON: try await access(.fetch(query)).body).get()
        return page.objects.first.map(Result.success) ?? page.unreadable.first.map(Result.failure)
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
        var parts = [try condition(id: write.id)]
        var rest = configuration.maximumConditionLength - parts[0].length(key: key)
        for (column, value) in write.expectations where column != 0 {
            let translation = try expectation(schema.columns[column], value)
            let length = translation.condition.length(key: key)
            guard translation.isExact, length <= rest else { continue }
            parts.append(translation.condition)
            rest -= length
        }
        return .joined(all: parts)
    }

    private func expectation(
        _ column: SchemaColumn<Object>, _ value: PrimitiveValue
    ) throws(CoreError) -> PostgRESTTranslation {
        // A server keeps more digits than a Float has, so it would find no equal number.
        if column.valueType is Float.Type || column.valueType is Float?.Type,
            let number = Float(primitiveValue: value), number.isFinite
        {
            return PostgRESTTranslation(.rounded(column.name, to: number))
        }
        return try sendable(column.condition(of: value))
    }

    private func condition(id: Object.ID) throws(CoreError) -> PostgRESTCondition {
        let isID = try sendable(Condition(schema.id.attribute, .equal, id.primitiveValue) ?? .never)
        guard isID.isExact else {
            throw .request(RequestFailure("the id \(id.primitiveValue) has no exact form in a request to the server"))
        }
        return isID.condition
    }

    private func sendable(_ condition: Condition<Object>) throws(CoreError) -> PostgRESTTranslation {
        do throws(StoreError) { return try translation(condition) } catch { throw .request(RequestFailure("\(error)")) }
    }

    private func answer(to write: OutboxWrite<Object>, _ error: CoreError) async -> OutboxAnswer<Object> {
        let failure = self.failure(error)
        guard write.kind == .insert || write.kind == .upsert, error.isConflict else { return failure }
        do throws(CoreError) {
            switch try await read(write.id) {
            case nil: return failure
            case let .success(current)?: return .conflict(current)
            case let .failure(row)?: return .unconfirmed(reason: "\(row.object.error)")
            }
        } catch {
            // Without reading the object it is unknown if this write has added it.
            return self.failure(error)
        }
    }

    private func failure(_ error: CoreError, mayBeDone: Bool? = nil) -> OutboxAnswer<Object> {
        OutboxAnswer(error, reason: "\(StoreError(error, key: SchemaKey(schema)))", mayBeDone: mayBeDone)
    }
}

extension PostgRESTCondition {
    /// Returns the condition of the numbers of many digits that become this number if they are rounded to a `Float`.
    fileprivate static func rounded(_ column: String, to number: Float) -> PostgRESTCondition {
        func edge(_ neighbour: Float) -> String {
            // A `real` column cannot compare with numbers that it cannot hold.
            if number == 0 || neighbour.isInfinite { return Double(neighbour).postgresText }
            return ((Double(neighbour) + Double(number)) / 2).postgresText
        }
        // A number in the middle between two is rounded to the even one.
        let isClosed = number != 0 && number.significandBitPattern.isMultiple(of: 2)
        return .joined(all: [
            .test(column, isClosed ? "gte" : "gt", .value(edge(number.nextDown))),
            .test(column, isClosed ? "lte" : "lt", .value(edge(number.nextUp))),
        ])
    }
}

extension UUID {
    /// Another key, which is always the same for this one.
    fileprivate var other: UUID {
        var bytes = uuid
        bytes.15 ^= 1
        return UUID(uuid: bytes)
    }
}

extension SchemaColumn {
    /// Returns the condition of the objects that have a value. Unlike in a query, NaN equals NaN.
    fileprivate func condition(of value: PrimitiveValue) -> Condition<Object> {
        guard value.isNaN else { return Condition(attribute, .equal, value) ?? (value == .null ? .never : .always) }
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
