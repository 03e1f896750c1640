import Synchronization

/// Starts the inner streams of a flattened stream, and brings their values together.
///
/// The next stream is chosen under a lock. Streams are started and disposed outside of it, and outside of the
/// junction's lane, so that one that delivers at once can be stopped in the middle.
@usableFromInline
final class FlattenRunner<Value: Sendable, Error: Swift.Error>: Disposable {
    @usableFromInline typealias Machine = FlattenMachine<SignalProducer<Value, Error>, FlattenPart<Value, Error>>

    @usableFromInline let junction: Junction<Value, Error, Void>
    @usableFromInline let machine: Locked<Machine>
    @usableFromInline let strategy: FlattenStrategy
    /// The lane in which the inner streams are disposed, one after the other, if they are parts of a long chain.
    @usableFromInline let disposals: SignalLane?

    @inlinable
    init(
        _ strategy: FlattenStrategy, _ observer: Observer<Value, Error>, _ lifetime: Lifetime, in lane: SignalLane,
        disposals: SignalLane? = nil
    ) {
        self.strategy = strategy
        self.disposals = disposals
        machine = Locked(Machine(strategy))
        junction = Junction(observer, lifetime, in: lane, state: ())
        lifetime.scope.insert(self)
    }

    @usableFromInline var isDisposed: Bool { machine.withLock { $0.isDisposed } }

    @usableFromInline
    func dispose() {
        let (running, waiting) = machine.withLock { $0.dispose() }
        for scope in running {
            if let disposals { disposals.perform { scope.dispose() } } else { scope.dispose() }
        }
        _ = waiting  // Released outside the lock.
    }

    // MARK: - The outer stream

    @inlinable
    func arrive(_ inner: SignalProducer<Value, Error>) {
        guard let start = machine.withLock({ $0.arrive(inner, in: FlattenPart(of: self)) }) else { return }
        start.replaced?.replace()
        run(inner, start)
    }

    @inlinable
    func finishOuter(_ end: Termination<Error>) {
        guard case .completed = end else { return junction.finish(end) }
        if machine.withLock({ $0.finishOuter() }) { junction.finish(.completed) }
    }

    // MARK: - The inner streams

    @inlinable
    func run(_ inner: SignalProducer<Value, Error>, _ start: Machine.Start) {
        switch strategy.kind {
        case .concurrent(.max), .latest, .race, .throttle: begin(inner, start, nil)
        case .concurrent: runInLoop((inner, start))
        }
    }

    /// Starts a stream, and in a loop the ones that waited for its end, as each may end while it is started.
    @inlinable
    func runInLoop(_ first: Machine.Next) {
        StartHandoff.run { begin(first.inner, first.start, $0) }
    }

    @inlinable
    func begin(_ inner: SignalProducer<Value, Error>, _ start: Machine.Start, _ handoff: StartHandoff?) {
        if strategy.kind == .race { return beginRace(inner, start) }
        let part = start.scope
        part.key = start.key
        part.handoff = handoff
        inner.begin(Observer(receive: { part.receive($0) }, finish: { part.finish($0) }), Lifetime(part))
    }

    @usableFromInline
    func beginRace(_ inner: SignalProducer<Value, Error>, _ start: Machine.Start) {
        let (key, scope) = (start.key, start.scope)
        let hasWon = Serial(false)
        let contender = Observer<Value, Error>(
            receive: { value in
                if hasWon.value || self.win(key, hasWon) { self.junction.receive(value) }
            },
            finish: { end in
                if hasWon.value || self.win(key, hasWon) { self.finish(end, key, scope, nil) }
            })
        inner.begin(contender, Lifetime(scope))
    }

    @usableFromInline
    func win(_ key: Machine.Key, _ hasWon: Serial<Bool>) -> Bool {
        guard let losers = machine.withLock({ $0.win(key) }) else { return false }
        for loser in losers { loser.dispose() }
        hasWon.value = true
        return true
    }

    @inlinable
    func finish(
        _ end: Termination<Error>, _ key: Machine.Key, _ scope: CompositeDisposable,
        _ handoff: StartHandoff?
    ) {
        let endsTheWhole =
            switch end {
            case .failed: true
            case .interrupted: strategy.passesInterruption
            case .completed: false
            }
        if endsTheWhole {
            if machine.withLock({ $0.fail(key) }) { junction.finish(end) }
            scope.dispose()
        } else {
            let consequence = machine.withLock { $0.finish(key, next: FlattenPart(of: self)) }
            scope.dispose()
            switch consequence {
            case .nothing: break
            case .complete: junction.finish(.completed)
            case let .start(next):
                let isHanded = handoff?.hand { self.begin(next.inner, next.start, $0) } ?? false
                if !isHanded { runInLoop(next) }
            }
        }
    }
}

/// The observer of an inner stream, and the scope of the stream's work, in one object.
@usableFromInline
final class FlattenPart<Value: Sendable, Error: Swift.Error>: CompositeDisposable, @unchecked Sendable {
    @usableFromInline typealias Runner = FlattenRunner<Value, Error>

    @usableFromInline let runner: Runner
    /// The runner's junction, unretained: this part holds the runner, which holds the junction. So a value need not
    /// retain it.
    @usableFromInline let junction: Unmanaged<Junction<Value, Error, Void>>
    // Both are written before the stream begins, and not after.
    @exclusivity(unchecked) @usableFromInline var key: Runner.Machine.Key = 0
    @exclusivity(unchecked) @usableFromInline var handoff: StartHandoff?
    /// True if another stream has taken the place of this one.
    @usableFromInline let isReplaced = Atomic(false)

    @inlinable
    init(of runner: Runner) {
        self.runner = runner
        junction = Unmanaged.passUnretained(runner.junction)
        super.init()
    }

    @inlinable
    func receive(_ value: Value) { junction._withUnsafeGuaranteedRef { $0.receive(value, of: self) } }

    @usableFromInline
    func replace() {
        isReplaced.store(true, ordering: .releasing)
        dispose()
    }

    @inlinable
    func finish(_ end: Termination<Error>) { runner.finish(end, key, self, handoff) }
}

extension Junction where State == Void {
    @inlinable
    func receive(_ value: Value, of part: FlattenPart<Value, Error>) {
        // Not `take(_:_:)`, which would retain the part for each value.
        guard lane.lane.enterIfFree() else { return receiveLater(value, of: part) }
        deliver(value, of: part)
        lane.drain()
    }

    @inlinable @inline(never)
    func receiveLater(_ value: Value, of part: FlattenPart<Value, Error>) {
        lane.perform { self.deliver(value, of: part) }
    }

    /// Inside the lane, as values that a replaced stream has left there must not follow its replacement's values.
    @inlinable
    func deliver(_ value: Value, of part: FlattenPart<Value, Error>) {
        if !part.isReplaced.load(ordering: .acquiring) { deliver(value) }
    }
}
