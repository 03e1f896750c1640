import FeedbackTesting
import Synchronization
import Testing

@testable import Feedback

@Suite("Properties", .onOwnThread)
struct PropertyTests {
    @Test("The producer delivers the current value at once, then each change; the signal only changes")
    func producerAndSignal() {
        let property = MutableProperty(1)
        let (produced, signalled) = (Log<Int>(), Log<Int>())
        property.producer.startWithValues { produced.add($0) }
        property.signal.observeValues { signalled.add($0) }
        property.value = 2
        property.modify { $0 += 5 }
        #expect(property.swap(3) == 7)
        #expect(produced.entries == [1, 2, 7, 3])
        #expect(signalled.entries == [2, 7, 3])
    }

    @Test("A wrapped variable is the value, and its projection the property")
    func wrapped() {
        final class Form {
            @MutableProperty var name = "Ada"
            @Property(initial: nil, then: SignalProducer<Int, NoError>(value: 3)) var count: Int?
            @Property var length: Int

            init() { _length = _name.map(\.count) }
        }
        let form = Form()
        let names = Log<String>()
        form.$name.producer.startWithValues { names.add($0) }
        form.name = "Grace"
        form.name += "!"
        #expect(form.name == "Grace!")
        #expect(names.entries == ["Ada", "Grace", "Grace!"])
        #expect(form.length == 6)
        #expect(form.$length.value == 6)
        #expect(form.count == 3)
    }

    @Test("It completes with its last reference, and what was derived keeps its value")
    func completion() {
        var property: MutableProperty<Int>? = MutableProperty(1)
        let ends = Log<String>()
        property?.producer.start { ends.add("\($0)") }
        let derived = Property(initial: 0, then: property?.producer.map { $0 * 2 } ?? .empty)
        let late = property?.producer
        property?.value = 4
        property = nil
        late?.start { ends.add("late \($0)") }
        #expect(ends.entries == ["value(1)", "value(4)", "completed", "late value(4)", "late completed"])
        #expect(derived.value == 8)
    }

    @Test("A read-only property shows the mutable one, and keeps it alive")
    func readOnly() {
        let ends = Log<String>()
        var property: Property<Int>?
        do {
            let mutable = MutableProperty(1)
            property = Property(mutable)
            mutable.value = 2
        }
        property?.signal.observeCompleted { ends.add("completed") }
        #expect(property?.value == 2)
        #expect(ends.entries.isEmpty)
        property = nil
        #expect(ends.entries == ["completed"])
    }

    @Test("A constant property completes at once")
    func constant() {
        let events = Log<String>()
        Property(value: 3).producer.start { events.add("\($0)") }
        #expect(events.entries == ["value(3)", "completed"])
    }

    @Test("Property(initial:then:) begins with the first and takes each value")
    func initialThen() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let property = Property(initial: 0, then: signal)
        let log = Log<Int>()
        property.producer.startWithValues { log.add($0) }
        observer.send(value: 1)
        #expect(property.value == 1)
        #expect(log.entries == [0, 1])
    }

    @Test("An observer that sets the property again sees its change after the one under way")
    func reentrantSet() {
        let property = MutableProperty(0)
        let (first, second) = (Log<Int>(), Log<Int>())
        property.signal.observeValues { [weak property] in
            first.add($0)
            if $0 < 3 { property?.value = $0 + 1 }
        }
        property.signal.observeValues { second.add($0) }
        property.value = 1
        #expect(first.entries == [1, 2, 3])
        #expect(second.entries == [1, 2, 3])
    }

    @Test("An observer that starts the producer gets the value that is current then, and each change once")
    func reentrantStart() {
        let property = MutableProperty(0)
        let inner = Log<Int>()
        property.signal.observeValues { [weak property] value in
            guard value == 1, let property else { return }
            property.value = 2
            property.producer.startWithValues { inner.add($0) }
        }
        property.value = 1
        property.value = 3
        #expect(inner.entries == [2, 3])
    }

    @Test("modify delivers what a throwing change has left behind")
    func throwingModify() {
        struct Refusal: Error {}
        let property = MutableProperty(0)
        let log = Log<Int>()
        property.signal.observeValues { log.add($0) }
        #expect(throws: Refusal.self) {
            try property.modify { (value: inout Int) throws(Refusal) in
                value = 5
                throw Refusal()
            }
        }
        #expect(log.entries == [5])
    }

    @Test("From eight threads no change is lost, and observers see them in the order of the sets")
    func stress() async {
        let property = MutableProperty(0)
        let last = Serial(0)
        let outOfOrder = Atomic(0)
        property.signal.observeValues { value in
            if value != last.value + 1 { outOfOrder.add(1, ordering: .relaxed) }
            last.value = value
        }
        await onThreads(8) { _ in
            for _ in 0..<5_000 { property.modify { $0 += 1 } }
        }
        #expect(property.value == 40_000)
        #expect(last.value == 40_000)
        #expect(outOfOrder.load(ordering: .relaxed) == 0)
    }

    @Test("A producer started while others set the property misses no change and gets none twice")
    func startWhileSetting() async {
        let property = MutableProperty(0)
        let wrong = Atomic(0)
        await onThreads(4) { thread in
            for _ in 0..<1_000 {
                if thread < 2 {
                    property.modify { $0 += 1 }
                } else {
                    let last = Serial<Int?>(nil)
                    let disposable = property.producer.startWithValues { value in
                        if let last = last.value, value != last + 1 { wrong.add(1, ordering: .relaxed) }
                        last.value = value
                    }
                    disposable.dispose()
                }
            }
        }
        #expect(property.value == 2_000)
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test("10,000 properties made, derived, observed and dropped leave nothing behind")
    func noLeaks() {
        let census = Tracked.Census()
        for _ in 0..<10_000 {
            let tracked = census.make()
            let property = MutableProperty(tracked)
            let derived = Property(initial: tracked, then: property.signal.map { $0 })
            derived.producer.startWithValues { $0.touch() }
            property.producer.map { $0 }.startWithValues { _ in tracked.touch() }
            property.value = census.make()
        }
        #expect(census.living == 0)
    }
}

