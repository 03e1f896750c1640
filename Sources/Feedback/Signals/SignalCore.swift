import Synchronization

/// The lane of a signal, and of all signals that pass its events on as they come.
@usableFromInline
final class SignalLane: Sendable {
    @usableFromInline typealias Work = @Sendable () -> Void

    @usableFromInline let lane = Lane<Work>()
    /// The lane that signals deep in a long row of joined signals share; see `SignalPlace`.
    @usableFromInline let steps: SignalLane?

    @inlinable
    init(steps: SignalLane? = nil) {
        self.steps = steps
    }

    /// Runs `work` alone, after the steps under way in a long row of joined signals.
    @inlinable
    func step(_ work: @escaping Work) {
        if let steps { steps.perform { self.perform(work) } } else { perform(work) }
    }

    /// Runs `work` alone: now if the lane is free, else after what the thread inside has to do.
    @inlinable
    func perform(_ work: @escaping Work) {
        guard lane.enter(or: work) else { return relieve() }
        work()
        drain()
    }

    @inlinable
    func drain() {
        lane.leave { $0() }
    }

    /// Called after work was left behind.
    @inlinable
    func relieve() {
        lane.relieve { $0() }
    }
}

/// The observers of a signal, and the lane in which they are called, added and removed.
///
/// As observers are added and removed only inside the lane, a delivery walks over them without a lock and without a copy.
///
/// It is also the scope of the source's work, so that a signal needs one object less: disposed after the end was
/// delivered, or when no observer can be added any more.
@usableFromInline
class SignalCore<Value: Sendable, Error: Swift.Error>: CompositeDisposable, @unchecked Sendable {
    // Sendable, unchecked: the lane guards the stored properties that are not atomic.
    @usableFromInline typealias Observers = Roster<Observation<Value, Error>>

    @usableFromInline final let lane: SignalLane

    /// The number of observers, including those that are about to be added. Written from anywhere.
    @usableFromInline final let observerCount = Atomic<Int32>(0)

    // All guarded by the lane; so accesses need no check, which would cost more than the delivery does.
    /// The number of objects that may add observers, or need the source's work. The `Signal` of this core is one.
    @exclusivity(unchecked) @usableFromInline final var holders: Int32 = 1
    @exclusivity(unchecked) @usableFromInline final var hasEnded = false
    /// The number of signals in a row before this one.
    @usableFromInline final let depth: UInt16
    /// The only observer, retained; `nil` if there is none, or if there are several.
    @exclusivity(unchecked)
    @usableFromInline final var only: Unmanaged<Observation<Value, Error>>?
    @exclusivity(unchecked) @usableFromInline final var several: Several<Value, Error>?

    @inlinable
    init(lane: SignalLane = SignalLane(), depth: UInt16 = 0) {
        self.lane = lane
        self.depth = depth
        super.init()
    }

    /// Ends the source's work.
    @inlinable final var scope: CompositeDisposable { self }

    @inlinable
    deinit { only?.release() }

    // MARK: - From anywhere

    @inlinable @inline(__always)
    final func send(_ value: Value) {
        if lane.lane.enterIfFree() { deliverAndLeave(value) } else { deliverLater(value) }
    }

    @inlinable @inline(never)
    final func deliverLater(_ value: Value) {
        if enter(orDeliver: value) { deliverAndLeave(value) } else { lane.relieve() }
    }

    /// Enters the lane, or leaves the value for the thread inside to deliver.
    @inlinable
    final func enter(orDeliver value: Value) -> Bool {
        lane.lane.enter(or: { self.deliver(value) })
    }

    @inlinable @inline(__always)
    final func deliverAndLeave(_ value: Value) {
        deliver(value)
        lane.drain()
    }

    @inlinable
    final func finish(_ termination: Termination<Error>) {
        lane.perform { self.deliver(termination) }
    }

    /// - Parameter interrupts: True if disposing the observation delivers `interrupted` to the observer.
    @inlinable
    final func observe(_ observer: Observer<Value, Error>, interrupts: Bool = false) -> Observation<Value, Error> {
        let observation = expectObserver(interrupts: interrupts)
        if lane.lane.enter(or: { self.add(observer, for: observation) }) {
            add(observer, for: observation)
            lane.drain()
        } else {
            lane.relieve()
        }
        return observation
    }

