extension Feedback {
    // MARK: - For each of several things

    /// Starts an effect for each element that appears in the collection that `transform` gets from the state. The
    /// effects of several elements run side by side. Each is cancelled when its element is no longer there, and starts
    /// anew if the element comes back; other changes of the state leave it alone.
    ///
    /// ```swift
    /// // Looks for each of the words. Taking one out cancels its request, and none of the others.
    /// let searching = Feedback<State, Event>(eachNew: \.words) { word in
    ///     api.search(word).map(Event.didFind).replaceError(Event.didFail)
    /// }
    /// ```
    ///
    /// The elements of the first state are new. Of equal elements the first one counts; one that does not equal itself,
    /// such as a NaN, has no effect. Elements that leave are cancelled before new ones start; new ones start in the
    /// collection's order. After each event the elements are compared with those before, so the collection should hold what
    /// is under way, not all that there is.
    @inlinable
    public init<Elements: Collection & SendableMetatype, Effect: SignalProducerConvertible>(
        eachNew transform: @escaping @Sendable (State) -> Elements,
        effects: @escaping @Sendable (Elements.Element) -> Effect,
        name: String = #function
    ) where Elements.Element: Hashable & Sendable, Effect.Value == Event, Effect.Error == NoError {
        self.init(eachNew: transform, id: { $0 }, effects: effects, name: name)
    }

    /// Starts an effect for each element with a new id that appears in the collection that `transform` gets from the
    /// state. The effects of several elements run side by side. Each is cancelled when no element has its id any more;
    /// a change of the element's other parts leaves it alone.
    ///
    /// ```swift
    /// // Goes on if an animal's category changes.
    /// let searching = Feedback<State, Event>(eachNew: \.visibleAnimals, id: \.name) { animal in
    ///     api.search(animal.name).map(Event.didFind).replaceError(Event.didFail)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Gets the identity of an element. Of elements with the same one the first counts; one whose identity does not
    ///     equal itself, such as a NaN, has no effect.
    ///   - effects: Gets the element as it is when it appears.
    @inlinable
    public init<Elements: Collection & SendableMetatype, ID: Hashable & Sendable, Effect: SignalProducerConvertible>(
        eachNew transform: @escaping @Sendable (State) -> Elements,
        id: @escaping @Sendable (Elements.Element) -> ID,
        effects: @escaping @Sendable (Elements.Element) -> Effect,
        name: String = #function
    ) where Effect.Value == Event, Effect.Error == NoError {
        self.init(
            name: name,
            attach: { output, _ in
                // The loop ends the effects that run when it stops.
                let running = EffectsByID<ID, Event>(output)
                return { state, _ in
                    let elements = transform(state)
                    running.update(to: elements.lazy.map(id)) {
                        for element in elements {
                            running.start(id(element)) { effects(element).producer }
                        }
                    }
                }
            })
    }

    /// Starts an effect for each element that appears in the collection that `transform` gets from the state. The
    /// effects of several elements run side by side. Each is cancelled when its element is no longer there.
    public init<Elements: Collection & SendableMetatype>(
        eachNew transform: @escaping @Sendable (State) -> Elements,
        effects: @escaping @Sendable (Elements.Element) async -> Event?,
        name: String = #function
    ) where Elements.Element: Hashable & Sendable {
        self.init(eachNew: transform, id: { $0 }, effects: effects, name: name)
    }

    /// Starts an effect for each element with a new id that appears in the collection that `transform` gets from the
    /// state. The effects of several elements run side by side. Each is cancelled when no element has its id any more.
    public init<Elements: Collection & SendableMetatype, ID: Hashable & Sendable>(
        eachNew transform: @escaping @Sendable (State) -> Elements,
        id: @escaping @Sendable (Elements.Element) -> ID,
        effects: @escaping @Sendable (Elements.Element) async -> Event?,
        name: String = #function
    ) where Elements.Element: Sendable {
        self.init(
            eachNew: transform, id: id,
            effects: { element in
                SignalProducer<Event?, NoError> { () async -> Event? in await effects(element) }.skipNil()
            }, name: name)
    }
}

/// The effects of a feedback that has one for each of several things.
@usableFromInline
final class EffectsByID<ID: Hashable & Sendable, Event: Sendable>: Sendable {
    @usableFromInline let output: FeedbackOutput<Event>
    // Both are guarded by law 1: only read and written in the loop's turn.
    /// The ids in the last state, in their order, with those that came twice. They share no memory with the state,
    /// which would have to be copied for its next change.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var ids: [ID] = []
    /// The effects of the things that are there, also those that have completed: their events may still be queued.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var runs: [ID: EffectRun<Event>] = [:]

    @inlinable
    init(_ output: FeedbackOutput<Event>) {
        self.output = output
    }

    /// Cancels the effects of the things that are gone, and calls `startNew` if the ids have changed.
    @inlinable
    func update(to new: some Sequence<ID>, startNew: () -> Void) {
        // Most events change nothing here, and then no memory is allocated.
        guard !new.elementsEqual(ids) else { return }
        let old = ids
        ids = new.map { $0 }
        let present = Set(ids)
        for id in old where !present.contains(id) {
            guard let run = runs.removeValue(forKey: id) else { continue }
            output.cancel(run)
            run.dispose()
        }
        startNew()
    }

    /// Starts the effect of a thing, if it has none.
    @inlinable
    func start(_ id: ID, _ effect: () -> SignalProducer<Event, NoError>) {
        // Under an id that does not equal itself, the effect would not be found again, and never be cancelled.
        guard runs[id] == nil, id == id else { return }
        let run = EffectRun(output)
        guard output.begin(run) else { return }
        runs[id] = run
        run.start(effect())
    }
}
