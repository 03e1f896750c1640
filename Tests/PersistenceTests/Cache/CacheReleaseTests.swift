import Feedback
import Persistence
import Testing

@Suite("What the normalized cache lets go of")
struct CacheReleaseTests {
    private let cache = NormalizedCache()
    private let owner = Reference<Owner>(1)

    /// Stores an entity, reads it with the entity inside it, and returns a reference to what it holds.
    private func store() -> Weakly<Thing> {
        let thing = Thing()
        cache.store(Owner(id: 1, thing: thing, part: Part(id: 1)))
        cache.store(Part(id: 1, name: "changed"))
        #expect(cache[owner]?.part?.name == "changed")
        return Weakly(thing)
    }

    @Test("An entity that is removed, although its removal is remembered")
    func removed() {
        let held = store()
        #expect(held.object != nil)
        cache.remove(owner)
        #expect(held.object == nil)
    }

    @Test("An entity that another one of its id replaces, which has no entity inside it")
    func replaced() {
        let held = store()
        cache.update(owner) { $0 = Owner(id: 1, thing: Thing(), part: nil) }
        #expect(held.object == nil)
    }

    @Test("All entities when all are removed, although one is watched")
    func allRemoved() {
        let held = store()
        let values = MutableProperty(0)
        let disposable = cache.watch { $0[Reference<Owner>(1)] == nil }.startWithValues { _ in values.value += 1 }
        cache.removeAll()
        #expect(held.object == nil)
        #expect(values.value == 2)
        disposable.dispose()
    }

    @Test("The values that a watch sorts by, when all entities are removed")
    func sortedBy() {
        struct Key: Comparable, Sendable {
            let thing: Thing

            static func == (lhs: Self, rhs: Self) -> Bool { lhs.thing === rhs.thing }
            static func < (lhs: Self, rhs: Self) -> Bool { false }
        }
        let disposable = cache.watch(Owner.self, sortedBy: { Key(thing: $0.thing) }).start()
        let held = store()
        #expect(held.object != nil)
        cache.removeAll()
        #expect(held.object == nil)
        disposable.dispose()
    }

    @Test("A confirmed change of an entity that is not known, when all are removed, although it is watched")
    func confirmedChange() {
        let disposable = cache.watch(owner).start()
        defer { disposable.dispose() }
        let thing = Thing()
        let held = Weakly(thing)
        func confirm(_ thing: consuming Thing) {
            let thing = thing
            cache.confirm(cache.apply { $0.update(owner) { [thing] owner in withExtendedLifetime(thing) {} } })
        }
        confirm(thing)
        _ = consume thing
        #expect(held.object != nil)
        cache.removeAll()
        #expect(held.object == nil)
    }

    @Test("The function of a watch that has ended")
    func endedWatch() {
        let thing = Thing()
        let held = Weakly(thing)
        func watch(_ thing: consuming Thing) -> any Disposable {
            let thing = thing
            return cache.watch { [thing] cache in cache[Reference<Owner>(1)] == nil && thing === thing }.start()
        }
        let disposable = watch(thing)
        _ = consume thing
        #expect(held.object != nil)
        disposable.dispose()
        #expect(held.object == nil)
    }
}

private final class Thing: Sendable {}

private struct Weakly<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}

private struct Part: Entity {
    let id: Int
    var name = ""
}

private struct Owner: Entity {
    let id: Int
    let thing: Thing
    var part: Part?

    mutating func visitLinks(_ visitor: inout LinkVisitor) { visitor.visit(&part) }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.id == rhs.id && lhs.thing === rhs.thing && lhs.part == rhs.part
    }
}