    /// Announces an observer, for which `add` is called in the lane later.
    @inlinable
    final func expectObserver(interrupts: Bool) -> Observation<Value, Error> {
        observerCount.add(1, ordering: .acquiringAndReleasing)
        return Observation(of: self, interrupts: interrupts)
    }

    /// True if there is an observer, or one is about to be added.
    @inlinable
    final var isObserved: Bool { observerCount.load(ordering: .acquiring) != 0 }

    /// Called when a holder goes: without holders and observers there will never be any, and the source can stop.
    @inlinable
    final func release() {
        if lane.lane.enter(or: { self.removeHolder() }) {
            removeHolder()
            lane.drain()
        } else {
            lane.relieve()
        }
    }

    /// Announces another object that needs the source's work, until `release()` is called for it.
    @inlinable
    final func hold() {
        lane.perform { self.holders += 1 }
    }

    // MARK: - Inside the lane

    @inlinable @inline(__always)
    final func deliver(_ value: Value) {
        if let only { only._withUnsafeGuaranteedRef { $0.receive(value) } } else { deliverToSeveral(value) }
    }

    // Not a part of `deliver(_:)`, so that this is short enough for each stage of a chain to hold it.
    @inlinable @inline(never)
    final func deliverToSeveral(_ value: Value) {
        several?.deliver(value)
    }

    @inlinable
    final func deliver(_ termination: Termination<Error>) {
        guard !hasEnded else { return }
        hasEnded = true
        for observation in removeAll() {
            if !observation.isDisposed {
                observation.finish(termination)
            } else {
                observation.finishAsDisposed()
            }
        }
        end()
    }

    @inlinable
    final func add(_ observer: Observer<Value, Error>, for observation: Observation<Value, Error>) {
        if !hasEnded, !observation.isDisposed {
            observation.target = Observation.Target(observer)
            insert(observation)
            return
        }
        observerCount.subtract(1, ordering: .acquiringAndReleasing)
        if observation.interrupts || !observation.isDisposed { observer.finish(.interrupted) }
    }

    @inlinable
    final func remove(_ observation: Observation<Value, Error>) {
        guard take(observation) else { return }
        observerCount.subtract(1, ordering: .acquiringAndReleasing)
        observation.finishAsDisposed()
        endIfUnused()
    }

    @inlinable
    final func removeHolder() {
        holders -= 1
        endIfUnused()
    }

    @inlinable
    final func endIfUnused() {
        guard holders == 0, only == nil, several == nil, !hasEnded else { return }
        hasEnded = true
        end()
    }

    /// Called once, after the end was delivered, or when no observer can be added any more.
    @usableFromInline
    func end() { scope.dispose() }

    // MARK: - One or several

    @inlinable
    final func insert(_ observation: Observation<Value, Error>) {
        if let several {
            several.insert(observation)
        } else if let only {
            let several = Several<Value, Error>()
            several.insert(only.takeRetainedValue())
            several.insert(observation)
            self.only = nil
            self.several = several
        } else {
            only = Unmanaged.passRetained(observation)
        }
    }

    /// - Returns: True if it was there.
    @inlinable
    final func take(_ observation: Observation<Value, Error>) -> Bool {
        if let several {
            let taken = several.observers.remove(observation.key)
            if several.observers.isEmpty { self.several = nil }
            return taken != nil
        }
        guard let only, only._withUnsafeGuaranteedRef({ $0 === observation }) else { return false }
        self.only = nil
        only.release()
        return true
    }

    @inlinable
    final func removeAll() -> [Observation<Value, Error>] {
        defer { (only, several) = (nil, nil) }
        return only.map { [$0.takeRetainedValue()] } ?? several?.observers.removeAll() ?? []
    }
}

/// The observers of a signal that has had more than one at a time.
@usableFromInline
final class Several<Value: Sendable, Error: Swift.Error> {
    // Guarded by the lane of the signal.
    @exclusivity(unchecked) @usableFromInline var observers = Roster<Observation<Value, Error>>()

    @inlinable init() {}

    @inlinable
    func insert(_ observation: Observation<Value, Error>) {
        observation.key = observers.insert(observation)
    }

    @inlinable
    func deliver(_ value: Value) {
        if observers.isStale { observers.refresh() }
        for call in observers.calls { call._withUnsafeGuaranteedRef { $0.receive(value) } }
    }
}
