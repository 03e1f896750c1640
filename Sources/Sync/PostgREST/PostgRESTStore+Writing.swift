import Feedback
import Networking
import Persistence

// MARK: - Adding and replacing

extension PostgRESTStore {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        try await insert([object]).first ?? object
    }

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await insert(object) }
    }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        return try await answer(to: schema.json(of: objects).map(PostgRESTRequest.insert), rows)
    }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await insert(objects) }
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        let condition = try condition(ids: [object.id])
        let request = schema.json(of: object).map { PostgRESTRequest.update(condition, to: $0, key: key) }
        guard let stored = try await answer(to: request, rows).first else { throw .missing(id: "\(object.id)") }
        return stored
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await update(object) }
    }

    /// Replaces all of `objects`, or none if one is missing. If another client deletes one at the same moment, it
    /// exists again afterwards.
    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        let ids = objects.map(\.id.primitiveValue)
        let stored = Set(try await execute(filter(where: Condition(schema.id.attribute, in: ids) ?? .never)).map(\.id))
        if let missing = objects.first(where: { !stored.contains($0.id) }) { throw .missing(id: "\(missing.id)") }
        return try await upsert(objects)
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await update(objects) }
    }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object {
        try await answer(to: schema.json(of: [object]).map(PostgRESTRequest.upsert), rows).first ?? object
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        SignalProducer { () async throws(StoreError) in try await upsert(object) }
    }

    /// Adds or replaces all of `objects`; of objects with the same id, the last one counts.
    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        if objects.isEmpty { return [] }
        // PostgreSQL refuses to change one row twice in one statement.
        let last = Dictionary(objects.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var seen: Set<Object.ID> = []
        let rows = objects.compactMap { seen.insert($0.id).inserted ? last[$0.id] : nil }
        _ = try await answer(to: schema.json(of: rows).map(PostgRESTRequest.upsert), self.rows)
        return objects
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        SignalProducer { () async throws(StoreError) in try await upsert(objects) }
    }
}

// MARK: - Deleting

extension PostgRESTStore {
    public func delete(_ object: Object) async throws(StoreError) { try await delete([object]) }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    /// Removes those of `objects` that exist, many with one request.
    public func delete(_ objects: [Object]) async throws(StoreError) {
        // An id and its comma take about 40 bytes of the URL.
        let size = max(1, configuration.maximumConditionLength / 40)
        for start in stride(from: 0, to: objects.count, by: size) {
            let ids = objects[start..<min(start + size, objects.count)].map(\.id)
            _ = try await delete(try condition(ids: ids))
        }
    }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer<Void, StoreError> { () async throws(StoreError) in try await delete(objects) }
            .then(SignalProducer<Never, StoreError>.empty)
    }

    /// Removes the objects that match a condition. Throws `StoreError.refused(reason:)` if the condition has no exact
    /// form in the server's dialect.
    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        let translation = try translation(condition).fitting(configuration.maximumConditionLength, key: key)
        guard translation.isExact else {
            throw .refused(
                reason: "nothing was deleted, since the condition \(condition) has no exact form in the server's "
                    + "dialect; fetch the objects, and delete those")
        }
        return translation.condition == .never ? 0 : try await delete(translation.condition)
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        SignalProducer { () async throws(StoreError) in try await delete(where: condition) }
    }

    private func delete(_ condition: PostgRESTCondition) async throws(StoreError) -> Int {
        try await answer(to: .success(.delete(condition, key: key)), \.total)
    }
}
