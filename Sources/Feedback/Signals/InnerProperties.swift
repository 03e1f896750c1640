import Foundation
import Synchronization

/// The inner properties of one that was made by `flatMap`, or of several deep in a row.
///
/// While the property goes over from one inner property to another, changes of neither may arrive at it. So a read
/// waits until it has gone over, and is done again if it goes over once more before the read.
@usableFromInline
final class InnerProperties: Sendable {
    private struct State {
        /// The number of times at which it began to go over.
        var switches = 0
        /// The number of those that are not over.
        var underWay = 0
        var lanes = Bag<[Derivation]>()
    }

    /// A moment at which the property was not going over.
    @usableFromInline
    struct Moment {
        let properties: InnerProperties
        let switches: Int

        /// True if the property has not gone over since.
        var isNow: Bool { properties.state.withLock { $0.switches == switches } }
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Goes over to other inner properties.
    @usableFromInline
    func change(_ body: () -> Void) {
        state.withLock { state in
            state.switches += 1
            state.underWay += 1
        }
        body()
        state.withLock { $0.underWay -= 1 }
    }

    /// Adds the lanes of an inner property before its first value is read, until `lifetime` ends.
    @usableFromInline
    func insert(_ lanes: [Derivation], during lifetime: Lifetime) {
        let key = state.withLock { state in
            state.switches += 1
            return state.lanes.insert(lanes)
        }
        lifetime.scope.insert(AnyDisposable { _ = self.state.withLock { $0.lanes.remove(key) } })
    }

    /// Returns the lanes of the inner properties, at a moment at which the property is not going over.
    func settled() -> (Moment, [Derivation]) {
        while true {
            let found: (Moment, [Derivation])? = state.withLock { state in
                guard state.underWay == 0 else { return nil }
                let lanes = state.lanes.slots.flatMap { $0.element ?? [] }
                return (Moment(properties: self, switches: state.switches), lanes)
            }
            if let found { return found }
            sched_yield()
        }
    }
}

extension PropertyProtocol {
    /// The values of this property, each of which makes another inner property for the one at `place`.
    @usableFromInline
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
    @usableFromInline
    func innerDerivations(for place: PropertyPlace) -> SignalProducer<Value, NoError> {
        let values = derivations(for: place)
        guard let inner = place.derivation?.inner else { return values }
        let lanes = self.place.awaited
        return SignalProducer(
            .guarded,
            begin: { observer, lifetime in
                inner.insert(lanes, during: lifetime)
                values.begin(observer, lifetime)
            })
    }
}
