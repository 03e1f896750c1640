extension FeedbackLoop {
    /// A property of what `derive` makes of the state, kept until it may have changed.
    ///
    /// ```swift
    /// let birds = loop.select(where: { _, event in event.isAboutAnimals }) { state in
    ///     state.animals.values.filter { $0.category == .bird }.sorted { $0.name < $1.name }
    /// }
    /// ```
    ///
    /// The property changes when the result differs from the one before. It follows the loop as long as it is held or
    /// observed. Nothing of the state is kept but the result.
    ///
    /// - Parameters:
    ///   - isRelevant: Says in constant time, from the state after an event and the event, whether the result may have
    ///     changed. If not, `derive` is not called.
    ///   - derive: A pure function. Called in the loop's turn.
    @inlinable
    public func select<Output: Equatable & Sendable>(
        where isRelevant: @escaping @Sendable (State, Event) -> Bool = { _, _ in true },
        _ derive: @escaping @Sendable (State) -> Output
    ) -> Property<Output> {
        let last = Serial<Output?>(nil)
        return follow(where: isRelevant) { state in
            let output = derive(state)
            guard output != last.value else { return nil }
            last.value = output
            return output
        }
    }

    /// A property of what `derive` makes of some inputs from the state, computed anew only when one of them changes.
    ///
    /// ```swift
    /// let summary = loop.select(\.revision, \.filter) { revision, filter in describe(revision, filter) }
    /// ```
    ///
    /// It follows the loop as long as it is held or observed. The inputs are kept to compare them, so choose
    /// small ones: a collection that is kept here is copied by the reducer's next change to it.
    ///
    /// - Parameters:
    ///   - inputs: The parts of the state on which the result depends, such as key paths.
    ///   - isRelevant: Says in constant time, from the state after an event and the event, whether an input may have
    ///     changed. If not, they are not even compared.
    ///   - derive: A pure function. Called in the loop's turn.
    @inlinable
    public func select<each Input: Equatable & Sendable, Output: Sendable>(
        _ inputs: repeat @escaping @Sendable (State) -> each Input,
        where isRelevant: @escaping @Sendable (State, Event) -> Bool = { _, _ in true },
        derive: @escaping @Sendable (repeat each Input) -> Output
    ) -> Property<Output> {
        let last = Serial<(repeat each Input)?>(nil)
        return follow(where: isRelevant) { state in
            let current = (repeat (each inputs)(state))
            if let last = last.value, areEqual((repeat each last), (repeat each current)) { return nil }
            last.value = current
            return derive(repeat each current)
        }
    }

    /// - Parameter update: Returns what the property changes to, or `nil` for no change; never at the first call.
    @inlinable
    func follow<Output: Sendable>(
        where isRelevant: @escaping @Sendable (State, Event) -> Bool,
        update: @escaping @Sendable (State) -> Output?
    ) -> Property<Output> {
        // In this order: the state may be newer than the revision, which costs a comparison, but never older.
        let revision = core.revision
        guard let first = update(state) else { preconditionFailure("The first update of a selection has a value.") }
        let output = PropertyCore(first)
        let watching = core.addWatcher(since: revision) { state, event in
            if let event, !isRelevant(state, event) { return }
            if let changed = update(state) { output.set(changed) }
        }
        output.changes.scope.insert(watching)
        if let end = core.scope.add({ output.finish() }) { output.changes.scope.insert(end) }
        return Property(core: output)
    }
}

@inlinable
func areEqual<each Value: Equatable>(_ left: (repeat each Value), _ right: (repeat each Value)) -> Bool {
    for (left, right) in repeat (each left, each right) {
        guard left == right else { return false }
    }
    return true
}
