import Feedback
import FeedbackTesting
import Foundation
import Testing

/// Sanitizers surround each variable with guards, so that a frame takes several times as much.
private let frameFactor = isLinked("__asan_init") ? 8 : isLinked("__tsan_init") ? 2 : 1

private func isLinked(_ symbol: String) -> Bool { dlsym(dlopen(nil, RTLD_NOW), symbol) != nil }

/// Runs `body` on a thread with a stack of 512 KB, as the threads of Dispatch and of Swift have on most systems.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
    await onStack(ofKilobytes: 512, body)
}

/// Runs `body` on a thread of its own.
func onStack(ofKilobytes size: Int, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            body()
            continuation.resume()
        }
        thread.stackSize = frameFactor * size << 10
        thread.start()
    }
}

private let count = 10_000

@Suite("Depth", .onOwnThread)
struct DepthTests {
    @Test("Ten thousand hot maps deliver and are released on a small stack")
    func hotMaps() async {
        await onSmallStack {
            let (source, input) = Signal<Int, NoError>.pipe()
            var signal = source
            for _ in 0..<count { signal = signal.map { $0 + 1 } }
            let recorder = signal.recorded()
            input.send(value: 0)
            input.send(value: 1)
            input.sendCompleted()
            #expect(recorder.events == [.value(count), .value(count + 1), .completed])
        }
    }

    @Test("Ten thousand hot maps that nobody observes any more are let go of on a small stack")
    func hotMapsUnused() async {
        await onSmallStack {
            let census = Tracked.Census()
            let (source, input) = Signal<Int, NoError>.pipe()
            do {
                let tracked = census.make()
                var signal = source.map { number -> Int in
                    tracked.touch()
                    return number
                }
                for _ in 0..<count { signal = signal.map { $0 + 1 } }
                let disposable = signal.observeValues { _ in }
                input.send(value: 0)
                disposable?.dispose()
            }
            #expect(census.living == 0)
            input.send(value: 1)
        }
    }

    @Test("Ten thousand cold maps start, deliver and are released on a small stack")
    func coldMaps() async {
        await onSmallStack {
            var producer = SignalProducer<Int, NoError>([0, 1])
            for _ in 0..<count { producer = producer.map { $0 + 1 } }
            #expect(producer.recorded().events == [.value(count), .value(count + 1), .completed])
            let (source, input) = Signal<Int, NoError>.pipe()
            var later = source.producer
            for _ in 0..<count { later = later.map { $0 + 1 } }
            let (recorder, disposable) = later.recording()
            input.send(value: 0)
            disposable.dispose()
            #expect(recorder.events == [.value(count), .interrupted])
        }
    }

    @Test("Ten thousand side effects are called on a small stack, in their order")
    func sideEffects() async {
        await onSmallStack {
            let calls = Log<Int>()
            var producer = SignalProducer<Int, NoError>(value: 1)
            for number in 0..<count { producer = producer.on(completed: { calls.add(number) }) }
            #expect(producer.recorded().events == [.value(1), .completed])
            #expect(calls.entries == Array(0..<count))
        }
    }

    @Test("An endless producer is cut off behind a long chain")
    func endless() async {
        await onSmallStack {
            var producer = SignalProducer<Int, NoError>(0...)
            for _ in 0..<count { producer = producer.map { $0 + 1 } }
            #expect(producer.take(first: 2).recorded().events == [.value(count), .value(count + 1), .completed])
        }
    }

    @Test("Ten thousand concats, nested to the left, run on a small stack")
    func concatsToTheLeft() async {
        await onSmallStack {
            var producer = SignalProducer<Int, NoError>(value: 0)
            for number in 1...count { producer = producer.concat(value: number) }
            #expect(producer.recorded().values == Array(0...count))
        }
    }

    @Test("Ten thousand concats, nested to the right, run on a small stack")
    func concatsToTheRight() async {
        await onSmallStack {
            var producer = SignalProducer<Int, NoError>(value: count)
            for number in (0..<count).reversed() { producer = SignalProducer(value: number).concat(producer) }
            #expect(producer.recorded().values == Array(0...count))
        }
    }

