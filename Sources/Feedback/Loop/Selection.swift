extension FeedbackLoop {
    /// Returns a property of the result of `derive` for the state. `derive` is called after each event that passes
    /// `isRelevant`.
    ///
    /// ```swift
    /// let birds = loop.select(where: { _, event in event.isAboutAnimals }) { state in
    ///     state.animals.values.filter { $0.category == .bird }.sorted { $0.name < $1.name }
    /// }
    /// ```
    ///
    /// The property changes when the result differs from the one before. It follows the loop as long as it is held or
    /// observed. It keeps the result, and nothing else of the state.
    ///
    /// - Parameters:
    ///   - isRelevant: Gets the state after an event, and the event; returns true if the result may have changed. If it
    ///     returns false, `derive` is not called. It is called for each event, so it should take constant time.
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

    /// Returns a property of the result of `derive` for some inputs from the state. The result is computed again only
    /// when one of the inputs changes.
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
    ///   - isRelevant: Gets the state after an event, and the event; returns true if an input may have changed. If it
    ///     returns false, the inputs are not even compared. It is called for each event, so it should take constant
    ///     time.
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

    /// Emits the state together with the result of `derive` for it: at once, and then after each event. If the loop has not
    /// been started, the first ones come when it is.
    ///
    /// ```swift
    /// loop.producer(selecting: { $0.visibleAnimals }).startWithValues { state, animals in render(state, animals) }
    /// ```
    ///
    /// The two always belong together. `combineLatest(loop.property, loop.select(…))` does not promise this: after an
    /// event it has the new state with the old selection first. Unlike a property, the producer keeps no copy of the
    /// state.
    ///
    /// - Parameters:
    ///   - derive: A pure function. Called in the loop's turn.
    ///   - isRelevant: Gets the state after an event, and the event; returns true if the result may have changed. If it
    ///     returns false, `derive` is not called, and the result is the previous one. It is called for each event, so
    ///     it should take constant time.
    public func producer<Output: Sendable>(
        selecting derive: @escaping @Sendable (State) -> Output,
        where isRelevant: @escaping @Sendable (State, Event) -> Bool = { _, _ in true }
    ) -> SignalProducer<(state: State, selection: Output), NoError> {
        SignalProducer { [weak core] observer, lifetime in
            guard let core else { return observer.sendCompleted() }
            let last = Serial<Output?>(nil)
            // A revision is never -1, so the watcher is first called with the current state.
            lifetime += core.addWatcher(since: -1) { state, event in
                let kept = event.map { isRelevant(state, $0) } ?? true ? nil : last.value
                let selection = kept ?? derive(state)
                last.value = selection
                observer.send(value: (state, selection))
            }
            lifetime += core.scope.add { observer.sendCompleted() }
        }
    }

    /// - Parameter update: Returns the new value of the property, or `nil` for no change. The first call must return a
    ///   value.
    @inlinable
    func follow<Output: Sendable>(
        where isRelevant: @escaping @Sendable (State, Event) -> Bool,
        update: @escaping @Sendable (State) -> Output?
    ) -> Property<Output> {
        // The revision is read first: the state may then be newer, which costs a comparison, but never older.
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
