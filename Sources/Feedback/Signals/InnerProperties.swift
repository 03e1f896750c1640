import Foundation
import Synchronization

/// The inner properties of one that was made by `flatMap`, or of several deep in a row.
///
/// While the property goes over from one inner property to another, changes of neither may arrive at it. So a read
/// waits until it has gone over, and is done again if it goes over once more before the read.
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

        @usableFromInline var areSettled: Bool {
            Derivation.areSettled(awaited) && own.inner == nil && own.lane.lane.isFree
        }
    }

    /// The number of times at which the property began to go over, or got another inner one.
    @usableFromInline let switches = Atomic(0)
    /// The number of those that are not over. Raised before `switches`, which is read before it.
    @usableFromInline let underWay = Atomic(0)
    private let lanes = Locked(Bag<Lanes>())

    @usableFromInline
    init() {}

    /// Goes over to other inner properties.
    @inlinable
    func change(_ body: () -> Void) {
        underWay.add(1, ordering: .acquiringAndReleasing)
        switches.add(1, ordering: .acquiringAndReleasing)
        body()
        underWay.subtract(1, ordering: .acquiringAndReleasing)
    }

    /// Adds an inner property before its first value is read, until `lifetime` ends.
    @usableFromInline
    func insert(_ lanes: Lanes, during lifetime: Lifetime) {
        switches.add(1, ordering: .acquiringAndReleasing)
        let key = self.lanes.withLock { $0.insert(lanes) }
        lifetime.scope.insert(Membership(of: self, key))
    }

    private final class Membership: Disposable {
        private let properties: InnerProperties
        private let key: Bag<Lanes>.Key

        init(of properties: InnerProperties, _ key: Bag<Lanes>.Key) {
            self.properties = properties
            self.key = key
        }

        var isDisposed: Bool { false }

        func dispose() { _ = properties.lanes.withLock { $0.remove(key) } }
    }

    // MARK: - Waiting

    /// A moment at which the property was not going over.
    @usableFromInline
    struct Moment {
        let properties: InnerProperties
        let switches: Int

        /// True if the property has not gone over since.
        var isNow: Bool { properties.switches.load(ordering: .acquiring) == switches }
    }

    /// The number of switches, if there is nothing to wait for.
    var settledSwitches: Int? {
        let count = switches.load(ordering: .acquiring)
        guard underWay.load(ordering: .acquiring) == 0 else { return nil }
        let areSettled = lanes.withLock { lanes in
            for slot in lanes.slots { if let lanes = slot.element, !lanes.areSettled { return false } }
            return true
        }
        return areSettled ? count : nil
    }

    /// Returns the lanes of the inner properties, at a moment at which the property is not going over.
    func settled() -> (Moment, [Derivation]) {
        while true {
            let moment = Moment(properties: self, switches: switches.load(ordering: .acquiring))
            if underWay.load(ordering: .acquiring) == 0 {
                return (moment, lanes.withLock { $0.slots.flatMap { $0.element.map { $0.awaited + [$0.own] } ?? [] } })
            }
            sched_yield()
        }
    }
}

extension PropertyProtocol {
    /// The values of this property, each of which makes another inner property for the one at `place`.
    @inlinable
    func outerDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        let values = derivations(for: place)
        guard let inner = place.derivation?.inner else { return values }
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                values.begin(observer.contramap { value in inner.change { observer.receive(value) } }, lifetime)
            })
    }

    /// The values of this property, which is an inner one of the property at `place`.
    @inlinable
    func innerDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        guard let core = knownCore, let inner = place.derivation?.inner else { return derivations(for: place) }
        let values = place.steps == nil ? nil : derivations(for: place)
        return SignalProducer(
            .guarded,
            begin: { [self] observer, lifetime in
                inner.insert(InnerProperties.Lanes(of: core), during: lifetime)
                if let values { return values.begin(observer, lifetime) }
                withExtendedLifetime(self) { core.observeToDerive(observer, during: lifetime) }
            })
    }
}