    @Test("Ten thousand concats of what ends later run on a small stack")
    func concatsOfLater() async {
        await onSmallStack {
            let (signal, input) = Signal<Int, NoError>.pipe()
            var producer = signal.producer.take(first: 1)
            for _ in 0..<count { producer = producer.concat(signal.producer.take(first: 1)) }
            let recorder = producer.recorded()
            for number in 0...count { input.send(value: number) }
            #expect(recorder.values == Array(0...count))
            #expect(recorder.end == .completed)
        }
    }

    @Test("Ten thousand mapped properties follow, are read and are released on a small stack")
    func properties() async {
        await onSmallStack {
            let root = MutableProperty(0)
            var property = root.map { $0 + 1 }
            for _ in 1..<count { property = property.map { $0 + 1 } }
            let recorder = property.producer.recorded()
            root.value = 1
            #expect(property.value == count + 1)
            root.value = 2
            #expect(recorder.values == [count, count + 1, count + 2])
        }
    }

    @Test("Ten thousand recoveries from an error run, and are disposed, on a small stack")
    func recoveries() async {
        await onSmallStack {
            let tries = Log<Int>()
            var failing = Producer<Int>(error: .first)
            for number in 0..<count {
                failing = failing.flatMapError { error in
                    tries.add(number)
                    return Producer(error: error)
                }
            }
            #expect(failing.recorded().events == [.failed(.first)])
            #expect(tries.entries == Array(0..<count))
            var later = Producer<Int>(value: 1).concat(.never)
            for _ in 0..<count { later = later.flatMapError { _ in .empty } }
            let (recorder, disposable) = later.recording()
            disposable.dispose()
            #expect(recorder.events == [.value(1), .interrupted])
        }
    }

    @Test("Ten thousand retries, one around the other, run on a small stack")
    func retries() async {
        await onSmallStack {
            let starts = Shared(0)
            var failing = Producer<Int> { () -> Result<Int, TestError> in
                starts.modify { $0 += 1 }
                return .failure(.first)
            }
            failing = failing.retry(upTo: 2)
            for _ in 1..<count { failing = failing.retry(upTo: 0) }
            #expect(failing.recorded().events == [.failed(.first)])
            #expect(starts.value == 3)
            var producer = Producer<Int>(value: 1)
            for _ in 0..<count { producer = producer.retry(upTo: 1) }
            #expect(producer.recorded().events == [.value(1), .completed])
        }
    }

    @Test("Ten thousand merges, nested to either side, start in their order, and are disposed, on a small stack")
    func merges() async {
        await onSmallStack {
            var left = SignalProducer<Int, NoError>(value: 0)
            for number in 1...count {
                left = left.merge(with: number % 1_000 == 0 ? SignalProducer(value: number) : .empty)
            }
            let thousands = Array(stride(from: 0, through: count, by: 1_000))
            #expect(left.recorded().events == thousands.map { .value($0) } + [.completed])
            var right = SignalProducer<Int, NoError>(value: count)
            for number in (0..<count).reversed() {
                right = (number % 1_000 == 0 ? SignalProducer(value: number) : .empty).merge(with: right)
            }
            #expect(right.recorded().events == thousands.map { .value($0) } + [.completed])
            let (signal, input) = Signal<Int, NoError>.pipe()
            var later = signal.producer
            for _ in 0..<count { later = later.merge(with: .never).map { $0 + 1 } }
            let (recorder, disposable) = later.recording()
            input.send(value: 0)
            disposable.dispose()
            #expect(recorder.events == [.value(count), .interrupted])
        }
    }

    @Test(
        "Two long chains of merges start one after the other, and the second is cut off", arguments: [10, 40, 100])
    func mergedChains(depth: Int) async {
        await onSmallStack {
            @Sendable func chain(_ first: Int) -> SignalProducer<Int, NoError> {
                var producer = SignalProducer<Int, NoError>(first...)
                if first == 0 { producer = SignalProducer(values: 0, 1) }
                for _ in 0..<depth { producer = producer.merge(with: .empty).map { $0 }.concat(.empty) }
                return producer
            }
            let both = chain(0).merge(with: chain(10)).take(first: 4)
            #expect(both.recorded().events == [.value(0), .value(1), .value(10), .value(11), .completed])
        }
    }

