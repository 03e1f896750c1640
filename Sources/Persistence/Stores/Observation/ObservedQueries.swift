import Feedback

/// The queries of a store or a database that are observed.
package final class ObservedQueries: Sendable {
    private let queries = Locked<[AnyHashable: ObservedQuery]>([:])

    package init() {}

    /// The queries that are observed now.
    package var all: [ObservedQuery] { queries.withLock { Array($0.values) } }

    /// Adds an observer, and tells it the present answer. Queries with equal keys share their answer.
    ///
    /// - Returns: A function that ends the observation.
    package func observe<Object: Identifiable & Sendable>(
        _ key: QueryKey<Object>, _ newQuery: @autoclosure () throws(StoreError) -> ObservedQuery,
        by observer: Observer<[Object], StoreError>
    ) throws(StoreError) -> @Sendable () -> Void where Object.ID: Primitive {
        let observation = Observation { result in
            switch result {
            // Equal keys are of the same type, and so are the objects of their queries.
            case .success(let answer):
                observer.send(value: unsafeDowncast(answer, to: ObservedObjects<Object>.self).all)
            case .failure(let error): observer.send(error: error)
            }
        }
        let key = Key(AnyHashable(key))
        // From here on, each change is recorded, so that none is missed between asking and observing.
        let query: ObservedQuery
        if let known = add(observation, key, orTo: nil) {
            query = known
        } else {
            let new = try newQuery()
            query = add(observation, key, orTo: new) ?? new
        }
        observation.start(of: query)
        return { [weak self, weak observation, weak query] in
            guard let observation else { return }
            observation.end()
            guard let query else { return }
            self?.queries.withLock { queries in
                if query.remove(observation), queries[key.value] === query { queries[key.value] = nil }
            }
        }
    }

    /// Adds an observer to the query with a key, or to a new one. Returns nil if there is neither.
    private func add(_ observation: Observation, _ key: Key, orTo new: ObservedQuery?) -> ObservedQuery? {
        queries.withLock { queries in
            guard let query = queries[key.value] ?? new else { return nil }
            query.add(observation)
            queries[key.value] = query
            return query
        }
    }

    // Unchecked, since it is never changed, and holds values that are Sendable.
    private struct Key: @unchecked Sendable {
        let value: AnyHashable

        init(_ value: AnyHashable) { self.value = value }
    }
}

/// The identity of a question to a store; equal questions share their answer.
package struct QueryKey<Object: Identifiable & Sendable>: Hashable, Sendable where Object.ID: Primitive {
    private let store: Int?
    private let condition: AnyCondition
    private let criteria: [AnySortCriterion]
    private let limit: Int?
    private let offset: Int
    private let after: [PrimitiveValue]?

    package init(_ question: Question<Object>, store: Int? = nil) {
        self.store = store
        condition = question.condition.erased
        criteria = question.order
        limit = question.limit
        offset = question.offset
        after = question.after.map { object in
            question.criteria.map { $0.attribute.value(in: object) } + [object.id.primitiveValue]
        }
    }
}