@Suite("Bindings")
struct BindingTests {
    @Test("A property takes the values of a signal, a producer and another property")
    func sources() {
        let target = MutableProperty(0)
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let source = MutableProperty(5)
        target <~ signal
        observer.send(value: 1)
        #expect(target.value == 1)
        target <~ SignalProducer(value: 2)
        #expect(target.value == 2)
        target <~ source
        #expect(target.value == 5)
        source.value = 6
        #expect(target.value == 6)
    }

    @Test("A binding that is disposed while its source makes a value takes nothing more")
    func disposedInside() {
        let target = MutableProperty(0)
        let (signal, input) = Signal<Int, NoError>.pipe()
        let binding = SerialDisposable()
        binding.inner = target
            <~ signal.producer.map { value in
                binding.dispose()
                return value
            }
        input.send(value: 1)
        #expect(target.value == 0)
    }

    @Test("A target whose lifetime ends during the first value takes no other", arguments: [false, true])
    func endedInside(isDelivering: Bool) {
        let source = MutableProperty(1)
        let (lifetime, token) = Lifetime.make()
        let taken = Log<Int>()
        let target = BindingTarget<Int>(lifetime: lifetime) { number in
            taken.add(number)
            guard taken.entries.count == 1 else { return }
            source.value = 3
            token.dispose()
        }
        if isDelivering {
            // The first value is delivered although the property is delivering another one.
            source.signal.take(first: 1).observeValues { _ in target <~ source }
            source.value = 2
        } else {
            target <~ source
        }
        source.value = 4
        #expect(taken.entries == [isDelivering ? 2 : 1])
    }

    @Test("A target on a scheduler takes nothing once it is disposed, and all values of a source that has ended")
    func scheduled() {
        let (lifetime, token) = Lifetime.make()
        let scheduler = TestScheduler()
        let taken = Log<Int?>()
        let target = BindingTarget<Int?>(on: scheduler, lifetime: lifetime) { taken.add($0) }
        let binding = target <~ MutableProperty(1)
        binding?.dispose()
        scheduler.run()
        #expect(taken.entries == [])
        target <~ SignalProducer<Int, NoError>([2, 3])
        target <~ SignalProducer<Int?, NoError>([4, nil])
        #expect(taken.entries == [])
        scheduler.run()
        #expect(taken.entries == [2, 3, 4, nil])
        target <~ SignalProducer<Int, NoError>(value: 5)
        token.dispose()
        scheduler.run()
        #expect(taken.entries == [2, 3, 4, nil])
    }

    @Test("An optional target takes values that are not")
    func optionalTarget() {
        let target = MutableProperty<Int?>(nil)
        target <~ SignalProducer(value: 2)
        #expect(target.value == 2)
    }

    @Test("A binding ends with its target, with its source, and when it is disposed")
    func ends() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        var target: MutableProperty<Int>? = MutableProperty(0)
        weak let weakTarget = target
        let log = Log<String>()
        if let target { target <~ signal.on(disposed: { log.add("disposed") }) }
        target = nil
        #expect(weakTarget == nil, "a binding does not keep its target alive")
        observer.send(value: 1)

        let other = MutableProperty(0)
        let binding = other <~ signal
        binding?.dispose()
        observer.send(value: 7)
        #expect(other.value == 0)
    }

    @Test("A binding target hands values to its scheduler, and none after its lifetime")
    func target() {
        let (lifetime, token) = Lifetime.make()
        let log = Log<Int>()
        let target = BindingTarget<Int>(on: ImmediateScheduler(), lifetime: lifetime) { log.add($0) }
        let (signal, observer) = Signal<Int, NoError>.pipe()
        target <~ signal
        observer.send(value: 1)
        token.dispose()
        observer.send(value: 2)
        #expect(log.entries == [1])
    }

    @Test("A loop takes events from a binding")
    func loop() {
        let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
        loop.start()
        loop <~ SignalProducer([1, 2, 3])
        #expect(loop.state == 6)
    }
}
