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
}
