import Synchronization

/// Starts the inner streams of a flattened stream, and brings their values together.
///
/// What to start is decided under a lock; streams are started and disposed outside of it, and outside of the junction's
/// lane, so that one that delivers at once can be stopped in the middle.
@usableFromInline
final class Flattening<Value: Sendable, Error: Swift.Error>: Disposable {
    @usableFromInline typealias Machine = FlattenMachine<SignalProducer<Value, Error>>

    @usableFromInline let junction: Junction<Value, Error, Void>
    @usableFromInline let machine: Mutex<Machine>
    @usableFromInline let strategy: FlattenStrategy

    @inlinable
    init(_ strategy: FlattenStrategy, _ observer: Observer<Value, Error>, _ lifetime: Lifetime) {
        self.strategy = strategy
        machine = Mutex(Machine(strategy))
        junction = Junction(observer, lifetime, state: ())
        lifetime.scope.insert(self)
    }

    @usableFromInline var isDisposed: Bool { machine.withLock { $0.isDisposed } }

    @usableFromInline
    func dispose() {
        let (running, waiting) = machine.withLock { $0.dispose() }
        for scope in running { scope.dispose() }
        _ = waiting  // Let go of outside the lock.
    }

    // MARK: - The outer stream

    @inlinable
    func arrive(_ inner: SignalProducer<Value, Error>) {
        guard let start = machine.withLock({ $0.arrive(inner) }) else { return }
        start.replaced?.dispose()
        run(start)
    }

    @inlinable
    func finishOuter(_ end: Termination<Error>) {
        guard case .completed = end else { return junction.finish(end) }
        if machine.withLock({ $0.finishOuter() }) { junction.finish(.completed) }
    }

    // MARK: - The inner streams

    @inlinable
    func run(_ start: Machine.Start) {
        switch strategy.kind {
        case .concurrent(.max), .latest, .throttle: begin(start, nil)
        case .concurrent: runInTurn(start)
        case .race: begin(start, nil)
        }
    }

    /// Starts a stream, and in a loop the ones that waited for its end, as each may end while it is started.
    @usableFromInline
    func runInTurn(_ first: Machine.Start) {
        var next: Machine.Start? = first
        while let start = next {
            let turn = Turn<Machine.Start>()
            begin(start, turn)
            next = turn.close()
        }
    }

    @inlinable
    func begin(_ start: Machine.Start, _ turn: Turn<Machine.Start>?) {
        let scope = start.scope
        if strategy.kind == .race {
            let isWinner = Serial(false)
            let contender = Observer<Value, Error>(
                receive: { value in
                    if isWinner.value || self.win(start, isWinner) { self.receive(value, of: scope) }
                },
                finish: { end in
                    if isWinner.value || self.win(start, isWinner) { self.finish(end, start, nil) }
                })
            start.inner.begin(contender, Lifetime(scope))
        } else {
            let part = Observer<Value, Error>(
                receive: { self.receive($0, of: scope) },
                finish: { self.finish($0, start, turn) })
            start.inner.begin(part, Lifetime(scope))
        }
    }

    @inlinable
    func receive(_ value: Value, of scope: CompositeDisposable) {
        // Asked in the lane: what a replaced stream left behind there is not delivered after its replacement's values.
        junction.take((value, scope)) { junction, input in
            if !input.1.isDisposed { junction.deliver(input.0) }
        }
    }

    @usableFromInline
    func win(_ start: Machine.Start, _ isWinner: Serial<Bool>) -> Bool {
        guard let losers = machine.withLock({ $0.win(start.key) }) else { return false }
        for loser in losers { loser.dispose() }
        isWinner.value = true
        return true
    }

    @inlinable
    func finish(_ end: Termination<Error>, _ start: Machine.Start, _ turn: Turn<Machine.Start>?) {
        let endsTheWhole =
            switch end {
            case .failed: true
            case .interrupted: strategy.passesInterruption
            case .completed: false
            }
        if endsTheWhole {
            if machine.withLock({ $0.fail(start.key) }) { junction.finish(end) }
            start.scope.dispose()
        } else {
            let consequence = machine.withLock { $0.finish(start.key) }
            start.scope.dispose()
            switch consequence {
            case .nothing: break
            case .complete: junction.finish(.completed)
            case let .start(next): if turn?.hand(next) != true { runInTurn(next) }
            }
        }
    }
}
