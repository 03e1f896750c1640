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

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        filter(where: condition).result().flatMap(.concat) { objects in
            delete(objects).then(SignalProducer<Int, StoreError>(value: objects.count))
        }
    }

    public func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError> {
        filter(where: query.condition).result().map(\.count)
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        filter(where: Condition(id: id)).result().map(\.first)
    }

    public func plan(_ query: Query<Self>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer(value: QueryPlan(steps: ["ASK \(Self.self) for \(query)"]))
    }

    private func each(
        of objects: [Object], _ body: @escaping @Sendable (Object) -> SignalProducer<Object, StoreError>
    ) -> SignalProducer<[Object], StoreError> {
        SignalProducer(objects).promoteError(StoreError.self).flatMap(.concat, body).collect()
    }
}
