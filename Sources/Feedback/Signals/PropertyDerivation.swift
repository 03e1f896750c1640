extension PropertyProtocol {
    /// The core, unless this is a type of the user's.
    @inlinable var knownCore: PropertyCore<Value>? {
        // One after the other: a cast to a protocol with `Value` takes some 8,000 instructions.
        (self as? Property<Value>)?.core ?? (self as? MutableProperty<Value>)?.core
    }

    /// The current value at once, then each change, before any observer is told of it: for derived properties.
    @inlinable
    var derivations: SignalProducer<Value, NoError> {
        guard let core = knownCore else { return producer }
        return derivations(of: core)
    }

    @inlinable
    func derivations(of core: PropertyCore<Value>) -> SignalProducer<Value, NoError> {
        SignalProducer(
            .guarded,
            begin: { [self] observer, lifetime in
                // A derived property that nobody else holds ends its core. From its start on the observer holds the core.
                withExtendedLifetime(self) { core.observeToDerive(observer, during: lifetime) }
            })
    }

    /// The place of this property.
    @inlinable
    var place: PropertyPlace {
        guard let core = knownCore else { return PropertyPlace(derivation: nil, depth: 0, awaited: []) }
        return PropertyPlace(
            derivation: core.derivation, depth: core.derivations.depth,
            awaited: core.awaited.isEmpty ? [core.derivation] : core.awaited)
    }

    /// Makes a property whose values are made of this one's, one by one.
    ///
    /// - Parameter transform: Delivers only inside the events that it gets, and has a value for the first.
    @inlinable
    func derive<U>(
        _ transform: (SignalProducer<Value, NoError>) -> SignalProducer<U, NoError>
    ) -> Property<U> {
        Property(following: transform(derivations), at: place.next)
    }

    /// The values of this property for one at `place`, which is made of it in another way than one by one.
    @inlinable
    func derivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        let values = knownCore.map { derivations(of: $0) } ?? derivationsOfUnknown
        return place.steps.map { steps in inSteps(values, of: steps) } ?? values
    }

    @usableFromInline
    func inSteps(
        _ values: SignalProducer<Value, NoError>, of steps: Derivation
    ) -> SignalProducer<Value, NoError> {
        SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                let isFirst = Serial(true)
                let part = Observer<Value, NoError>(
                    receive: { value in
                        if isFirst.value {
                            // Not in a step, since the maker waits for it, and may be inside the lane.
                            isFirst.value = false
                            observer.receive(value)
                        } else {
                            steps.step { observer.receive(value) }
                        }
                    },
                    finish: { end in steps.step { observer.finish(end) } })
                values.begin(part, lifetime)
            })
    }

    /// The values of a property of the user's, delivered as those of this module's are: before observers are called.
    @usableFromInline
    var derivationsOfUnknown: SignalProducer<Value, NoError> {
        let values = producer
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                let part = Observer<Value, NoError>(
                    receive: { value in ThreadState.current.propagate { _ in observer.receive(value) } },
                    finish: { end in ThreadState.current.propagate { _ in observer.finish(end) } })
                values.begin(part, lifetime)
            })
    }
}

/// The place of a property among those that are derived from each other.
@usableFromInline
struct PropertyPlace: Sendable {
    /// The lane in which the property delivers to those that are derived from it; `nil` for a type of the user's.
    @usableFromInline let derivation: Derivation?
    /// The number of properties in a row before this one.
    @usableFromInline let depth: UInt16
    /// The lanes that a change goes through before it arrives at a property that is derived from this one.
    @usableFromInline let awaited: [Derivation]
    /// The lane in which the property takes each value in a step of its own.
    @usableFromInline var steps: Derivation?
    /// True if it passes each value on in a step of its own, as one of a long chain derived one by one.
    @usableFromInline var isBoundary = false

    @inlinable
    init(derivation: Derivation?, depth: UInt16, awaited: [Derivation]) {
        self.derivation = derivation
        self.depth = depth
        self.awaited = awaited
    }

    /// The place of a property that is derived from the one here one by one.
    @inlinable
    var next: PropertyPlace {
        guard let derivation else { return self }
        var next = PropertyPlace(derivation: derivation, depth: depth &+ 1, awaited: awaited)
        if next.depth % Stage.segment == 0 {
            next.isBoundary = true
            derivation.expectSteps(next.depth)
        }
        return next
    }

