// The steps of a loop, and their listeners.

extension LoopCore {
    /// Calls `observer` with each step from now on, until the returned disposable is disposed or the loop stops.
    func addListener(_ observer: Observer<LoopStep<State, Event>, NoError>) -> any Disposable {
        let listener = StepListener(observer)
        effects.expectListener()
        let add: @Sendable () -> Void = { self.insert(listener) }
        let isEarly = earlyListening.withLock { early in
            early?.append(add)
            return early != nil
        }
        if !isEarly { perform(add) }
        return AnyDisposable { [weak self] in
            guard let core = self else { return }
            core.perform { core.remove(listener) }
        }
    }

    // MARK: - In the loop's turn

    @usableFromInline
    func reportChanges() {
        if !listeners.isEmpty { report(effects.takeChanges()) }
    }

    @usableFromInline
    @inline(never)
    func handleAndReport(_ event: Event, of effect: EffectToken?) {
        let (changes, isWithdrawn) = effects.takeChanges(before: effect)
        report(changes)
        let source = effect?.source ?? .sent
        if isWithdrawn { return report(.withdrawn(event, from: source)) }
        let after = state.modify { state in
            reduce(&state, event)
            return state
        }
        countChange()
        report(.reduced(event, from: source, state: after))
        react(to: after, after: event)
        report(effects.takeChanges())
    }

    private func insert(_ listener: StepListener<State, Event>) {
        guard !stopped.load(ordering: .acquiring) else { return listener.observer.sendCompleted() }
        let (changes, running) = effects.changesAndRunning()
        report(changes)
        listener.key = listeners.insert(listener)
        listener.observer.send(value: .initial(state.value, running: running))
    }

    private func remove(_ listener: StepListener<State, Event>) {
        effects.removeListener()
        if let key = listener.key { _ = listeners.remove(key) }
    }

    @usableFromInline
    func addEarlyListeners() {
        for add in earlyListening.withLock({ $0.take() }) ?? [] { add() }
    }

    private func report(_ changes: [RunningEffects.Change]) {
        for change in changes {
            switch change {
            case let .started(effect): report(.started(effect))
            case let .ended(effect, end): report(.ended(effect, end))
            }
        }
    }

    private func report(_ step: LoopStep<State, Event>) {
        if listeners.isStale { listeners.refresh() }
        for call in listeners.calls { call._withUnsafeGuaranteedRef { $0.observer.send(value: step) } }
    }
}

/// A listener to the steps of a loop.
@usableFromInline
final class StepListener<State: Sendable, Event: Sendable>: Sendable {
    let observer: Observer<LoopStep<State, Event>, NoError>
    // Guarded by the lane of the loop.
    nonisolated(unsafe) var key: Roster<StepListener>.Key?

    init(_ observer: Observer<LoopStep<State, Event>, NoError>) {
        self.observer = observer
    }
}
