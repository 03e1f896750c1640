import Foundation
import Synchronization

/// The observer of a derived property's source, which makes the property's core of the first value.
@usableFromInline
final class PropertyFollower<Value: Sendable>: Sendable {
    /// Ends the observation.
    @usableFromInline let scope = CompositeDisposable()
    @usableFromInline let derivation: Derivation?
    @usableFromInline let depth: UInt16
    @usableFromInline let awaited: [Derivation]
    // Guarded by law 1: written while the source delivers its first value. Elsewhere it is read after `hasCore`.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var core: PropertyCore<Value>?
    @usableFromInline let hasCore = Atomic(false)

    /// The lane in which this one delivers in a step of its own, if it is one of a long chain derived one by one, of
    /// which each 32nd does.
    @usableFromInline let boundary: Derivation?

    /// - Parameter place: The place of the property.
    @inlinable
    init(at place: PropertyPlace) {
        derivation = place.derivation
        depth = place.depth
        awaited = place.awaited
        boundary = place.isBoundary ? place.derivation : nil
    }

    @inlinable
    var observer: Observer<Value, NoError> {
        if isSpecialized(forLarge: Value.self) { return unspecializedObserver }
        return Observer(receive: { self.receive($0) }, finish: { _ in self.finish() })
    }

    @inlinable
    func receive(_ value: Value) {
        guard let core else { return makeCore(value) }
        if let boundary { step(value, core, in: boundary) } else { update(value, core) }
    }

    @inlinable
    func finish() {
        if let boundary { boundary.step { self.end() } } else { end() }
    }

    @inlinable
    func update(_ value: Value, _ core: PropertyCore<Value>) {
        if derivation == nil { core.set(value) } else { core.update(value) }
    }

    @inlinable @inline(never)
    func step(_ value: Value, _ core: PropertyCore<Value>, in boundary: Derivation) {
        boundary.step { self.update(value, core) }
    }

    @inlinable @inline(never)
    func makeCore(_ value: Value) {
        core = PropertyCore(value, in: derivation ?? Derivation(), depth: depth, awaiting: awaited)
        hasCore.store(true, ordering: .releasing)
    }

    /// Returns the core after the start of the source, which delivers its first value then.
    ///
    /// If several sources run together, another thread may be between them, with a change of the first. Then it delivers
    /// the value that this thread has left there. It is about to, because it never waits there.
    @inlinable
    func startedCore() -> PropertyCore<Value> {
        if hasCore.load(ordering: .acquiring), let core { return core }
        return awaitCore()
    }

    @usableFromInline
    func awaitCore() -> PropertyCore<Value> {
        let limit = ContinuousClock.now + .seconds(60)
        while !hasCore.load(ordering: .acquiring) {
            let isOver = scope.isDisposed || ContinuousClock.now > limit
            // The other thread may have delivered the value and the end meanwhile.
            precondition(
                !isOver || hasCore.load(ordering: .acquiring),
                "A property was made of a producer that has no value at its start.")
            sched_yield()
        }
        return startedCore()
    }

    @inlinable
    func end() {
        core?.finish()
        scope.dispose()
    }
}
