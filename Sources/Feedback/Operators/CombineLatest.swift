extension SignalProducer {
    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// ```swift
    /// SignalProducer.combineLatest(name, password.producer, isOnline).startWithValues { name, password, isOnline in … }
    /// ```
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<each Other: Sendable>(
        _ first: any SignalProducerConvertible<Value, Error>,
        _ others: repeat any SignalProducerConvertible<each Other, Error>
    ) -> SignalProducer<(Value, repeat each Other), Error> {
        SignalProducer<(Value, repeat each Other), Error>(
            joining: combiningLatest(first.producer, repeat (each others).producer))
    }

    /// Delivers the latest values of both, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when both have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<Other: Sendable>(
        _ first: some SignalProducerConvertible<Value, Error>, _ second: some SignalProducerConvertible<Other, Error>
    ) -> SignalProducer<(Value, Other), Error> {
        SignalProducer<(Value, Other), Error>(joining: combiningLatest(first.producer, with: second.producer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<B: Sendable, C: Sendable>(
        _ a: some SignalProducerConvertible<Value, Error>, _ b: some SignalProducerConvertible<B, Error>,
        _ c: some SignalProducerConvertible<C, Error>
    ) -> SignalProducer<(Value, B, C), Error> {
        SignalProducer<(Value, B, C), Error>(joining: combiningLatest(a.producer, b.producer, c.producer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<B: Sendable, C: Sendable, D: Sendable>(
        _ a: some SignalProducerConvertible<Value, Error>, _ b: some SignalProducerConvertible<B, Error>,
        _ c: some SignalProducerConvertible<C, Error>, _ d: some SignalProducerConvertible<D, Error>
    ) -> SignalProducer<(Value, B, C, D), Error> {
        SignalProducer<(Value, B, C, D), Error>(
            joining: combiningLatest(a.producer, b.producer, c.producer, d.producer))
    }

    /// Delivers the latest values of both, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when both have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public func combineLatest<Other: SignalProducerConvertible>(
        with other: Other
    ) -> SignalProducer<(Value, Other.Value), Error> where Other.Error == Error {
        SignalProducer<(Value, Other.Value), Error>(joining: combiningLatest(self, with: other.producer))
    }

    /// Delivers the latest values of all, in their order, each time one of them delivers another, once each has
    /// delivered one. If there are no producers, delivers `emptySentinel`, if that is given.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    public static func combineLatest<Producers: Sequence>(
        _ producers: Producers, emptySentinel: [Value]? = nil
    ) -> SignalProducer<[Value], Error>
    where Producers.Element: SignalProducerConvertible<Value, Error> {
        let producers = producers.map(\.producer)
        if producers.isEmpty { return emptySentinel.map { SignalProducer<[Value], Error>(value: $0) } ?? .empty }
        return SignalProducer<[Value], Error>(joining: combiningLatest(all: producers))
    }
}

// MARK: - Signal

extension Signal {
    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<each Other: Sendable>(
        _ first: Signal, _ others: repeat Signal<each Other, Error>
    ) -> Signal<(Value, repeat each Other), Error> {
        Signal<(Value, repeat each Other), Error>(
            joining: combiningLatest(first.unretainedProducer, repeat (each others).unretainedProducer))
    }

    /// Delivers the latest values of both, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when both have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<Other: Sendable>(
        _ first: Signal, _ second: Signal<Other, Error>
    ) -> Signal<(Value, Other), Error> {
        first.combineLatest(with: second)
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<B: Sendable, C: Sendable>(
        _ a: Signal, _ b: Signal<B, Error>, _ c: Signal<C, Error>
    ) -> Signal<(Value, B, C), Error> {
        Signal<(Value, B, C), Error>(
            joining: combiningLatest(a.unretainedProducer, b.unretainedProducer, c.unretainedProducer))
    }

    /// Delivers the latest values of all, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public static func combineLatest<B: Sendable, C: Sendable, D: Sendable>(
        _ a: Signal, _ b: Signal<B, Error>, _ c: Signal<C, Error>, _ d: Signal<D, Error>
    ) -> Signal<(Value, B, C, D), Error> {
        Signal<(Value, B, C, D), Error>(
            joining: combiningLatest(
                a.unretainedProducer, b.unretainedProducer, c.unretainedProducer, d.unretainedProducer))
    }

    /// Delivers the latest values of both, each time one of them delivers another, once each has delivered one.
    ///
    /// It completes when both have completed; a failure or an interruption of one is the end of the whole.
    @inlinable
    public func combineLatest<U>(with other: Signal<U, Error>) -> Signal<(Value, U), Error> {
        let place = SignalPlace(after: [core.place, other.core.place])
        return Signal<(Value, U), Error>(
            joining: combiningLatest(unretainedProducer(at: place), with: other.unretainedProducer(at: place)),
            at: place)
    }

    /// Delivers the latest values of all, in their order, each time one of them delivers another, once each has
    /// delivered one. If there are no signals, it completes at once.
    ///
    /// It completes when all have completed; a failure or an interruption of one is the end of the whole.
    public static func combineLatest(_ signals: some Sequence<Signal>) -> Signal<[Value], Error> {
        SignalProducer.combineLatest(signals.map(\.unretainedProducer)).asSignal()
    }
}

// MARK: - Machinery

/// The latest value of one of the streams.
@usableFromInline
final class LatestSlot<Value: Sendable>: @unchecked Sendable {
    // Guarded by the junction's lane.
    @exclusivity(unchecked) @usableFromInline var value: Value?

    @inlinable init() {}

    /// The latest value. It is read only when each stream has delivered one.
    @inlinable var latest: Value { value.unsafelyUnwrapped }
}

/// The number of streams that have not delivered a value, and of those that have not completed.
@usableFromInline
final class CombineLatestState<Combined: Sendable>: @unchecked Sendable {
    // Both are guarded by the junction's lane.
    @exclusivity(unchecked) @usableFromInline var missing: Int
    @exclusivity(unchecked) @usableFromInline var running: Int
    @usableFromInline let combine: @Sendable () -> Combined

    @inlinable
    init(of count: Int, _ combine: @escaping @Sendable () -> Combined) {
        missing = count
        running = count
        self.combine = combine
    }
}

@inlinable
func combiningLatest<each Part: Sendable, Error: Swift.Error>(
    _ parts: repeat SignalProducer<each Part, Error>
) -> Confluence<(repeat each Part), Error> {
    var deepest = Stage(.work)
    for part in repeat each parts { deepest = deepest.deeper(part.stage) }
    return Confluence(of: deepest) { observer, lifetime, lane, order in
        let slots = (repeat LatestSlot<each Part>())
        var count = 0
        for _ in repeat each parts { count += 1 }
        let junction = Junction(
            observer, lifetime, in: lane, state: CombineLatestState(of: count) { (repeat (each slots).latest) })
        repeat (each parts).begin(into: each slots, of: junction, within: lifetime, order)
    }
}

/// The same for streams of one type.
@usableFromInline
func combiningLatest<Part, Error>(all parts: [SignalProducer<Part, Error>]) -> Confluence<[Part], Error> {
    Confluence(of: parts.reduce(Stage(.work)) { $0.deeper($1.stage) }) { observer, lifetime, lane, order in
        let slots = parts.map { _ in LatestSlot<Part>() }
        let junction = Junction(
            observer, lifetime, in: lane, state: CombineLatestState(of: slots.count) { slots.compactMap(\.value) })
        for (part, slot) in zip(parts, slots) { part.begin(into: slot, of: junction, within: lifetime, order) }
    }
}

/// The same for two, which is fast: the compiler specializes it, as it does not yet specialize parameter packs.
@inlinable
func combiningLatest<A, B, Error>(
    _ a: SignalProducer<A, Error>, with b: SignalProducer<B, Error>
) -> Confluence<(A, B), Error> {
    if isSpecialized(forLarge: (A, B).self) { return unspecializedCombiningLatest(a, b) }
    return Confluence(of: a.stage.deeper(b.stage)) { observer, lifetime, lane, parts in
        let (slotA, slotB) = (LatestSlot<A>(), LatestSlot<B>())
        let junction = Junction(
            observer, lifetime, in: lane, state: CombineLatestState(of: 2) { (slotA.latest, slotB.latest) })
        a.begin(into: slotA, of: junction, within: lifetime, parts)
        b.begin(into: slotB, of: junction, within: lifetime, parts)
    }
}

/// The same for three.
@inlinable
func combiningLatest<A, B, C, Error>(
    _ a: SignalProducer<A, Error>, _ b: SignalProducer<B, Error>, _ c: SignalProducer<C, Error>
) -> Confluence<(A, B, C), Error> {
    if isSpecialized(forLarge: (A, B, C).self) { return unspecializedCombiningLatest(a, b, c) }
    return Confluence(of: a.stage.deeper(b.stage).deeper(c.stage)) { observer, lifetime, lane, parts in
        let (slotA, slotB, slotC) = (LatestSlot<A>(), LatestSlot<B>(), LatestSlot<C>())
        let junction = Junction(
            observer, lifetime, in: lane,
            state: CombineLatestState(of: 3) { (slotA.latest, slotB.latest, slotC.latest) })
        a.begin(into: slotA, of: junction, within: lifetime, parts)
        b.begin(into: slotB, of: junction, within: lifetime, parts)
        c.begin(into: slotC, of: junction, within: lifetime, parts)
    }
}

/// The same for four.
@inlinable
func combiningLatest<A, B, C, D, Error>(
    _ a: SignalProducer<A, Error>, _ b: SignalProducer<B, Error>, _ c: SignalProducer<C, Error>,
    _ d: SignalProducer<D, Error>
) -> Confluence<(A, B, C, D), Error> {
    if isSpecialized(forLarge: (A, B, C, D).self) { return unspecializedCombiningLatest(a, b, c, d) }
    return Confluence(of: a.stage.deeper(b.stage).deeper(c.stage).deeper(d.stage)) { observer, lifetime, lane, parts in
        let (slotA, slotB, slotC, slotD) = (LatestSlot<A>(), LatestSlot<B>(), LatestSlot<C>(), LatestSlot<D>())
        let junction = Junction(
            observer, lifetime, in: lane,
            state: CombineLatestState(of: 4) { (slotA.latest, slotB.latest, slotC.latest, slotD.latest) })
        a.begin(into: slotA, of: junction, within: lifetime, parts)
        b.begin(into: slotB, of: junction, within: lifetime, parts)
        c.begin(into: slotC, of: junction, within: lifetime, parts)
        d.begin(into: slotD, of: junction, within: lifetime, parts)
    }
}

extension SignalProducer {
    /// Begins as one of the parts that `junction` combines.
    @inlinable
    func begin<Combined>(
        into slot: LatestSlot<Value>, of junction: Junction<Combined, Error, CombineLatestState<Combined>>,
        within lifetime: Lifetime, _ parts: Parts
    ) {
        // The junction holds both. To retain them for each value would take as long as the rest.
        let state = Unmanaged.passUnretained(junction.state)
        let place = Unmanaged.passUnretained(slot)
        let part = Observer<Value, Error>(
            receive: { value in
                junction.take((value, place, state)) { junction, input in
                    input.2._withUnsafeGuaranteedRef { state in
                        input.1._withUnsafeGuaranteedRef { slot in
                            if slot.value == nil { state.missing -= 1 }
                            slot.value = input.0
                        }
                        if state.missing == 0 { pass(state.combine, to: { junction.deliver($0) }) }
                    }
                }
            },
            finish: { end in
                guard case .completed = end else { return junction.finish(end) }
                junction.take(()) { junction, _ in
                    junction.state.running -= 1
                    if junction.state.running == 0 { junction.deliver(.completed) }
                }
            })
        parts.begin(self, part, within: lifetime)
    }
}
