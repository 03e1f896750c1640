import Synchronization
import Testing

@testable import Feedback

/// The changes that a read of a flattened property has to wait for.
@Suite("Inner properties")
struct InnerPropertiesTests {
    private let inner = InnerProperties()

    private func moment(_ switches: Int?, of inner: InnerProperties, isHeld: Bool = false) -> InnerProperties.Moment {
        InnerProperties.Moment(properties: inner, switches: switches, isHeld: isHeld)
    }

    @Test("While the property goes over, there is something to wait for; each time is counted")
    func goingOver() {
        let seen = Log<Int>()
        #expect(inner.settledSwitches == 0 && inner.stillSwitches == 0 && inner.current().switches == 0)
        for number in 1...3 {
            inner.change(number) { [inner] number in
                seen.add(number)
                #expect(inner.settledSwitches == nil && inner.stillSwitches == nil && inner.current().switches == nil)
                #expect(inner.switches.load(ordering: .relaxed) == 2 * number - 1)
            }
            #expect(inner.settledSwitches == 2 * number && inner.stillSwitches == 2 * number)
            #expect(inner.current().switches == 2 * number)
        }
        #expect(seen.entries == [1, 2, 3])
    }

    @Test("A change that is made by a change comes after it")
    func nested() {
        let seen = Log<String>()
        inner.change("a") { [inner] name in
            inner.change("b") { seen.add($0) }
            seen.add(name)
        }
        #expect(seen.entries == ["a", "b"] && inner.settledSwitches == 4)
    }

    @Test("While a read holds the property, changes wait; then they are made in order, and so are those made meanwhile")
    func holding() {
        let seen = Log<Int>()
        inner.waitForTurn(holding: true)
        #expect(inner.settledSwitches == nil && inner.stillSwitches == nil)
        for number in 1...2 {
            inner.change(number) { [inner] number in
                seen.add(number)
                if number == 1 { inner.change(3) { seen.add($0) } }
            }
        }
        #expect(seen.entries.isEmpty && inner.current().switches == 0)
        inner.release()
        #expect(seen.entries == [1, 2, 3] && inner.settledSwitches == 6)
        inner.change(4) { seen.add($0) }
        #expect(seen.entries == [1, 2, 3, 4] && inner.settledSwitches == 8)
    }

    @Test("A read that only waits holds nothing back")
    func waiting() {
        inner.waitForTurn()
        inner.waitForTurn(holding: false)
        #expect(inner.settledSwitches == 0)
        inner.change(1) { _ in }
        #expect(inner.settledSwitches == 2)
    }

    @Test("A moment is over when the property goes over, or is held by another read")
    func moments() {
        let (before, own) = (moment(0, of: inner), moment(0, of: inner, isHeld: true))
        #expect(before.isNow && own.isNow && !moment(nil, of: inner).isNow)
        inner.waitForTurn(holding: true)
        #expect(!before.isNow && own.isNow)
        inner.release()
        #expect(before.isNow)
        inner.change(1) { [inner] _ in #expect(moment(1, of: inner).isNow) }
        #expect(!before.isNow && !own.isNow && moment(2, of: inner).isNow)
    }

    @Test("A moment of several in a row is over as soon as a change is on its way in their lane")
    func sharedMoments() {
        let shared = InnerProperties(canBeHeld: false)
        #expect(moment(0, of: shared).isNow)
        shared.change(1) { _ in #expect(!moment(1, of: shared).isNow) }
        #expect(moment(2, of: shared).isNow)
    }

    @Test("The lanes of an inner property are waited for as long as it is one")
    func members() {
        let source = MutableProperty(1)
        let derived = source.combineLatest(with: MutableProperty(2))
        let (lifetime, token) = Lifetime.make()
        inner.insert(InnerProperties.Lanes(of: derived.core), during: lifetime)
        let lanes = derived.core.awaited + [derived.core.derivation]
        #expect(inner.current().lanes.map(ObjectIdentifier.init) == lanes.map(ObjectIdentifier.init))
        #expect(lanes.count == 4 && inner.settledSwitches == 0)
        for lane in lanes {
            #expect(lane.lane.lane.enterIfFree() == true)
            #expect(inner.settledSwitches == nil && inner.stillSwitches == 0)
            lane.lane.drain()
            #expect(inner.settledSwitches == 0)
        }
        token.dispose()
        #expect(inner.current().lanes.isEmpty)
        #expect(lanes[0].lane.lane.enterIfFree() == true)
        #expect(inner.settledSwitches == 0)
        lanes[0].lane.drain()
    }

    @Test("An inner property that is flattened itself is asked for what it has to wait for")
    func nestedMembers() {
        let (lifetime, token) = Lifetime.make()
        let flattened = MutableProperty(1).flatMap(.latest) { Property(value: $0) }
        inner.insert(InnerProperties.Lanes(of: flattened.core), during: lifetime)
        #expect(inner.settledSwitches == nil && inner.stillSwitches == 0)
        token.dispose()
        #expect(inner.settledSwitches == 0)
    }

    @Test("Lanes are settled if all are free; those of flattened properties tell how often these went over")
    func lanes() {
        let (plain, flattened) = (Derivation(), Derivation(inner: inner))
        #expect(Derivation.areSettled([]) && Derivation.areSettled([plain, Derivation()]))
        #expect(!Derivation.areSettled([flattened]) && !Derivation.areSettled([plain, flattened, plain]))
        #expect(Derivation.settledSwitches([]) == 0 && Derivation.settledSwitches([plain, flattened]) == 0)
        inner.change(1) { _ in
            #expect(Derivation.settledSwitches([plain, flattened]) == nil)
            #expect(Derivation.stillSwitches([flattened, plain]) == nil)
            #expect(Derivation.settledSwitches([plain]) == 0 && Derivation.stillSwitches([plain]) == 0)
        }
        let other = InnerProperties()
        for _ in 0..<2 { other.change(1) { _ in } }
        let all = [flattened, plain, Derivation(inner: other)]
        #expect(Derivation.settledSwitches(all) == 6 && Derivation.stillSwitches(all) == 6)
        for lane in all {
            #expect(lane.lane.lane.enterIfFree() == true)
            #expect(!Derivation.areSettled([lane]) && !Derivation.areSettled([plain, lane]))
            #expect(Derivation.settledSwitches(all) == nil && Derivation.stillSwitches(all) == 6)
            lane.lane.drain()
        }
        #expect(Derivation.settledSwitches(all) == 6)
    }
}
