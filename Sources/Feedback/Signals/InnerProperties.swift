import Foundation
import Synchronization

/// The inner properties of a property that was made by `flatMap`.
///
///     let shown = selection.flatMap(.latest) { id in properties[id] }     // an inner property for each selection
///
/// When `selection`, the outer property, changes, `shown` goes over from one inner property to another. Meanwhile changes
/// of neither may arrive at it, so it goes over in a lane of its own, in which nothing else is done. A read of `shown`
/// waits until all items that were queued in this lane are done. If `shown` goes over once more before the end of the
/// read, the read begins again.
///
/// **A read does not begin again for ever.** After a few times, it holds the property: changes of the outer property,
/// which would make it go over, wait in a queue until the read is done. No thread waits for that. The end of an inner
/// property is not held back. It can start one that has waited, as with `.concat`, but only so many wait. One read at a
/// time holds properties, so that no two reads wait for each other.
///
/// In a long row of such properties, see ``Stage/segment``, several share one object of this type.
@usableFromInline
final class InnerProperties: Sendable {
    /// The lanes of an inner property: first those before its own.
    @usableFromInline
    struct Lanes: Sendable {
        @usableFromInline let awaited: [Derivation]
        @usableFromInline let own: Derivation

        @inlinable
        init(of core: PropertyCore<some Sendable>) {
            awaited = core.awaited
            own = core.derivation
        }

        var areSettled: Bool { Derivation.areSettled(awaited) && own.inner == nil && own.lane.lane.isFree }
    }

    /// The lane in which the property goes over.
    @usableFromInline let lane = SignalLane()
    /// Twice the number of times at which the property has gone over; odd while it does. Written in the lane.
    @usableFromInline let switches = Atomic(0)
    /// True while a read holds the property, or changes wait in the queue. Written in the lane.
    @usableFromInline let isBusy = Atomic(false)
    // Both are guarded by the lane: one thread at a time is inside, and no access to them lasts while it calls out.
    /// The changes that wait for the end of a read, and behind them.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var queue = Queue<SignalLane.Work>()
    /// True while a read holds the property.
    @exclusivity(unchecked) private nonisolated(unsafe) var isHeld = false
    /// Unretained: each is held by the scope of its inner property, and takes itself out when that is disposed.
    private let members = Locked(Bag<Unmanaged<Member>>())
    /// False if these are the inner properties of several in a row. A change may be on its way through all of them.
    let canBeHeld: Bool

    @usableFromInline
    init(canBeHeld: Bool = true) {
        self.canBeHeld = canBeHeld
    }

    // MARK: - Going over

    /// Calls `action` with a change or the end of the outer property, in the lane.
    @inlinable
    func change<Input: Sendable>(_ input: Input, _ action: @escaping @Sendable (Input) -> Void) {
        guard lane.lane.enterIfFree() else { return changeLater(input, action) }
        changeInside(input, action)
        lane.drain()
    }

    @inlinable @inline(never)
    func changeLater<Input: Sendable>(_ input: Input, _ action: @escaping @Sendable (Input) -> Void) {
        lane.perform {
            self.changeInside(input, action)
            releaseLater(input)
        }
    }

    @inlinable
    func changeInside<Input: Sendable>(_ input: Input, _ action: @escaping @Sendable (Input) -> Void) {
        if isBusy.load(ordering: .relaxed) { enqueue(input, action) } else { goOver(input, action) }
    }

    @inlinable @inline(never)
    func enqueue<Input: Sendable>(_ input: Input, _ action: @escaping @Sendable (Input) -> Void) {
        queue.append {
            self.goOver(input, action)
            releaseLater(input)
        }
    }

    /// In the lane.
    @inlinable
    func goOver<Input: Sendable>(_ input: Input, _ action: @escaping @Sendable (Input) -> Void) {
        // Counted first: a read that finds anything of the change finds this too.
        let count = switches.load(ordering: .relaxed)
        switches.store(count &+ 1, ordering: .releasing)
        action(input)
        switches.store(count &+ 2, ordering: .releasing)
    }

    /// Adds an inner property before its first value is read, until `lifetime` ends.
    @usableFromInline
    func insert(_ lanes: Lanes, during lifetime: Lifetime) {
        let member = Member(of: self, lanes)
        members.withLock { member.key = $0.insert(.passUnretained(member)) }
        lifetime.scope.insert(member)
    }

    private final class Member: Disposable {
        let lanes: Lanes
        private let properties: InnerProperties
        // Written once, under the lock of `members`, before anybody can dispose of this.
        nonisolated(unsafe) var key: Bag<Unmanaged<Member>>.Key = 0

        init(of properties: InnerProperties, _ lanes: Lanes) {
            self.properties = properties
            self.lanes = lanes
        }

        var isDisposed: Bool { false }

