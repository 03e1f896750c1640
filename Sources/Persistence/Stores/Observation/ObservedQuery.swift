import Feedback

/// A query that is observed, whatever its objects.
package protocol AnyObservedQuery: AnyObject, Sendable {
    /// The table that it asks.
    var table: String { get }
    /// Returns whether one of these objects of its table could change the answer by coming or going.
    func isConcerned<Element: Sendable>(by objects: [Element]) -> Bool
    /// Marks the last answer as old. To be called before the next write can begin.
    func invalidate()
    /// Tells the observers.
    func tell()
}

/// A query that is observed. All its observers share the answer.
package final class ObservedQuery<Object: Identifiable & Sendable>: AnyObservedQuery where Object.ID: Primitive {
    struct Answer: Sendable {
        let objects: [Object]
        /// Grows with each change of the answer.
        let revision: Int
    }

    private struct State: Sendable {
        var observations: [ObjectIdentifier: Observation<Object>] = [:]
        var answer: Answer?
        var isStale = true
        /// The number of threads that are asking the store.
        var asking = 0
        /// The number of the last time that a thread began to ask, and of the one that the answer is from.
        var begun = 0
        var stored = 0

        var current: Answer? { isStale || asking > 0 ? nil : answer }
    }

    package let table: String
    private let filter: Filter<Object>
    private let limit: Int?
    private let comparings: [Comparing]
    private let ask: @Sendable () -> Result<[Object], StoreError>?
    private let isSame: (@Sendable ([Object], [Object]) -> Bool)?
    private let state = Locked(State())

    /// - Parameters:
    ///   - isSame: Compares two answers; nil if objects cannot be compared.
    ///   - ask: Returns the answer of the moment, or nil if the store is gone.
    package init(
        _ question: Question<Object>, table: String, id: Attribute<Object>,
        isSame: (@Sendable ([Object], [Object]) -> Bool)?, ask: @escaping @Sendable () -> Result<[Object], StoreError>?
    ) throws(StoreError) {
        self.table = table
        filter = try Filter(question.pagedCondition(id: id))
        limit = question.limit
        comparings = (question.criteria + [SortCriterion(id)]).map { $0.comparing }
        self.isSame = isSame
        self.ask = ask
    }

    // MARK: - Observers

    func add(_ observation: Observation<Object>) {
        state.withLock { $0.observations[ObjectIdentifier(observation)] = observation }
    }

    /// Returns whether it was the last one.
    func remove(_ observation: Observation<Object>) -> Bool {
        state.withLock { state in
            state.observations[ObjectIdentifier(observation)] = nil
            return state.observations.isEmpty
        }
    }

    package func tell() {
        for observation in state.withLock({ Array($0.observations.values) }) { observation.change(of: self) }
    }

    // MARK: - Changes

    package func invalidate() { state.withLock { $0.isStale = true } }

    package func isConcerned<Element: Sendable>(by objects: [Element]) -> Bool {
        // Two stores may keep different models in one table.
        guard Element.self == Object.self, let objects = objects as? [Object] else { return true }
        let answer = state.withLock { $0.current }
        return objects.contains { isConcerned(by: $0, answer) }
    }

    private func isConcerned(by object: Object, _ answer: Answer?) -> Bool {
        guard filter.passes(object) else { return false }
        guard let limit, let answer, answer.objects.count >= limit else { return true }
        // Objects that come after a page that is full do not change it.
        guard let last = answer.objects.last else { return limit > 0 }
        return withUnsafePointer(to: object) { object in
            withUnsafePointer(to: last) { last in
                for comparing in comparings {
                    let order = comparing(UnsafeRawPointer(object), UnsafeRawPointer(last))
                    if order != 0 { return order < 0 }
                }
                return true
            }
        }
    }

    // MARK: - The answer

    /// The answer, from the store if a change concerned it since it was asked last; nil if the store is gone.
    func answer() -> Result<Answer, StoreError>? {
        let (current, previous, number) = state.withLock { state -> (Answer?, Answer?, Int) in
            if let current = state.current { return (current, nil, 0) }
            state.isStale = false
            state.asking += 1
            state.begun += 1
            return (nil, state.answer, state.begun)
        }
        if let current { return .success(current) }
        let result = ask()
        guard case .success(let objects)? = result else {
            state.withLock { state in
                state.asking -= 1
                state.isStale = true
            }
            guard case .failure(let error)? = result else { return nil }
            return .failure(error)
        }
        let isUnchanged = previous.map { isSame?($0.objects, objects) ?? false } ?? false
        return state.withLock { state in
            state.asking -= 1
            // Another thread that began later knows better.
            if number < state.stored, let answer = state.answer { return .success(answer) }
            state.stored = number
            let revision = state.answer?.revision ?? 0
            if !isUnchanged || revision != previous?.revision {
                state.answer = Answer(objects: objects, revision: revision + 1)
            }
            return .success(state.answer ?? Answer(objects: objects, revision: revision + 1))
        }
    }
}
