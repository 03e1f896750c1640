import Synchronization

/// The engine of a loop: a lane through which its events pass one by one.
///
/// The lane is taken from the beginning, so events are queued; `start` opens it. "In the loop's turn" means: inside the
/// lane.
@usableFromInline
final class LoopCore<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline typealias Watch = Feedback<State, Event>.Watch

    @usableFromInline
    enum Item: Sendable {
        case event(Event, EffectToken?)
        case work(@Sendable () -> Void)
    }

    @usableFromInline let state: PropertyCore<State>
    @usableFromInline let reduce: Reducer<State, Event>
    @usableFromInline let lane = Lane<Item>(isTaken: true)
    @usableFromInline let stopped = Atomic(false)
    @usableFromInline let started = Atomic(false)
    /// True if an event was sent before the start.
    @usableFromInline let hasEarlyEvent = Atomic(false)
    /// The number of events that have changed the state. Written in the loop's turn, after the change; read anywhere.
    @usableFromInline let changeCount = Atomic(0)
    /// The things that end with the loop.
    @usableFromInline let scope = CompositeDisposable()

    @usableFromInline let effects = RunningEffects()
    /// Work that adds the listeners that came before the start; `nil` after the start.
    @usableFromInline let earlyListening = Locked<[@Sendable () -> Void]?>([])

    // The three are guarded by the lane.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var watchers = Roster<Watcher<State, Event>>()
    @exclusivity(unchecked)
    @usableFromInline nonisolated(unsafe) var listeners = Roster<StepListener<State, Event>>()
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var feedbacks: [Feedback<State, Event>]

    @inlinable
    init(initial: State, reduce: @escaping Reducer<State, Event>, feedbacks: [Feedback<State, Event>]) {
        state = PropertyCore(initial)
        self.reduce = reduce
        self.feedbacks = feedbacks
    }

    // MARK: - From anywhere

    /// - Returns: True if the event was accepted.
    @inlinable
    func send(_ event: Event, of effect: EffectToken? = nil) -> Bool {
        guard !stopped.load(ordering: .acquiring) else { return false }
        guard lane.enterIfFree() else { return queue(event, of: effect) }
        handle(event, of: effect)
        drain()
        return true
    }

    @inlinable @inline(never)
    func queue(_ event: Event, of effect: EffectToken?) -> Bool {
        if lane.enterOrLeaveBehind(.event(event, effect)) {
            handle(event, of: effect)
            drain()
        } else {
            if !started.load(ordering: .relaxed) { hasEarlyEvent.store(true, ordering: .relaxed) }
            relieve()
        }
        return true
    }

    /// Runs `work` in the loop's turn, after all that is queued.
    @inlinable
    func perform(_ work: @escaping @Sendable () -> Void) {
        guard lane.enter(or: .work(work)) else { return relieve() }
        carryOut(work)
        drain()
    }

    @inlinable
    func start() {
        guard !started.exchange(true, ordering: .acquiringAndReleasing) else { return }
        addEarlyListeners()
        // A feedback may stop the loop.
        for (index, feedback) in feedbacks.enumerated() where !stopped.load(ordering: .acquiring) {
            let route = FeedbackOutput<Event>.Route(
                to: effects, of: FeedbackID(index: index, name: feedback.name),
                enqueue: { event, effect in _ = self.send(event, of: effect) }, enqueueWork: { self.perform($0) })
            if let watch = feedback.attach(FeedbackOutput(route), scope) { _ = watchers.insert(Watcher(watch)) }
        }
        feedbacks = []
        if !stopped.load(ordering: .acquiring) { react(to: state.value, after: nil) }
        reportChanges()
        drain()
    }

    @usableFromInline
    func stop() {
        guard let running = effects.stop() else { return }
        stopped.store(true, ordering: .releasing)
        // An effect whose start has not returned is not in `scope` yet, so it is disposed here.
        for effect in running { effect.dispose() }
        scope.dispose()
        if started.exchange(true, ordering: .acquiringAndReleasing) {
            perform { self.close() }
        } else {
            // Never opened: no other thread is inside.
            addEarlyListeners()
            close()
            drain()
        }
    }

    /// True if events wait for a start that has not come.
    @usableFromInline
    var isForgotten: Bool {
        hasEarlyEvent.load(ordering: .acquiring) && !started.load(ordering: .acquiring)
    }

    @usableFromInline
    var revision: Int { changeCount.load(ordering: .acquiring) }

    /// Calls `watch` after each event from now on, until the returned disposable is disposed or the loop stops.
    ///
    /// - Parameter revision: The revision that the caller has seen. If the state has changed since, `watch` is called
    ///   with the current state and no event first.
    @inlinable
    func addWatcher(since revision: Int, _ watch: @escaping Watch) -> any Disposable {
        let watcher = Watcher(watch)
        let disposable = AnyDisposable { [weak self] in
            guard let core = self else { return }
            core.perform { core.removeWatcher(watcher) }
        }
        perform {
            guard !disposable.isDisposed, !self.stopped.load(ordering: .acquiring) else { return }
            watcher.key = self.watchers.insert(watcher)
            if revision != self.revision { watch(self.state.value, nil) }
        }
        return disposable
    }

    // MARK: - In the loop's turn

    @inlinable
    func handle(_ event: Event, of effect: EffectToken?) {
        if isSpecialized(forLarge: State.self) { return unspecializedHandle(event, of: effect) }
        guard listeners.isEmpty else { return handleAndReport(event, of: effect) }
        if stopped.load(ordering: .acquiring) { return }
        if let effect, effect.isWithdrawn { return }
        if watchers.isEmpty {
            state.modify { reduce(&$0, event) }
            countChange()
        } else {
            let after = state.modify { state in
                reduce(&state, event)
                return state
            }
            countChange()
            react(to: after, after: event)
        }
    }

    @inlinable
    func countChange() {
        changeCount.store(changeCount.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    }

    @inlinable
    func react(to state: State, after event: Event?) {
        if watchers.isStale { watchers.refresh() }
        for call in watchers.calls { call._withUnsafeGuaranteedRef { $0.watch(state, event) } }
    }

    @inlinable
    func drain() {
        if !lane.leaveUnlessItemsWait() { workAndLeave() }
    }

    // Not a part of `drain()`, which would retain the loop for this closure even if no item is queued.
    @inlinable @inline(never)
    func workAndLeave() {
        // The caller holds the loop. If the closure held it too, it would be retained again for each item.
        let core = Unmanaged.passUnretained(self)
        lane.workAndLeave { item in core._withUnsafeGuaranteedRef { $0.handle(item) } }
    }

    /// Called after an item was queued.
    @inlinable
    func relieve() {
        lane.relieve { handle($0) }
    }

    @inlinable
    func handle(_ item: consuming Item) {
        switch consume item {
        case let .event(event, effect): handle(event, of: effect)
        case let .work(work): carryOut(work)
        }
    }

    @usableFromInline
    func carryOut(_ work: @Sendable () -> Void) {
        work()
        reportChanges()
    }

    @usableFromInline
    func removeWatcher(_ watcher: Watcher<State, Event>) {
        if let key = watcher.key { _ = watchers.remove(key) }
    }

    private func close() {
        feedbacks = []
        _ = watchers.removeAll()
        reportChanges()
        for listener in listeners.removeAll() { listener.observer.sendCompleted() }
        state.finish()
    }
}

/// Something that looks at the state after each event.
@usableFromInline
final class Watcher<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let watch: Feedback<State, Event>.Watch
    // Guarded by the lane of the loop.
    @usableFromInline nonisolated(unsafe) var key: Roster<Watcher>.Key?

    @inlinable
    init(_ watch: @escaping Feedback<State, Event>.Watch) {
        self.watch = watch
    }
}
