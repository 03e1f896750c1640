extension SignalProducer {
    /// Carries out the recipe as one part of a larger stream, whose lifetime is `lifetime`. The part has a scope of its
    /// own, which is disposed at the end of the part, before `observer` is told of it.
    ///
    /// - Parameter scope: A new, empty scope.
    @inlinable
    func begin(
        _ observer: Observer<Value, Error>, within lifetime: Lifetime,
        scope: CompositeDisposable = CompositeDisposable()
    ) {
        let key = lifetime.scope.insert(scope)
        let part = observer.onFinish { (end: Termination<Error>) in
            if let key { lifetime.scope.remove(key) }
            scope.dispose()
            observer.finish(end)
        }
        begin(part, Lifetime(scope))
    }

    /// The same for a part that may be one of many, each a part of the one before.
    ///
    /// - Parameters:
    ///   - chain: The chain that the part belongs to, if it is a long one.
    ///   - inner: The chain of the part, if that has one of its own.
    ///   - scope: A new, empty scope.
    @usableFromInline
    func begin(
        _ observer: Observer<Value, Error>, within lifetime: Lifetime, in chain: Chain?, inner: Chain? = nil,
        scope: CompositeDisposable = CompositeDisposable()
    ) {
        guard let chain else { return begin(observer, within: lifetime, scope: scope) }
        let key = lifetime.scope.insert(PartDisposal(of: scope, in: chain.disposals))
        let part = observer.onFinish { (end: Termination<Error>) in
            if let key { lifetime.scope.remove(key) }
            scope.dispose()
            observer.finish(end)
        }
        passing(inner ?? chain, to: stage) { begin(part, Lifetime(scope)) }
    }

    /// Delivers `value` before all others.
    @inlinable
    func starting(with value: Value) -> SignalProducer {
        if isSpecialized(forLarge: Value.self) { return unspecialized.starting(with: value) }
        return SignalProducer(
            after: stage,
            begin: { [begin, stage] observer, lifetime in
                // The observer may start another long chain, which is no part of this one.
                let chain = Parts(at: stage.next.depth).chain
                observer.receive(value)
                guard !lifetime.hasEnded else { return observer.finish(.interrupted) }
                passing(chain, to: stage) { begin(observer, lifetime) }
            })
    }
}

extension SignalProducer {
    /// Returns a signal of the events of one start, in a lane of its own.
    @inlinable
    func asSignal(at place: SignalPlace = SignalPlace()) -> Signal<Value, Error> {
        let core = SignalCore<Value, Error>(lane: SignalLane(steps: place.steps), depth: place.depth)
        begin(core.input, Lifetime(core.scope))
        return Signal(core: core)
    }
}

extension SignalProducer where Error == NoError {
    /// Starts the producer, as a part of what `scope` ends, also while it is being started.
    @inlinable
    func start(_ take: @escaping @Sendable (Value) -> Void, within scope: CompositeDisposable) {
        let work = CompositeDisposable()
        guard let key = scope.insert(work) else { return }
        start(
            Observer(
                receive: take,
                finish: { _ in
                    scope.remove(key)
                    work.dispose()
                }),
            in: work)
    }
}
