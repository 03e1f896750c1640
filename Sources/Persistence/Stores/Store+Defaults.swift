import Feedback

// The defaults of a store that implements only four functions. Most of them take several steps, so a batch that fails
// half way leaves its first half done. A store that can do it in one step replaces the default.

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

    public func delete(ids: [Object.ID]) -> SignalProducer<Int, StoreError> { delete(where: Condition(ids: ids)) }

    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) -> SignalProducer<Int, StoreError> {
        filter(where: condition).result().flatMap(.concat) { objects in
            SignalProducer(
                result: Result { () throws(StoreError) in
                    var changes: [Object] = []
                    for object in objects { changes.append(try changed(object, by: assignments)) }
                    return changes
                }
            ).flatMap(.concat) { changes in update(changes) }.map(\.count)
        }
    }

    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) -> SignalProducer<MergeResult<Object>, StoreError> {
        let affected = condition || Condition(ids: objects.map(\.id))
        return filter(where: affected).result().flatMap(.concat) { stored in
            let plan = Result { () throws(StoreError) in
                let isMatching = try condition.compiled()
                return try MergePlan(of: objects, into: stored, isMatching: isMatching, isSame: areEqual).result
            }
            return SignalProducer(result: plan).flatMap(.concat) { result in
                delete(result.deleted)
                    .then(update(result.updated))
                    .then(insert(result.inserted))
                    .map { _ in result }
            }
        }
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<Self>
    ) -> SignalProducer<[[PrimitiveValue]], StoreError> {
        filter(where: query.condition).result().attemptMap { objects in
            Result { () throws(StoreError) in try aggregate.rows(of: objects) }
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

    /// Sets properties of the objects that match `condition`, and emits how many there were.
    public func update(
        where condition: Condition<Object>, set assignments: Assignment<Object>...
    ) -> SignalProducer<Int, StoreError> {
        update(where: condition, set: assignments)
    }

    /// Sets properties of the objects that match `condition`, and returns how many there were.
    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: Assignment<Object>...
    ) async throws(StoreError) -> Int {
        try await update(where: condition, set: assignments)
    }

    /// Makes the store hold exactly `objects`, and emits the changes that it made; see `merge(_:where:)`.
    public func merge(_ objects: [Object]) -> SignalProducer<MergeResult<Object>, StoreError> {
        merge(objects, where: .always)
    }

    /// Makes the store hold exactly `objects`, and returns the changes that it made; see `merge(_:where:)`.
    @discardableResult
    public func merge(_ objects: [Object]) async throws(StoreError) -> MergeResult<Object> {
        try await merge(objects, where: .always)
    }

    private func each(
        of objects: [Object], _ body: @escaping @Sendable (Object) -> SignalProducer<Object, StoreError>
    ) -> SignalProducer<[Object], StoreError> {
        SignalProducer(objects).promoteError(StoreError.self).flatMap(.concat, body).collect()
    }
}

/// Returns whether two objects are equal; false if their type cannot be compared.
func areEqual<Object>(_ lhs: Object, _ rhs: Object) -> Bool {
    func isEqual<Value: Equatable>(_ lhs: Value) -> Bool { (rhs as? Value).map { $0 == lhs } ?? false }
    return (lhs as? any Equatable).map { isEqual($0) } ?? false
}
