import Synchronization

/// The lane of a signal, and of all signals that pass its events on as they come.
@usableFromInline
final class SignalLane: Sendable {
    @usableFromInline typealias Work = @Sendable () -> Void

    @usableFromInline let lane = Lane<Work>()

    @inlinable
    init() {}

    /// Runs `work` alone: now if the lane is free, or in its turn by whoever is inside.
    @inlinable
    func perform(_ work: @escaping Work) {
        guard lane.enter(or: work) else { return }
        work()
        drain()
    }

    @inlinable
    func drain() {
        lane.leave { $0() }
    }
}

/// What a signal is made of: its observers, and the lane in which they are called, come and go.
///
/// As observers only come and go inside the lane, a delivery walks over them without a lock and without a copy.
@usableFromInline
final class SignalCore<Value: Sendable, Error: Swift.Error>: Sendable {
    @usableFromInline let lane: SignalLane
    /// What ends with the signal. Disposed after the end was delivered, or when nobody can observe the signal any more.
    @usableFromInline let scope = CompositeDisposable()

    /// How many observers there are, or are about to be. Written from anywhere.
    @usableFromInline let observerCount = Atomic(0)

    // The three are guarded by the lane; so accesses need no check, which would cost more than the delivery does.
    @exclusivity(unchecked)
    @usableFromInline nonisolated(unsafe) var subscriptions = Roster<Subscription<Value, Error>>()
    @usableFromInline nonisolated(unsafe) var hasEnded = false
    /// Whether the `Signal` of this core still lives, so that observers may yet come.
    @usableFromInline nonisolated(unsafe) var isReferenced = true

    @inlinable
    init(lane: SignalLane = SignalLane()) {
        self.lane = lane
    }

    // MARK: - From anywhere

    @inlinable
    func send(_ value: Value) {
        if enter(orDeliver: value) { deliverAndLeave(value) }
    }

    /// Enters the lane, or leaves the value for whoever is inside to deliver.
    @inlinable
    func enter(orDeliver value: Value) -> Bool {
        lane.lane.enter(or: { self.deliver(value) })
    }

    @inlinable
    func deliverAndLeave(_ value: Value) {
        deliver(value)
        lane.drain()
    }

    @inlinable
    func finish(_ termination: Termination<Error>) {
        lane.perform { self.deliver(termination) }
    }

    /// - Parameter interrupts: Whether disposing the observation delivers `interrupted` to the observer.
    @inlinable
    func observe(_ observer: Observer<Value, Error>, interrupts: Bool = false) -> Observation<Value, Error> {
        let observation = expectObserver(interrupts: interrupts)
        lane.perform { self.add(observer, for: observation) }
        return observation
    }

    /// Announces an observer, for which `add` is called in the lane later.
    @inlinable
    func expectObserver(interrupts: Bool) -> Observation<Value, Error> {
        observerCount.add(1, ordering: .acquiringAndReleasing)
        return Observation(of: self, interrupts: interrupts)
    }

    /// Whether there is anybody to deliver to, now or in a moment.
    @inlinable
    var isObserved: Bool { observerCount.load(ordering: .acquiring) != 0 }

    /// Called when the `Signal` goes: without observers there will never be any, and the source can stop.
    @inlinable
    func release() {
        lane.perform {
            self.isReferenced = false
            self.endIfUnused()
        }
    }

    // MARK: - Inside the lane

    @inlinable
    func deliver(_ value: Value) {
        if subscriptions.isStale { subscriptions.refresh() }
        if subscriptions.calls.count == 1 {
            subscriptions.calls[0]._withUnsafeGuaranteedRef { $0.receive(value) }
        } else {
            for call in subscriptions.calls { call._withUnsafeGuaranteedRef { $0.receive(value) } }
        }
    }

    @inlinable
    func deliver(_ termination: Termination<Error>) {
        guard !hasEnded else { return }
        hasEnded = true
        for subscription in subscriptions.removeAll() {
            if !subscription.observation.isDisposed {
                subscription.observer.finish(termination)
            } else if subscription.observation.interrupts {
                subscription.observer.finish(.interrupted)
            }
        }
        scope.dispose()
    }

    @inlinable
    func add(_ observer: Observer<Value, Error>, for observation: Observation<Value, Error>) {
        if !hasEnded, !observation.isDisposed {
            observation.key = subscriptions.insert(Subscription(observer: observer, observation: observation))
            return
        }
        observerCount.subtract(1, ordering: .acquiringAndReleasing)
        if observation.interrupts || !observation.isDisposed { observer.finish(.interrupted) }
    }

    @inlinable
    func remove(_ observation: Observation<Value, Error>) {
        guard let key = observation.key, let subscription = subscriptions.remove(key) else { return }
        observerCount.subtract(1, ordering: .acquiringAndReleasing)
        if observation.interrupts { subscription.observer.finish(.interrupted) }
        endIfUnused()
    }

    @inlinable
    func endIfUnused() {
        guard !isReferenced, subscriptions.isEmpty, !hasEnded else { return }
        hasEnded = true
        scope.dispose()
    }
}

/// One observer in the bag of a signal.
@usableFromInline
final class Subscription<Value: Sendable, Error: Swift.Error>: Sendable {
    @usableFromInline let observer: Observer<Value, Error>
    @usableFromInline let observation: Observation<Value, Error>

    @inlinable
    init(observer: Observer<Value, Error>, observation: Observation<Value, Error>) {
        self.observer = observer
        self.observation = observation
    }

    @inlinable
    func receive(_ value: Value) {
        if !observation.isDisposed { observer.receive(value) }
    }
}

/// What a user holds of an observation. It does not hold the observer, which goes with the disposal.
@usableFromInline
final class Observation<Value: Sendable, Error: Swift.Error>: Disposable {
    @usableFromInline let core: SignalCore<Value, Error>
    @usableFromInline let interrupts: Bool
    @usableFromInline let disposed = Atomic(false)
    // Guarded by the lane of the core.
    @usableFromInline nonisolated(unsafe) var key: Roster<Subscription<Value, Error>>.Key?

    @inlinable
    init(of core: SignalCore<Value, Error>, interrupts: Bool) {
        self.core = core
        self.interrupts = interrupts
    }

    @inlinable var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    @inlinable
    func dispose() {
        guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        core.lane.perform { self.core.remove(self) }
    }
}
