import Feedback

// What a store can do by what it must do. A store that can do it in one step does so itself; these take several, so that a
// batch which fails half way leaves its first half done.

extension Store {
    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        update(object).flatMapError { error in
            if case .missing = error { insert(object) } else { SignalProducer(error: error) }
        }
    }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { each(of: objects) { insert($0) } }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { each(of: objects) { update($0) } }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { each(of: objects) { upsert($0) } }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer(objects).promoteError(StoreError.self).flatMap(.concat) { delete($0) }
    }

    public func delete(where predicate: Predicate<Object>) -> SignalProducer<Int, StoreError> {
        filter(where: predicate).result().flatMap(.concat) { objects in
            delete(objects).then(SignalProducer<Int, StoreError>(value: objects.count))
        }
    }

    public func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError> {
        filter(where: query.predicate).result().map(\.count)
    }

    public func plan(_ query: Query<Self>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer(value: QueryPlan(steps: ["ASK \(Self.self) for \(query)"]))
    }

    public func fetch(_ query: Query<Self>) async throws(StoreError) -> [Object] {
        try await execute(query).value()
    }

    public func perform(_ change: StoreChange<Object>) async throws(StoreError) -> [Object] {
        switch change {
        case .insert(let objects):
            if objects.count == 1 { return [try await insert(objects[0]).value()] }
            return try await insert(objects).value()
        case .update(let objects):
            if objects.count == 1 { return [try await update(objects[0]).value()] }
            return try await update(objects).value()
        case .upsert(let objects):
            if objects.count == 1 { return [try await upsert(objects[0]).value()] }
            return try await upsert(objects).value()
        case .delete(let objects):
            if objects.count == 1 { try await delete(objects[0]).wait() } else { try await delete(objects).wait() }
            return []
        }
    }

    private func each(
        of objects: [Object], _ body: @escaping @Sendable (Object) -> SignalProducer<Object, StoreError>
    ) -> SignalProducer<[Object], StoreError> {
        SignalProducer(objects).promoteError(StoreError.self).flatMap(.concat, body).collect()
    }
}
