import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Operators on a scheduler that runs actions at the same time", .timeLimit(.minutes(2)), .onOwnThread)
struct ConcurrentSchedulerTests {
    @Test("delay sets the next alarm even if the one before rings before the call that sets it returns")
    func alarmThatRingsAtOnce() {
        let scheduler = EagerScheduler()
        let recorder = Stream([1, 2, 3]).delay(.seconds(1), on: scheduler).recorded()
        #expect(recorder.values == [])
        scheduler.ring()
        #expect(recorder.values == [1, 2])
        scheduler.ring()
        #expect(recorder.events == [.value(1), .value(2), .value(3)])
        scheduler.ring()
        #expect(recorder.end == .completed)
    }

    @Test("lazyMap delivers in order even if a value comes while the one before is transformed")
    func valueDuringTransformation() {
        let scheduler = EagerScheduler()
        let (signal, input) = Signal<Int, NoError>.pipe()
        let stream = signal.producer.lazyMap(on: scheduler) { number in
            if number == 1 { input.send(value: 2) }
            return number
        }
        let recorder = stream.recorded()
        input.send(value: 1)
        scheduler.ring()
        #expect(recorder.values == [1, 2])
        input.sendCompleted()
        scheduler.ring()
        #expect(recorder.end == .completed)
    }

    private static let count = 2_000
    private typealias Stream = SignalProducer<Int, NoError>

    @Test(
        "Each value arrives, in its order, and then the end",
        arguments: ["delay", "observe(on:)", "lazyMap", "collect(every:)", "window(every:)"])
    func eachValue(name: String) async {
        let scheduler = ConcurrentScheduler()
        let (signal, input) = Signal<Int, NoError>.pipe()
        let source = signal.producer
        let stream: Stream =
            switch name {
            case "delay": source.delay(.zero, on: scheduler)
            case "observe(on:)": source.observe(on: scheduler)
            case "lazyMap": source.lazyMap(on: scheduler) { $0 }
            case "collect(every:)":
                source.collect(every: .milliseconds(1), on: scheduler, discardWhenCompleted: false).flatten()
            default: source.window(every: .milliseconds(1), on: scheduler).flatMap(.merge) { $0 }
            }
        let recorder = stream.recorded()
        for number in 0..<Self.count { input.send(value: number) }
        input.sendCompleted()
        await eventually("the end has arrived") { recorder.end != nil }
        #expect(recorder.end == .completed)
        if name == "lazyMap" {
            // Values that were replaced are left out.
            #expect(recorder.values == recorder.values.sorted())
            #expect(recorder.values.last == Self.count - 1)
        } else {
            #expect(recorder.values == Array(0..<Self.count))
        }
    }

    @Test("The last value arrives", arguments: ["debounce", "throttle", "throttle(while:)"])
    func lastValue(name: String) async {
        for _ in 0..<200 {
            let scheduler = ConcurrentScheduler()
            let (signal, input) = Signal<Int, NoError>.pipe()
            let source = signal.producer
            let stream: Stream =
                switch name {
                case "debounce": source.debounce(.microseconds(10), on: scheduler)
                case "throttle": source.throttle(.microseconds(10), on: scheduler)
                default: source.throttle(while: Property(value: false), on: scheduler)
                }
            let recorder = stream.recorded()
            for number in 0..<20 { input.send(value: number) }
            guard await eventually("the last value has arrived", { recorder.values.last == 19 }) else { return }
            #expect(recorder.values == recorder.values.sorted())
        }
    }
}

/// A scheduler whose second alarm rings inside of the call that sets it, as if on another thread that was faster.
private final class EagerScheduler: DateScheduler {
    private let state = Locked((count: 0, waiting: [(action: @Sendable () -> Void, handle: AnyDisposable)]()))

    let currentDate = Date(timeIntervalSinceReferenceDate: 0)

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        schedule(after: currentDate, action: action)
    }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let handle = AnyDisposable()
        let isEager = state.withLock { state in
            state.count += 1
            if state.count != 2 { state.waiting.append((action, handle)) }
            return state.count == 2
        }
        if isEager { action() }
        return handle
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        schedule(after: date, action: action)
    }

    /// Runs the actions that wait and are not withdrawn.
    func ring() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (action, handle) in waiting where !handle.isDisposed { action() }
    }
}

/// A scheduler that runs each action at once or when it is due, on any of several threads.
private final class ConcurrentScheduler: DateScheduler {
    private let queue = DispatchQueue(label: "ConcurrentScheduler", attributes: .concurrent)

    var currentDate: Date { Date() }

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let handle = AnyDisposable()
        queue.async { if !handle.isDisposed { action() } }
        return handle
    }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let wait = date.timeIntervalSinceNow
        if wait <= 0 { return schedule(action) }
        let handle = AnyDisposable()
        queue.asyncAfter(deadline: .now() + wait) { if !handle.isDisposed { action() } }
        return handle
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        let handle = AnyDisposable()
        repeatAction(after: date, interval: interval, handle, action)
        return handle
    }

    private func repeatAction(
        after date: Date, interval: Duration, _ handle: AnyDisposable, _ action: @escaping @Sendable () -> Void
    ) {
        _ = schedule(after: date) { [self] in
            if handle.isDisposed { return }
            repeatAction(after: date.addingTimeInterval(interval / .seconds(1)), interval: interval, handle, action)
            action()
        }
    }
}
