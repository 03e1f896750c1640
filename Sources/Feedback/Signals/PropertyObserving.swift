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
        if isSpecialized(forLarge: Value.self) { return unspecializedObserveToDerive(observer, during: lifetime) }
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
        var latecomer: UInt?
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
                            guard isDerived else { return { [self] in addInside(shut.input, observation, to: signal) } }
                            let key = insertLatecomer(shut, observation)
                            latecomer = key
                            return { [self] in
                                current.withLock { _ in removeLatecomer(key) }
                                addInside(shut.input, observation, to: signal)
                            }
                        }())
                    // The lane may have become free meanwhile.
                    if entered, let latecomer { removeLatecomer(latecomer) }
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
    ///
    /// - Returns: The key for `removeLatecomer(_:)`.
    @usableFromInline
    func insertLatecomer(_ gate: Gate<Value, NoError>, _ observation: Observation<Value, NoError>) -> UInt {
        let all = latecomers as? Latecomers<Value> ?? Latecomers()
        latecomers = all
        return all.insert((gate, observation))
    }

    /// Under the lock.
    @usableFromInline
    func removeLatecomer(_ key: UInt) {
        guard let all = latecomers as? Latecomers<Value> else { return }
        all.remove(key)
        if all.isEmpty { latecomers = nil }
    }

    /// The latecomers of this moment. Under the lock.
    @usableFromInline
    func snapshot(of latecomers: any AnyObject & Sendable) -> any AnyObject & Sendable {
        (latecomers as? Latecomers<Value>)?.copy() ?? latecomers
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
            // Not in a lane: while another thread is inside, a property that is no longer needed would get further values.
            thread.unroll { [core] in core.changes.release() }
        }
    }
}

/// Observers of a property that are about to be added.
///
/// There may be many of them while a thread is in the lane for long, so inserting and removing one takes a short time.
final class Latecomers<Value: Sendable>: @unchecked Sendable {  // Sendable: the lock of the property guards it.
    typealias Entry = (gate: Gate<Value, NoError>, observation: Observation<Value, NoError>)

    private var entries: Bag<Entry>
    /// The number of entries at which those that are disposed, and get no values any more, are removed.
    private var limit = 8

    init(_ entries: Bag<Entry> = Bag()) {
        self.entries = entries
    }

    var all: some Sequence<Entry> { entries.slots.lazy.compactMap(\.element) }
    var isEmpty: Bool { entries.isEmpty }

    func copy() -> Latecomers { Latecomers(entries) }

    func insert(_ entry: Entry) -> UInt {
        if entries.count >= limit {
            for slot in entries.slots where slot.element?.observation.isDisposed == true { remove(slot.key) }
            limit = entries.count * 2 + 8
        }
        return entries.insert(entry)
    }

    func remove(_ key: UInt) { _ = entries.remove(key) }
}
