/// A property of this module, from which others are derived in the same lane.
@usableFromInline
protocol PropertyWithCore<Value>: PropertyProtocol {
    var core: PropertyCore<Value> { get }
}

extension Property: PropertyWithCore {}
extension MutableProperty: PropertyWithCore {}

extension PropertyProtocol {
    /// The core, unless this is a type of the user's.
    @inlinable var knownCore: PropertyCore<Value>? { (self as? any PropertyWithCore<Value>)?.core }

    /// The current value at once, then each change, before any observer is told of it: for derived properties.
    @inlinable
    var derivations: SignalProducer<Value, NoError> {
        guard let core = knownCore else { return producer }
        return SignalProducer(
            .guarded, begin: { observer, lifetime in core.observeToDerive(observer, during: lifetime) })
    }

    /// The lanes to settle before a property that is derived from this one is up to date.
    @inlinable
    var awaited: [Derivation] {
        guard let core = knownCore else { return [] }
        return core.awaited.contains { $0 === core.derivation } ? core.awaited : core.awaited + [core.derivation]
    }

    /// Makes a property whose values are made of this one's, one by one.
    ///
    /// - Parameter transform: Delivers only inside the events that it gets, and has a value for the first.
    @inlinable
    func derive<U>(
        _ transform: (SignalProducer<Value, NoError>) -> SignalProducer<U, NoError>
    ) -> Property<U> {
        let core = knownCore
        return Property(
            following: transform(derivations), in: core?.derivation,
            depth: core.map { $0.derivations.depth &+ 1 } ?? 0, awaiting: awaited)
    }
}

extension Property {
    /// Makes a property of several others.
    ///
    /// - Parameters:
    ///   - producer: A producer that is made of their `derivations`, and delivers a value at its start.
    ///   - awaited: The lanes to settle before they are up to date.
    @inlinable
    convenience init(combining producer: SignalProducer<Value, NoError>, awaiting awaited: [[Derivation]]) {
        var unique: [Derivation] = []
        for derivation in awaited.joined() where !unique.contains(where: { $0 === derivation }) {
            unique.append(derivation)
        }
        self.init(following: producer, in: nil, depth: 0, awaiting: unique)
    }

    /// - Parameters:
    ///   - producer: A producer that delivers a value at its start.
    ///   - derivation: The lane in which it delivers; `nil` for a lane of its own.
    @inlinable
    convenience init(
        following producer: SignalProducer<Value, NoError>, in derivation: Derivation?, depth: UInt16,
        awaiting awaited: [Derivation]
    ) {
        let follower = PropertyFollower<Value>(in: derivation, depth: depth, awaiting: awaited)
        producer.begin(
            Observer(receive: { follower.receive($0) }, finish: { _ in follower.finish() }), Lifetime(follower.scope))
        guard let core = follower.core else {
            preconditionFailure("A property was made of a producer that has no value at its start.")
        }
        core.changes.scope.insert(follower.scope)
        self.init(core: core)
    }
}

extension PropertyCore {
    /// Takes each value of a producer, which it starts.
    func follow(_ producer: SignalProducer<Value, NoError>) {
        let scope = CompositeDisposable()
        producer.begin(
            Observer(
                receive: { self.set($0) },
                finish: { _ in
                    self.finish()
                    scope.dispose()
                }), Lifetime(scope))
        changes.scope.insert(scope)
    }

    /// Inside the lane of `derivations`, which this property shares with its source.
    @inlinable
    func update(_ value: Value) {
        if replace(by: value) { deliverLater(value) }
        derivations.deliver(value)
    }

    // Each has a frame of its own, which is gone when the value goes on to the properties that are derived from this
    // one.

    /// - Returns: True if the value is to be delivered, inside the lane of `changes`.
    @inlinable @inline(never)
    func replace(by value: Value) -> Bool {
        var replaced = value  // Released outside the lock.
        return current.withLock { current in
            Swift.swap(&current, &replaced)
            return changes.isObserved && changes.enter(orDeliver: value)
        }
    }

    @inlinable @inline(never)
    func deliverLater(_ value: Value) {
        ThreadState.current.afterPropagation { self.changes.deliverAndLeave(value) }
    }
}
