// The observers of a property, and the properties that are derived from it.

extension PropertyCore {
    /// Delivers the current value at once, then each change from there on, none missed and none twice.
    @usableFromInline
    func observe(_ observer: Observer<Value, NoError>, during lifetime: Lifetime) {
        settle()
        let observation = changes.expectObserver(interrupts: true)
        lifetime.scope.insert(observation)
        add(observer, observation, to: changes)
    }

    /// The same for a property that is derived from this one, and that keeps this one's source at work.
    @inlinable
    func observeToDerive(_ observer: Observer<Value, NoError>, during lifetime: Lifetime) {
        changes.hold()
        let observation = derivations.expectObserver(interrupts: true)
        lifetime.scope.insert(Hold(on: self, observation, of: observer))
        ThreadState.current.propagate { _ in add(observer, observation, to: derivations) }
    }

    /// Delivers the current value, and adds the observer, unless the observation is disposed before.
    ///
    /// If the lane is taken, the observer is added later, and what comes before that waits at a gate. A source changes
    /// under the lock, and takes its place in the lane there. So each change comes behind the observer, or is in the
    /// value that it gets. A derived property changes inside of its lane, perhaps before an item that waits there. So
    /// the gate is one of `latecomers` from the time of the value until the observer is added:
    ///
    ///     thread A changes the property      thread B adds an observer
    ///                                        lock: reads the old value, leaves an item, is a latecomer
    ///     lock: sets, finds the latecomer
    ///     delivers to the latecomer
    ///     delivers to the observers
    ///     works on the item: no latecomer any more, but an observer
    ///
    ///     lock: sets
    ///                                        lock: reads the new value, leaves an item, is a latecomer
    ///     delivers to the observers
    ///     works on the item: no latecomer any more, but an observer
    @inlinable
    func add(
        _ observer: Observer<Value, NoError>, _ observation: Observation<Value, NoError>,
        to signal: SignalCore<Value, NoError>
    ) {
        var gate: Gate<Value, NoError>?
        var entered = false
        let isDerived = signal === derivations && !awaited.isEmpty
        pass(
            {
                current.withLock { value in
                    entered = signal.lane.lane.enter(
                        or: {
                            let receive = observer.receive
                            let part = observer.contramap { if !observation.isDisposed { receive($0) } }
                            let shut = Gate(part, isTaken: true)
                            gate = shut
                            return { [self] in
                                if isDerived { removeLatecomer(shut) }
                                addInside(shut.input, observation, to: signal)
                            }
                        }())
                    if !entered, isDerived, let gate { addLatecomer(gate, observation) }
                    return value
                }
            },
            to: { value in
                if observation.isDisposed { return }
                if entered { observer.receive(value) } else { gate?.deliver(value) }
            })
        if entered {
            addInside(observer, observation, to: signal)
            signal.lane.drain()
        } else if let gate {
            gate.drain()
            signal.lane.relieve()
        }
    }

    /// Under the lock.
    @usableFromInline
    func addLatecomer(_ gate: Gate<Value, NoError>, _ observation: Observation<Value, NoError>) {
        // Those that are disposed before they are added are no longer delivered to.
        let others = (latecomers as? Latecomers<Value>)?.all.filter { !$0.observation.isDisposed } ?? []
        latecomers = Latecomers(others + [(gate, observation)])
    }

    @usableFromInline
    func removeLatecomer(_ gate: Gate<Value, NoError>) {
        current.withLock { _ in
            let others = (latecomers as? Latecomers<Value>)?.all.filter { $0.gate !== gate } ?? []
            latecomers = others.isEmpty ? nil : Latecomers(others)
        }
    }

    /// Inside the lane of `signal`.
    @inlinable
    func addInside(
        _ observer: Observer<Value, NoError>, _ observation: Observation<Value, NoError>,
        to signal: SignalCore<Value, NoError>
    ) {
        if signal.hasEnded, !observation.isDisposed {
            observer.finish(.completed)
        } else {
            signal.add(observer, for: observation)
        }
    }
}

/// The observation of a property by one that is derived from it.
@usableFromInline
final class Hold<Value: Sendable>: Disposable {
    @usableFromInline let core: PropertyCore<Value>
    @usableFromInline let observation: Observation<Value, NoError>
    /// Held, so that the functions and values of the user's in it are not released inside a lane.
    @usableFromInline let observer: Observer<Value, NoError>

    @inlinable
    init(
        on core: PropertyCore<Value>, _ observation: Observation<Value, NoError>, of observer: Observer<Value, NoError>
    ) {
        self.core = core
        self.observation = observation
        self.observer = observer
    }

    @inlinable var isDisposed: Bool { observation.isDisposed }

    @inlinable
    func dispose() {
        guard !observation.isDisposed else { return }
        ThreadState.current.propagate { thread in
            thread.releaseLater(self)
            observation.dispose()
            // In the lane that a chain of properties shares, so that releasing a long one is no deep recursion.
            core.derivation.lane.perform { [core] in core.changes.release() }
        }
    }
}

/// Observers of a property that are about to be added.
final class Latecomers<Value: Sendable>: Sendable {
    typealias Entry = (gate: Gate<Value, NoError>, observation: Observation<Value, NoError>)

    let all: [Entry]

    init(_ all: [Entry]) {
        self.all = all
    }
}