        func dispose() { _ = properties.members.withLock { $0.remove(key) } }
    }

    // MARK: - Waiting

    /// The number of switches, if there is nothing to wait for.
    var settledSwitches: Int? {
        guard let count = stillSwitches else { return nil }
        let areSettled = members.withLock { members in
            for slot in members.slots {
                if let member = slot.element, !member._withUnsafeGuaranteedRef({ $0.lanes.areSettled }) { return false }
            }
            return true
        }
        return areSettled ? count : nil
    }

    /// The number of switches, if no change waits in the lane.
    var stillSwitches: Int? {
        let count = switches.load(ordering: .acquiring)
        return lane.lane.isFree && !isBusy.load(ordering: .acquiring) ? count : nil
    }

    /// Waits until the property has gone over because of all changes that were made before.
    func waitForTurn() {
        if !lane.lane.isFree || isBusy.load(ordering: .acquiring) { waitForTurn(holding: false) }
    }

    /// - Parameter holding: True if the property is to be held from then on, until `release()`.
    func waitForTurn(holding: Bool) {
        let turn = SignalLane.Turn()
        let come: SignalLane.Work = {
            if holding {
                self.isHeld = true
                self.isBusy.store(true, ordering: .releasing)
            }
            turn.hasCome.store(true, ordering: .releasing)
        }
        ThreadState.current.propagate { _ in
            lane.perform { if self.isBusy.load(ordering: .relaxed) { self.queue.append(come) } else { come() } }
        }
        turn.wait()
    }

    /// Lets the changes that have waited go on.
    func release() {
        lane.perform {
            self.isHeld = false
            self.workOnQueue()
        }
    }

    /// In the lane: works on one change after the other, each as an item of the lane, so that no thread is kept there.
    private func workOnQueue() {
        queue.popFirst()?()
        if isHeld { return }
        if queue.isEmpty { return isBusy.store(false, ordering: .releasing) }
        lane.perform { self.workOnQueue() }
    }

    /// The number of switches, `nil` if the property is going over, and then the lanes of the inner properties.
    func current() -> (switches: Int?, lanes: [Derivation]) {
        let switches = switches.load(ordering: .acquiring)
        let members = members.withLock { $0.slots.compactMap { $0.element?.takeUnretainedValue() } }
        let lanes = members.flatMap { $0.lanes.awaited + [$0.lanes.own] }
        return (switches % 2 == 0 ? switches : nil, lanes)
    }

    /// A moment at which a read began to wait for the inner properties.
    struct Moment {
        let properties: InnerProperties
        /// `nil` if the property was going over.
        let switches: Int?
        /// True if the read holds the property.
        let isHeld: Bool

        /// True if the property has not gone over since.
        var isNow: Bool {
            if !isHeld, properties.isBusy.load(ordering: .acquiring) { return false }
            // A change that is on its way to one of several may have been left in the lane meanwhile.
            if !properties.canBeHeld, !properties.lane.lane.isFree { return false }
            return properties.switches.load(ordering: .acquiring) == switches
        }
    }
}

extension PropertyProtocol {
    /// The values of this property, each of which makes another inner property for the one at `place`.
    @inlinable
    func outerDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        if isSpecialized(forLarge: Value.self) { return unspecializedOuterDerivations(for: place) }
        let values = derivations(for: place)
        guard let inner = place.derivation?.inner else { return values }
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                // The first value comes while the property is made, before it can be read. Its maker waits for it, and may
                // be inside the lane, if that is of several.
                let isFirst = Serial(true)
                let receive: @Sendable (Value) -> Void = { if !lifetime.hasEnded { observer.receive($0) } }
                let part = Observer<Value, NoError>(
                    receive: { value in
                        if !isFirst.value { return inner.change(value, receive) }
                        isFirst.value = false
                        observer.receive(value)
                    },
                    finish: { end in
                        // After the changes that are held back; but nothing follows a disposal.
                        if lifetime.hasEnded { observer.finish(end) } else { inner.change(end, observer.finish) }
                    })
                values.begin(part, lifetime)
            })
    }

    /// The values of this property, which is an inner one of the property at `place`.
    @inlinable
    func innerDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        guard let inner = place.derivation?.inner else { return derivations(for: place) }
        let core = knownCore
        let values = core.flatMap { place.steps == nil ? derivations(of: $0) : nil } ?? derivations(for: place)
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                if let core { inner.insert(InnerProperties.Lanes(of: core), during: lifetime) }
                let part = observer.onFinish { (end: Termination<NoError>) in
                    if lifetime.hasEnded { return observer.finish(end) }
                    // Another one may have waited for the end, and starts now.
                    inner.lane.perform { inner.goOver(end, observer.finish) }
                }
                values.begin(part, lifetime)
            })
    }
}
