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
            .guarded,
            begin: { [self] observer, lifetime in
                // A derived property that nobody else holds ends its core. From its start on the observer holds the core.
                withExtendedLifetime(self) { core.observeToDerive(observer, during: lifetime) }
            })
    }

    /// The place from which a property that is derived from this one starts out.
    @inlinable
    var place: PropertyPlace {
        guard let core = knownCore else { return PropertyPlace(derivation: nil, depth: 0, awaited: []) }
        let isAwaited = core.awaited.contains { $0 === core.derivation }
        return PropertyPlace(
            derivation: core.derivation, depth: core.derivations.depth,
            awaited: isAwaited ? core.awaited : core.awaited + [core.derivation])
    }

    /// Makes a property whose values are made of this one's, one by one.
    ///
    /// - Parameter transform: Delivers only inside the events that it gets, and has a value for the first.
    @inlinable
    func derive<U>(
        _ transform: (SignalProducer<Value, NoError>) -> SignalProducer<U, NoError>
    ) -> Property<U> {
        let place = place
        return Property(
            following: transform(derivations), in: place.derivation,
            depth: place.derivation == nil ? 0 : place.depth &+ 1, awaiting: place.awaited)
    }
}

/// The place of a property among those that are derived from each other.
@usableFromInline
struct PropertyPlace {
    /// The lane in which the property delivers to those that are derived from it; `nil` for a type of the user's.
    @usableFromInline let derivation: Derivation?
    /// The number of properties in a row before this one.
    @usableFromInline let depth: UInt16
    /// The lanes to settle before a property that is derived from this one is up to date.
    @usableFromInline let awaited: [Derivation]

    @inlinable
    init(derivation: Derivation?, depth: UInt16, awaited: [Derivation]) {
        self.derivation = derivation
        self.depth = depth
        self.awaited = awaited
    }
}

extension Property {
    /// Makes a property of several others, with a lane of its own.
    ///
    /// Deep in a long row of such properties it shares the lane of the deepest of the others, in which it takes each
    /// value in a step of its own. So neither the stack nor `awaited` grows with the length of the row.
    ///
    /// - Parameters:
    ///   - producer: A producer that is made of their `derivations`, and delivers a value at its start.
    ///   - places: Their places.
    @inlinable
    convenience init(combining producer: SignalProducer<Value, NoError>, of places: [PropertyPlace]) {
        var unique: [Derivation] = []
        for derivation in places.lazy.flatMap(\.awaited) where !unique.contains(where: { $0 === derivation }) {
            unique.append(derivation)
        }
        let deepest = places.max { $0.depth < $1.depth }
        let depth = (deepest?.depth ?? 0) &+ 1
        self.init(
            following: producer, in: depth < PropertyFollower<Value>.segment ? nil : deepest?.derivation, depth: depth,
            awaiting: unique, inSteps: true)
    }

    /// - Parameters:
    ///   - producer: A producer that delivers a value at its start.
    ///   - derivation: The lane in which it delivers; `nil` for a lane of its own.
    ///   - inSteps: True if the producer may deliver outside of `derivation`.
    @inlinable
    convenience init(
        following producer: SignalProducer<Value, NoError>, in derivation: Derivation?, depth: UInt16,
        awaiting awaited: [Derivation], inSteps: Bool = false
    ) {
        let follower = PropertyFollower<Value>(in: derivation, depth: depth, awaiting: awaited, inSteps: inSteps)
        producer.begin(
            Observer(receive: { follower.receive($0) }, finish: { _ in follower.finish() }), Lifetime(follower.scope))
        let core = follower.startedCore()
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
