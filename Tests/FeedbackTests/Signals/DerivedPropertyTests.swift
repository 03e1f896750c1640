import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Derived properties are as new as their sources", .timeLimit(.minutes(10)), .onOwnThread)
struct DerivedPropertyTests {
    /// Everything that can be derived from a property of a number, and what it is for a number above 1.
    static let derivations: [(String, @Sendable (MutableProperty<Int>) -> Property<Int>, @Sendable (Int) -> Int)] = [
        ("map", { $0.map { $0 * 10 } }, { $0 * 10 }),
        ("map.map", { $0.map { $0 + 1 }.map { $0 * 10 } }, { ($0 + 1) * 10 }),
        ("filter", { $0.filter(initial: 0) { $0 % 2 == 0 } }, { $0 / 2 * 2 }),
        ("skipRepeats", { $0.map { $0 / 2 }.skipRepeats() }, { $0 / 2 }),
        ("uniqueValues", { $0.uniqueValues() }, { $0 }),
        ("combinePrevious", { $0.combinePrevious(0).map { $0.1 } }, { $0 }),
        ("combineLatest", { $0.combineLatest(with: $0.map { $0 * 2 }).map { $0 + $1 } }, { $0 * 3 }),
        ("several", { Property.combineLatest($0, $0.map { $0 * 2 }, $0.negative).map { $0 + $1 + $2 } }, { $0 * 2 }),
        ("sequence", { Property.combineLatest([$0, $0], emptySentinel: []).map { $0.reduce(0, +) } }, { $0 * 2 }),
        ("zip", { $0.zip(with: $0.map { $0 * 2 }).map { $0 + $1 } }, { $0 * 3 }),
        ("flatMap", { source in source.flatMap(.latest) { number in source.map { $0 + number } } }, { $0 * 2 }),
    ]

    @Test("A derived property inside of flatMap lives on, though nobody else holds it")
    func inner() {
        let (outer, source) = (MutableProperty(1), MutableProperty(10))
        let sum = outer.flatMap(.latest) { number in source.map { $0 + number }.map { $0 * 2 } }
        #expect(sum.value == 22)
        source.value = 20
        #expect(sum.value == 42)
        outer.value = 2
        source.value = 30
        #expect(sum.value == 64)
    }

    @Test("Inside an observer", arguments: derivations.map(\.0))
    func reentrant(name: String) throws {
        let (_, derive, expected) = try #require(Self.derivations.first { $0.0 == name })
        let source = MutableProperty(1)
        let derived = derive(source)
        let read = Shared<[Int]>([])
        // The observers hold the properties.
        let observations = CompositeDisposable()
        defer { observations.dispose() }
        observations += source.signal.observeValues { number in
            guard number < 5 else { return }
            source.value = number + 1
            read.modify { $0.append(derived.value) }
        }
        observations += derived.signal.observeValues { _ in
            guard source.value < 9 else { return }
            source.value += 1
            read.modify { $0.append(derived.value) }
        }
        source.value = 2
        #expect(read.value.prefix(3) == [expected(3), expected(4), expected(5)])
        #expect(derived.value == expected(source.value))
    }

    @Test("While another thread delivers", arguments: derivations.map(\.0))
    func elsewhere(name: String) throws {
        let (_, derive, expected) = try #require(Self.derivations.first { $0.0 == name })
        let source = MutableProperty(1)
        let derived = derive(source)
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchSemaphore(value: 0)
        source.signal.take(first: 1).observeValues { _ in
            entered.signal()
            leave.wait()
        }
        Thread.detachNewThread {
            source.value = 2
            done.signal()
        }
        entered.wait()
        source.value = 3
        #expect(derived.value == expected(3))
        source.value = 4
        #expect(derived.value == expected(4))
        leave.signal()
        done.wait()
        #expect(derived.value == expected(4))
    }

    @Test("Under changes from four threads, none is read older than it was set")
    func stress() async {
        let sources = (0..<4).map { _ in MutableProperty(0) }
        let sums = Property.combineLatest(sources, emptySentinel: []).map { $0 }
        let older = Shared(0)
        await onThreads(4) { thread in
            let mapped = sources[thread].map { $0 * 10 }.map { $0 + 1 }
            for number in 1...2_000 {
                sources[thread].value = number
                if mapped.value != number * 10 + 1 || sums.value[thread] != number { older.modify { $0 += 1 } }
            }
        }
        #expect(older.value == 0)
        #expect(sums.value == [2_000, 2_000, 2_000, 2_000])
    }

    @Test("Observers hear of each change once, in order, when all derived properties have it")
    func order() {
        let source = MutableProperty(1)
        let double = source.map { $0 * 2 }
        let both = source.combineLatest(with: double)
        let log = Log<String>()
        // The observers hold the properties.
        let observations = CompositeDisposable()
        defer { observations.dispose() }
        observations += double.signal.observeValues { log.add("double \($0) of \(source.value)") }
        observations += source.signal.observeValues { log.add("source \($0) with \(double.value)") }
        observations += both.signal.observeValues { log.add("both \($0.0), \($0.1)") }
        source.value = 2
        #expect(log.entries.first == "source 2 with 4")
        #expect(log.entries.contains("double 4 of 2"))
        #expect(log.entries.last == "both 2, 4")
    }

    @Test("A property that is derived while its source gets a value is made anew once for each change")
    func derivedMeanwhile() {
        let source = MutableProperty(0)
        let derived = source.map { $0 * 10 }
        let (late, seen) = (Shared<Property<Int>?>(nil), Log<Int>())
        let maker = derived.map { [weak derived] value in
            if value == 10 {
                late.value = derived?.map {
                    seen.add($0)
                    return $0
                }
            }
            return value
        }
        for number in 1...4 { source.value = number }
        #expect(maker.value == 40)
        #expect(late.value?.value == 40)
        #expect(seen.entries.filter { $0 > 10 } == [20, 30, 40])
    }

    @Test("A property keeps its sources at work, and lets go of them")
    func lifetimes() {
        let source = MutableProperty(1)
        let census = Tracked.Census()
        var last: Property<Int>?
        do {
            let tracked = census.make()
            last = source.map { number -> Int in
                tracked.touch()
                return number + 1
            }
            .map { $0 * 2 }.skipRepeats()
        }
        source.value = 2
        #expect(last?.value == 6)
        #expect(census.living == 1)
        last = nil
        #expect(census.living == 0)
    }

    @Test("Derived properties complete with their sources, after their last values")
    func completion() {
        var source: MutableProperty<Int>? = MutableProperty(1)
        let derived = source?.map { $0 * 2 }
        let recorder = derived?.producer.recorded()
        source?.value = 2
        source = nil
        #expect(recorder?.events == [.value(2), .value(4), .completed])
        #expect(derived?.value == 4)
    }
}

extension MutableProperty<Int> {
    fileprivate var negative: Property<Int> { map { -$0 } }
}
