/// The progress of the streams of a zip.
@usableFromInline
final class ZipTally: @unchecked Sendable {
    // Both are guarded by the junction's lane.
    /// The number of streams without a waiting value.
    @exclusivity(unchecked) @usableFromInline var missing: Int
    /// True if a stream that has completed has no waiting value, so that there will be no further combination.
    @exclusivity(unchecked) @usableFromInline var isExhausted = false

    @inlinable
    init(of count: Int) {
        missing = count
    }
}

/// The values of one of the streams that wait for those of the others.
@usableFromInline
final class ZipSlot<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let tally: ZipTally
    // Both are guarded by the junction's lane.
    @exclusivity(unchecked) @usableFromInline var values = Queue<Value>()
    @exclusivity(unchecked) @usableFromInline var hasCompleted = false

    @inlinable
    init(_ tally: ZipTally) {
        self.tally = tally
    }

    @inlinable
    func append(_ value: Value) {
        if values.isEmpty { tally.missing -= 1 }
        values.append(value)
    }

    /// Takes the first value. Called only when each stream has a value that waits.
    @inlinable
    func pop() -> Value {
        let value = values.popFirst().unsafelyUnwrapped
        if values.isEmpty {
            tally.missing += 1
            if hasCompleted { tally.isExhausted = true }
        }
        return value
    }

    @inlinable
    func complete() {
        hasCompleted = true
        if values.isEmpty { tally.isExhausted = true }
    }
}

/// The state that the streams of a zip share.
@usableFromInline
struct ZipState<Combined: Sendable> {
    @usableFromInline let tally: ZipTally
    @usableFromInline let pop: @Sendable () -> Combined

    @inlinable
    init(_ tally: ZipTally, _ pop: @escaping @Sendable () -> Combined) {
        self.tally = tally
        self.pop = pop
    }
}

func zipping<each Part: Sendable, Error: Swift.Error>(
    _ parts: repeat SignalProducer<each Part, Error>
) -> Confluence<(repeat each Part), Error> {
    var deepest = Stage(.work)
    for part in repeat each parts { deepest = deepest.deeper(part.stage) }
    return Confluence(of: deepest) { observer, lifetime, lane, order in
        var count = 0
        for _ in repeat each parts { count += 1 }
        let tally = ZipTally(of: count)
        let slots = (repeat ZipSlot<each Part>(tally))
        let junction = Junction(observer, lifetime, in: lane, state: ZipState(tally) { (repeat (each slots).pop()) })
        repeat (each parts).begin(into: each slots, of: junction, within: lifetime, order)
    }
}

/// The same for streams of one type.
@usableFromInline
func zipping<Part, Error>(all parts: [SignalProducer<Part, Error>]) -> Confluence<[Part], Error> {
    Confluence(of: parts.reduce(Stage(.work)) { $0.deeper($1.stage) }) { observer, lifetime, lane, order in
        let tally = ZipTally(of: parts.count)
        let slots = parts.map { _ in ZipSlot<Part>(tally) }
        let junction = Junction(observer, lifetime, in: lane, state: ZipState(tally) { slots.map { $0.pop() } })
        for (part, slot) in zip(parts, slots) { part.begin(into: slot, of: junction, within: lifetime, order) }
    }
}

/// The same for two, which is fast: the compiler specializes it, as it does not yet specialize parameter packs.
@inlinable
func zipping<A, B, Error>(
    _ a: SignalProducer<A, Error>, with b: SignalProducer<B, Error>
) -> Confluence<(A, B), Error> {
    if isSpecialized(forLarge: (A, B).self) { return unspecializedZipping(a, b) }
    return Confluence(of: a.stage.deeper(b.stage)) { observer, lifetime, lane, parts in
        let tally = ZipTally(of: 2)
        let (slotA, slotB) = (ZipSlot<A>(tally), ZipSlot<B>(tally))
        let junction = Junction(observer, lifetime, in: lane, state: ZipState(tally) { (slotA.pop(), slotB.pop()) })
        a.begin(into: slotA, of: junction, within: lifetime, parts)
        b.begin(into: slotB, of: junction, within: lifetime, parts)
    }
}

extension SignalProducer {
    /// Begins as one of the parts that `junction` combines.
    @inlinable
    func begin<Combined>(
        into slot: ZipSlot<Value>, of junction: Junction<Combined, Error, ZipState<Combined>>,
        within lifetime: Lifetime, _ parts: Parts
    ) {
        let part = Observer<Value, Error>(
            receive: { value in
                junction.take((value, slot)) { junction, input in
                    input.1.append(input.0)
                    guard junction.state.tally.missing == 0 else { return }
                    junction.deliver(junction.state.pop())
                    if junction.state.tally.isExhausted { junction.deliver(.completed) }
                }
            },
            finish: { end in
                guard case .completed = end else { return junction.finish(end) }
                junction.take(slot) { junction, slot in
                    slot.complete()
                    if junction.state.tally.isExhausted { junction.deliver(.completed) }
                }
            })
        parts.begin(self, part, within: lifetime)
    }
}
