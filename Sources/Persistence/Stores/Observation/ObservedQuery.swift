import Feedback

/// An observed query for objects of any type. All its observers share the answer.
package final class ObservedQuery: Sendable {
    /// The ``ObservedObjects``; others after each change.
    typealias Answer = any AnyObject & Sendable

    private struct State: Sendable {
        var observations: [ObjectIdentifier: Observation] = [:]
        var answer: Answer?
        /// The changes since the answer, which need no request to the store; nil if the store must be asked.
        var edits: [TableEdit]?
        /// The number of threads that are asking the store.
        var asking = 0
        /// The number of the last request to the store, and that of the request which the answer is from.
        var begun = 0
        var stored = 0
        /// The number of the last request that may have missed a change by somebody else.
        var uncertain = 0
        /// True if the store was asked since a transaction was about to be committed.
        var hasAskedSinceCommit = true

        /// True if the answer is known, apart from the edits.
        var isKnown: Bool { edits != nil && asking == 0 }
        /// The answer, if nothing has changed since.
        var current: Answer? { isKnown && edits?.isEmpty == true ? answer : nil }
    }

    /// The table that the query asks.
    package let table: String
    private let question: any ObservedQuestion
    private let state = Locked(State())

    /// - Parameters:
    ///   - areSame: Compares two answers; nil if objects cannot be compared.
    ///   - isEditable: True if the store calls ``apply(_:)`` and ``noteOtherWriters()``.
    ///   - ask: Returns the present answer, or nil if the store was deallocated.
    package init<Object>(
        _ question: Question<Object>, table: String, id: Attribute<Object>,
        areSame: (@Sendable ([Object], [Object]) -> Bool)?, isEditable: Bool = false,
        ask: @escaping @Sendable () throws(StoreError) -> [Object]?
    ) throws(StoreError) where Object: Identifiable & Sendable, Object.ID: Primitive {
        self.table = table
        self.question = try TypedQuestion(question, id: id, areSame: areSame, isEditable: isEditable, ask: ask)
    }

    // MARK: - Observers

    func add(_ observation: Observation) {
        state.withLock { $0.observations[ObjectIdentifier(observation)] = observation }
    }

    /// Removes an observer; returns true if it was the last one.
    func remove(_ observation: Observation) -> Bool {
        state.withLock { state in
            state.observations[ObjectIdentifier(observation)] = nil
            return state.observations.isEmpty
        }
    }

    /// Tells the observers the new answer.
    package func tell() {
        for observation in state.withLock({ Array($0.observations.values) }) { observation.change(of: self) }
    }

    // MARK: - Changes

    /// Marks the last answer as stale. Call it before another thread can write.
    package func invalidate() { state.withLock { $0.edits = nil } }

    /// Prepares for ``apply(_:)``. Call it before the transaction is committed.
    ///
    /// Another process can commit before the changes of this one are recorded. An answer that is asked for meanwhile
    /// may have the changes of both, so older ones must not be made to it.
    func willCommit() { state.withLock { $0.hasAskedSinceCommit = $0.asking > 0 } }

    /// Records all changes of a transaction to the table. Call it, in the order of the transactions, before another
    /// thread can write.
    func apply(_ edit: TableEdit) {
        state.withLock { state in
            // An answer that is being asked for has these changes, or not. Many are not worth more than a request.
            let isEditable = state.isKnown && state.stored > state.uncertain && !state.hasAskedSinceCommit
            if isEditable, let edits = state.edits, edits.count < 16 {
                state.edits?.append(edit)
            } else {
                state.edits = nil
            }
        }
    }

    /// Records that somebody else may have changed the table, so that the present answer is not exactly the one before
    /// the next change.
    func noteOtherWriters() {
        state.withLock { state in
            state.uncertain = state.begun
            if state.edits?.isEmpty == false { state.edits = nil }
        }
    }

    /// Returns true if inserting or deleting one of these objects of its table could change the answer.
    func isConcerned<Element: Sendable>(by objects: [Element]) -> Bool {
        // The objects behind a full page are known only if nobody else has changed the page since.
        let answer = state.withLock { $0.stored > $0.uncertain ? $0.current : nil }
        return question.isConcerned(by: objects, answer)
    }

    // MARK: - The answer

    /// Returns the answer: if a change has concerned it, the last one with the change, or else the store's; nil if the
    /// store was deallocated.
    func answer() -> Result<Answer, StoreError>? {
        if let current = state.withLock({ $0.current }) { return .success(current) }
        let (previous, edits, number) = state.withLock { state in
            let edits = state.edits ?? []
            if edits.isEmpty { state.hasAskedSinceCommit = true }
            state.edits = []
            state.asking += 1
            state.begun += 1
            return (state.answer, edits, state.begun)
        }
        let objects: Answer
        do throws(StoreError) {
            if !edits.isEmpty, let edited = previous.flatMap({ question.edited($0, by: edits) }) {
                objects = edited
            } else {
                if !edits.isEmpty { state.withLock { $0.hasAskedSinceCommit = true } }
                guard let answer = try question.ask() else { return nil }
                objects = answer
            }
        } catch {
            state.withLock { state in
                state.asking -= 1
                state.edits = nil
            }
            return .failure(error)
        }
        return .success(store(objects, number, after: previous))
    }

    /// Stores an answer, unless it is the same as the one before it, or a thread that began to ask later has stored a newer one;
    /// returns the one that is stored.
    private func store(_ answer: Answer, _ number: Int, after previous: Answer?) -> Answer {
        var previous = previous
        while true {
            // Without the lock, since many objects may have to be compared. If another thread stores an answer meanwhile,
            // this one is compared with that, too.
            let unchanged = previous.flatMap { question.isSame($0, answer) ? $0 : nil }
            let stored = state.withLock { state -> Answer? in
                if number > state.stored, state.answer !== previous {
                    previous = state.answer
                    return nil
                }
                state.asking -= 1
                if number < state.stored, let newer = state.answer { return newer }
                state.stored = number
                if let unchanged { return unchanged }
                state.answer = answer
                return answer
            }
            if let stored { return stored }
        }
    }
}
