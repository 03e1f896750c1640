/// The way in which a recipe begins its parts, the producers that it is made of.
///
/// In a long chain each part begins in a step of its own, after all parts of the one before it, and delivers in the steps of
/// the whole; see ``segmented(_:_:)``.
@usableFromInline
struct Parts: Sendable {
    /// The chain that the recipe belongs to, if it is a long one.
    @usableFromInline let chain: Chain?

    /// Called when a recipe begins.
    ///
    /// - Parameter depth: The depth of the recipe.
    @inlinable
    init(at depth: UInt16) {
        chain = depth < Stage.segment ? nil : ThreadState.current.takeChain()
    }

    /// Begins a part in the lifetime of the whole, unless that has ended by then.
    @inlinable
    func begin<Value, Error>(
        _ part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, _ lifetime: Lifetime
    ) {
        guard let chain else {
            if !lifetime.hasEnded { part.begin(observer, lifetime) }
            return
        }
        chain.begin(part, observer, lifetime)
    }

    /// Begins a part in a scope of its own, unless that or the lifetime of the whole has ended by then.
    @inlinable
    func begin<Value, Error>(
        _ part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, within lifetime: Lifetime,
        scope: CompositeDisposable = CompositeDisposable()
    ) {
        guard let chain else {
            if !lifetime.hasEnded, !scope.hasBeenDisposed { part.begin(observer, within: lifetime, scope: scope) }
            return
        }
        chain.begin(part, observer, within: lifetime, scope: scope)
    }

    /// Begins a part at once, in a scope of its own. It delivers in steps of its own too: on another thread than the whole,
    /// or in the middle of a delivery of the whole.
    @inlinable
    func beginApart<Value, Error>(
        _ part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, within lifetime: Lifetime
    ) {
        guard let chain else { return part.begin(observer, within: lifetime) }
        part.begin(observer, within: lifetime, in: chain, inner: chain.apart)
    }

    /// Goes on with a part in place of the whole, which is interrupted if its lifetime has ended by then.
    ///
    /// Called in the course of an event, or of an action of a scheduler.
    func goOn<Value, Error>(
        with part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, _ lifetime: Lifetime
    ) {
        performAfterDeliveries(in: chain) {
            if lifetime.hasEnded { return observer.finish(.interrupted) }
            passing(chain, to: part.stage) { part.begin(observer, lifetime) }
        }
    }
}

extension Chain {
    @usableFromInline
    func begin<Value, Error>(
        _ part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, _ lifetime: Lifetime
    ) {
        starts.perform {
            if lifetime.hasEnded { return }
            passing(self, to: part.stage) { part.begin(observer, lifetime) }
        }
    }

    @usableFromInline
    func begin<Value, Error>(
        _ part: SignalProducer<Value, Error>, _ observer: Observer<Value, Error>, within lifetime: Lifetime,
        scope: CompositeDisposable
    ) {
        starts.perform {
            if lifetime.hasEnded || scope.isDisposed { return }
            part.begin(observer, within: lifetime, in: self, scope: scope)
        }
    }
}

extension Stage {
    /// The stage of a recipe that is made of several parts, of which this is the deepest.
    ///
    /// - Parameter origin: Its way to deliver, unless it is part of a long chain, whose steps may be under way when it is
    ///   disposed.
    @inlinable
    func joined(_ origin: Origin) -> Stage {
        let depth = depth &+ 1
        return Stage(depth >= Stage.segment && origin == .guarded ? .work : origin, depth: depth)
    }

    /// The deeper one of two stages.
    @inlinable
    func deeper(_ other: Stage) -> Stage { other.depth > depth ? other : self }
}

extension SignalProducer {
    /// Makes a producer that is made of several parts.
    ///
    /// - Parameter deepest: The deepest of the stages of the parts.
    @inlinable
    init(
        _ origin: Stage.Origin, of deepest: Stage,
        begin: @escaping @Sendable (Observer<Value, Error>, Lifetime, Parts) -> Void
    ) {
        let stage = deepest.joined(origin)
        self.init(
            at: stage,
            begin: { observer, lifetime in begin(observer, lifetime, Parts(at: stage.depth)) })
    }
}
