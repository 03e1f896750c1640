import Feedback
import Observation
import Testing

@Suite("Operators of properties")
struct PropertyOperatorsTests {
    struct City: Equatable, Sendable { var name = "Oslo" }

    let number = MutableProperty(1)

    @Test("map follows, by a closure, a key path or a constant")
    func map() {
        let doubled = number.map { $0 * 2 }
        let constant = number.map(value: "x")
        let city = MutableProperty(City())
        let name = city.map(\.name)
        #expect(doubled.value == 2)
        #expect(constant.value == "x")
        #expect(name.value == "Oslo")
        number.value = 5
        city.value.name = "Bern"
        #expect(doubled.value == 10)
        #expect(name.value == "Bern")
    }

    @Test("A row of derived properties follows though nobody holds those in between")
    func chain() {
        let chained = number.map { $0 + 1 }.map { $0 * 10 }.skipRepeats()
        let recorder = chained.producer.recorded()
        number.value = 2
        number.value = 2
        number.value = 3
        #expect(chained.value == 40)
        #expect(recorder.values == [20, 30, 40])
    }

    @Test("A derived property completes with its source")
    func completion() {
        var source: MutableProperty<Int>? = MutableProperty(1)
        let derived = source?.map { $0 + 1 }
        let recorder = derived?.producer.recorded()
        source = nil
        #expect(recorder?.events == [.value(2), .completed])
        #expect(derived?.value == 2)
    }

    @Test("filter has its initial value until one is accepted")
    func filter() {
        let even = number.filter(initial: 0) { $0.isMultiple(of: 2) }
        #expect(even.value == 0)
        number.value = 4
        number.value = 5
        #expect(even.value == 4)
        #expect(number.filter(initial: 0) { $0 == 5 }.value == 5)
    }

    @Test("skipRepeats, uniqueValues and combinePrevious follow changes")
    func changes() {
        let distinct = number.skipRepeats().signal.recorded()
        let same = number.skipRepeats { $0 % 2 == $1 % 2 }.producer.recorded()
        let unique = number.uniqueValues().signal.recorded()
        let uniqueLengths = number.uniqueValues { "\($0)".count }.signal.recorded()
        let pairs = number.combinePrevious(0)
        #expect(pairs.value == (0, 1))
        for value in [1, 2, 1, 10] { number.value = value }
        #expect(distinct.values == [2, 1, 10])
        #expect(same.values == [1, 2, 1, 10])
        #expect(unique.values == [2, 10])
        #expect(uniqueLengths.values == [10])
        #expect(pairs.value == (1, 10))
    }

    @Test("combineLatest has all values, zip waits for all to change")
    func several() {
        let text = MutableProperty("a")
        let flag = MutableProperty(true)
        let latest = Property.combineLatest(number, text, flag)
        let both = number.combineLatest(with: text)
        let zipped = Property.zip(number, text)
        let zippedWith = number.zip(with: text)
        #expect(latest.value == (1, "a", true))
        #expect(both.value == (1, "a"))
        number.value = 2
        #expect(latest.value == (2, "a", true))
        #expect(both.value == (2, "a"))
        #expect(zipped.value == (1, "a"))
        text.value = "b"
        #expect(zipped.value == (2, "b"))
        #expect(zippedWith.value == (2, "b"))
    }

    @Test("Sequences of properties are combined in their order")
    func sequences() {
        let properties = (0..<3).map { MutableProperty($0) }
        let latest = Property.combineLatest(properties)
        let zipped = Property.zip(properties)
        properties[1].value = 9
        #expect(latest?.value == [0, 9, 2])
        #expect(zipped?.value == [0, 1, 2])
        #expect(Property<Int>.combineLatest([Property<Int>]()) == nil)
        #expect(Property<Int>.combineLatest([Property<Int>](), emptySentinel: [7]).value == [7])
        #expect(Property<Int>.zip([Property<Int>]()) == nil)
        #expect(Property<Int>.zip([Property<Int>](), emptySentinel: [7]).value == [7])
    }

    @Test("flatMap and flatten follow the inner property")
    func flatMap() {
        let left = MutableProperty("l")
        let right = MutableProperty("r")
        let isLeft = MutableProperty(true)
        let current = isLeft.flatMap(.latest) { $0 ? left : right }
        #expect(current.value == "l")
        left.value = "l2"
        #expect(current.value == "l2")
        isLeft.value = false
        left.value = "l3"
        #expect(current.value == "r")
        right.value = "r2"
        #expect(current.value == "r2")
        let nested = MutableProperty(left)
        let flat = nested.flatten(.latest)
        #expect(flat.value == "l3")
        nested.value = right
        #expect(flat.value == "r2")
    }
}

@Suite("Observed")
struct ObservedTests {
    @Test("A change of the property is tracked by Observation")
    func tracking() {
        let property = MutableProperty(1)
        let observed = Observed(property, on: ImmediateScheduler())
        let changes = Shared(0)
        let read = withObservationTracking {
            observed.value
        } onChange: {
            changes.value += 1
        }
        #expect(read == 1)
        property.value = 2
        #expect(changes.value == 1)
        #expect(observed.value == 2)
        property.value = 3
        #expect(changes.value == 1, "Tracking ends with the first change.")
    }

    @Test("Members are read, and tracked, through it")
    func members() {
        struct State: Sendable { var title = "a" }
        let property = MutableProperty(State())
        let observed = Observed(property, on: ImmediateScheduler())
        let changes = Shared(0)
        withObservationTracking {
            #expect(observed.title == "a")
        } onChange: {
            changes.value += 1
        }
        property.value.title = "b"
        #expect(observed.title == "b")
        #expect(changes.value == 1)
    }

    @Test("It follows no longer than it lives, and does not keep the property")
    func life() {
        var property: MutableProperty<Int>? = MutableProperty(1)
        weak let weakProperty = property
        var observed: Observed<Int>? = property.map { Observed($0, on: ImmediateScheduler()) }
        weak let weakObserved = observed
        observed = nil
        #expect(weakObserved == nil)
        property = nil
        #expect(weakProperty == nil)
        _ = observed
    }

    @MainActor
    @Test("If no scheduler is named, changes arrive on the main queue", .timeLimit(.minutes(10)))
    func mainQueue() async {
        let property = MutableProperty(1)
        let observed = Observed(property)
        property.value = 2
        while observed.value != 2 { await Task.yield() }
    }
}