    /// The place of a property that is made of those at `places` in another way, and has a lane of its own.
    ///
    /// Deep in a long row of such properties it shares the lane of the deepest of the others, in which it takes each
    /// value in a step of its own. So neither the stack nor `awaited` grows with the length of the row.
    ///
    /// - Parameter isFlattened: True if the property has inner properties.
    @usableFromInline
    init(after places: [PropertyPlace], isFlattened: Bool = false) {
        var deepest = places.first
        for place in places where place.depth > deepest?.depth ?? 0 { deepest = place }
        depth = (deepest?.depth ?? 0) &+ 1
        var lanes: [Derivation] = []
        // Deep in a row the deepest comes last, since the lane that is shared is its last one.
        for place in depth < Stage.segment ? places : places.sorted(by: { $0.depth < $1.depth }) {
            Self.add(place.awaited, to: &lanes)
        }
        let own: Derivation
        if depth >= Stage.segment, let shared = deepest?.derivation {
            let isNew = isFlattened && shared.inner == nil
            own = isNew ? Derivation(lane: shared.lane, inner: InnerProperties(canBeHeld: false)) : shared
            own.expectSteps(depth)
            steps = own
        } else {
            own = Derivation(inner: isFlattened ? InnerProperties() : nil)
        }
        derivation = own
        if lanes.last !== own { lanes.append(own) }
        awaited = lanes
    }

    /// Adds the lanes of another property to all, which then contain the lanes of each property in its order. To `a b c`
    /// it adds the `x` of `b x`, and the `a` of `b a` once more, because a change can go through `a` after `b`.
    private static func add(_ lanes: [Derivation], to all: inout [Derivation]) {
        if all.isEmpty { return all = lanes }
        var rest = lanes[...]
        for lane in all where lane === rest.first { rest.removeFirst() }
        all += rest
    }
}

extension Property {
    /// Makes a property of several others in a lane of its own.
    ///
    /// - Parameters:
    ///   - confluence: Made of their `derivations(for: place)`. It delivers a value at its start.
    ///   - place: The place after theirs.
    @inlinable
    convenience init(combining confluence: Confluence<Value, NoError>, at place: PropertyPlace) {
        // Deep in a row the values arrive in steps, one after the other, and run together in a lane inside of them.
        let lane = place.steps == nil ? place.derivation?.lane : nil
        self.init(
            following: SignalProducer(.guarded, of: confluence.deepest) { [begin = confluence.begin] in
                begin($0, $1, lane ?? SignalLane(), $2)
            },
            at: place)
    }

    /// - Parameter producer: Delivers a value at its start, and all values in the lane of the place.
    @inlinable
    convenience init(following producer: SignalProducer<Value, NoError>, at place: PropertyPlace) {
        let follower = PropertyFollower<Value>(at: place)
        producer.begin(follower.observer, Lifetime(follower.scope))
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

    /// Inside the lane of `derivations`.
    @inlinable
    func update(_ value: Value) {
        let (place, latecomers) = replace(by: value)
        if place == .changes { deliverLater(value) } else if place == .behind { relieveLater() }
        if let latecomers { deliver(value, to: latecomers) }
        derivations.deliver(value)
    }

    @usableFromInline
    func deliver(_ value: Value, to latecomers: any AnyObject & Sendable) {
        guard let latecomers = latecomers as? Latecomers<Value> else { return }
        for (gate, observation) in latecomers.all where !observation.isDisposed { gate.receive(value) }
    }

    // Each has a frame of its own, which is gone when the value goes on to the properties that are derived from this
    // one.

    /// - Returns: The place of the value in the lane of `changes`, and the latecomers, which would miss it.
    @inlinable @inline(never)
    func replace(by value: Value) -> (ChangePlace, (any AnyObject & Sendable)?) {
        var replaced = value
        let result = current.withLock { current -> (ChangePlace, (any AnyObject & Sendable)?) in
            Swift.swap(&current, &replaced)
            let place: ChangePlace =
                !changes.isObserved ? .none : changes.enter(orDeliver: value) ? .changes : .behind
            return (place, latecomers.map(snapshot))
        }
        releaseLater(consume replaced)
        return result
    }

    @inlinable @inline(never)
    func deliverLater(_ value: Value) {
        ThreadState.current.afterPropagation { self.changes.deliverAndLeave(value) }
    }

    @inlinable @inline(never)
    func relieveLater() {
        ThreadState.current.afterPropagation { self.changes.lane.relieve() }
    }
}