    @Test("Ten thousand hot flattened sequences deliver, end and are let go of on a small stack")
    func hotFlattened() async {
        await onSmallStack {
            let (source, input) = Signal<Int, NoError>.pipe()
            var flattened = source
            for _ in 0..<count { flattened = flattened.map { [$0] }.flatten() }
            let recorder = flattened.take(first: 2).recorded()
            let unused = flattened.observeValues { _ in }
            flattened = .never
            input.send(value: 1)
            input.send(value: 2)
            unused?.dispose()
            input.send(value: 3)
            input.sendCompleted()
            #expect(recorder.events == [.value(1), .value(2), .completed])
        }
    }

    @Test("A long chain that is started by a function of another long chain delivers at once")
    func startedInside() async {
        await onSmallStack {
            let seen = Log<[Int]>()
            var inner = SignalProducer<Int, NoError>(values: 1, 2)
            for _ in 0..<40 { inner = inner.map { $0 + 1 } }
            var outer = SignalProducer<Int, NoError>(value: 1)
            for _ in 0..<40 { outer = outer.map { $0 + 1 } }
            outer = outer.on(starting: { [inner] in seen.add(inner.recorded().values) })
            for _ in 0..<count { outer = outer.on(starting: {}) }
            #expect(outer.recorded().events == [.value(41), .completed])
            #expect(seen.entries == [[41, 42]])
        }
    }

    @Test("Ten thousand hot merges and combinations deliver, end and are let go of on a small stack")
    func hotMerges() async {
        await onSmallStack {
            let (source, input) = Signal<Int, NoError>.pipe()
            let (other, otherInput) = Signal<Int, NoError>.pipe()
            var merged = source
            for _ in 0..<count { merged = merged.merge(with: .never) }
            let recorder = merged.take(first: 1).recorded()
            var combined = source
            for _ in 0..<count / 2 { combined = combined.combineLatest(with: other).map { $0.0 + $0.1 } }
            let sums = combined.recorded()
            var zipped = source
            for _ in 0..<count / 2 { zipped = zipped.zip(with: other).map { $0.0 + $0.1 } }
            let disposable = zipped.observeValues { #expect($0 == 7 + count / 2) }
            // First, because each value of it goes down the rest of the row.
            otherInput.send(value: 1)
            input.send(value: 7)
            #expect(recorder.events == [.value(7), .completed])
            #expect(sums.values == [7 + count / 2])
            disposable?.dispose()
            otherInput.sendCompleted()
            input.sendCompleted()
            #expect(sums.end == .completed)
        }
    }

    @Test("Ten thousand properties of several properties follow, are read and are released on a small stack")
    func combinedProperties() async {
        await onSmallStack {
            let root = MutableProperty(0)
            let other = MutableProperty(0)
            var combined = root.map { $0 }
            for _ in 0..<count { combined = combined.combineLatest(with: other).map { $0.0 + $0.1 } }
            let recorder = combined.producer.recorded()
            root.value = 1
            #expect(combined.value == 1)
            #expect(recorder.values == [0, 1])
            var flattened = root.map { $0 }
            for _ in 0..<count { flattened = flattened.flatMap(.latest) { Property(value: $0) } }
            root.value = 2
            #expect(flattened.value == 2)
            var captured = Property(root)
            for _ in 0..<count { captured = Property(capturing: captured) }
            root.value = 3
            #expect(captured.value == 3)
        }
    }

    @Test("A property of two long rows of properties is up to date when it is read, whichever of them changed")
    func twoRows() async {
        await onSmallStack {
            let (first, second) = (MutableProperty(0), MutableProperty(0))
            @Sendable func row(_ root: MutableProperty<Int>) -> Property<Int> {
                var property = root.map { $0 }
                for _ in 0..<60 { property = property.combineLatest(with: first).map { max($0.0, $0.1) } }
                return property
            }
            let sum = row(first).combineLatest(with: row(second)).map { $0.0 + $0.1 }
            onThreadsBlocking(2) { thread in
                let property = thread == 0 ? first : second
                for number in 1...30 {
                    property.value = number
                    if sum.value < number { Issue.record("\(sum.value) is older than \(number)") }
                }
            }
            #expect(sum.value == 60)
        }
    }
}
