import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Operators known from RxSwift")
struct AdoptedOperatorsTests {
    let scheduler = TestScheduler()

    @Test("groupBy delivers a group for each key, and all groups end with the whole")
    func groupBy() {
        let log = Log<String>()
        let (signal, input) = Pipe<Int>.pipe()
        let keys = signal.producer.groupBy { $0 % 2 }.on(value: { group in
            group.signal.observe { log.add("\(group.key): \($0)") }
        })
        .map(\.key).recorded()
        for number in 1...4 { input.send(value: number) }
        input.send(error: .first)
        #expect(keys.events == [.value(1), .value(0), .failed(.first)])
        #expect(
            Set(log.entries)
                == ["1: value(1)", "0: value(2)", "1: value(3)", "0: value(4)", "1: failed(first)", "0: failed(first)"])
        #expect(log.entries.first == "1: value(1)")
    }

    @Test("Disposal interrupts the groups")
    func groupDisposal() {
        let group = Shared<Recorder<Int, TestError>?>(nil)
        let (signal, input) = Pipe<Int>.pipe()
        let disposable = signal.producer.groupBy { _ in 0 }
            .startWithResult { group.value = try? $0.get().signal.recorded() }
        input.send(value: 1)
        disposable.dispose()
        #expect(group.value?.events == [.value(1), .interrupted])
    }

    @Test("window(count:) delivers the values in windows")
    func windowCount() {
        let windows = SignalProducer<Int, NoError>(1...5).window(count: 2)
            .flatMap(.merge) { $0.collect() }.recorded()
        #expect(windows.events == [.value([1, 2]), .value([3, 4]), .value([5]), .completed])
        #expect(Producer<Int>.empty.window(count: 2).map { _ in 0 }.recorded().events == [.completed])
    }

    @Test("window(every:) ends windows in time, and when they are full")
    func windowTime() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let windows = signal.producer.window(every: .seconds(1), count: 2, on: scheduler)
            .flatMap(.merge) { $0.collect() }.recorded()
        for number in 1...3 { input.send(value: number) }
        scheduler.advance(by: .seconds(1))
        scheduler.advance(by: .seconds(1))
        input.send(value: 4)
        input.sendCompleted()
        #expect(windows.events == [.value([1, 2]), .value([3]), .value([]), .value([4]), .completed])
        #expect(scheduler.isIdle)
    }

    @Test("The first window of a signal comes with its first value")
    func windowOfSignal() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let windows = signal.window(every: .seconds(1), on: scheduler).flatMap(.merge) { $0.collect() }.recorded()
        for number in 1...2 { input.send(value: number) }
        scheduler.advance(by: .seconds(1))
        input.send(value: 3)
        input.sendCompleted()
        #expect(windows.events == [.value([1, 2]), .value([3]), .completed])
    }

    @Test("A failure ends the open window")
    func windowEnd() {
        let window = Shared<Recorder<Int, TestError>?>(nil)
        let (signal, input) = Pipe<Int>.pipe()
        let failing = signal.producer.window(count: 5)
            .on(value: { window.value = $0.recorded() }).map { _ in 0 }.recorded()
        input.send(value: 1)
        input.send(error: .first)
        #expect(window.value?.events == [.value(1), .failed(.first)])
        #expect(failing.events == [.value(0), .failed(.first)])
    }

    @Test("ifEmpty takes the place of a completion without values")
    func ifEmpty() {
        #expect(Producer<Int>.empty.ifEmpty(default: 7).recorded().events == [.value(7), .completed])
        #expect(Producer(value: 1).ifEmpty(default: 7).recorded().events == [.value(1), .completed])
        #expect(Producer<Int>(error: .first).ifEmpty(default: 7).recorded().events == [.failed(.first)])
        let other = Producer([8, 9])
        #expect(Producer<Int>.empty.ifEmpty(switchTo: other).recorded().values == [8, 9])
        #expect(Producer(value: 1).ifEmpty(switchTo: other).recorded().events == [.value(1), .completed])
        let (signal, input) = Pipe<Int>.pipe()
        let recorders = (signal.ifEmpty(default: 7).recorded(), signal.ifEmpty(switchTo: other).recorded())
        input.sendCompleted()
        #expect(recorders.0.events == [.value(7), .completed])
        #expect(recorders.1.values == [8, 9])
    }

    @Test("elementAt and enumerated count from zero")
    func positions() {
        #expect(Producer(["a", "b", "c"]).elementAt(1).recorded().events == [.value("b"), .completed])
        #expect(Producer(["a"]).elementAt(1).recorded().events == [.completed])
        #expect(SignalProducer<Int, NoError>(0...).elementAt(3).recorded().values == [3])
        let numbered = Producer(["a", "b"]).enumerated().map { "\($0.index)\($0.value)" }
        #expect(numbered.recorded().values == ["0a", "1b"])
        #expect(numbered.recorded().values == ["0a", "1b"])
        let (signal, input) = Pipe<Int>.pipe()
        let recorders = (signal.elementAt(1).recorded(), signal.enumerated().map(\.index).recorded())
        for number in 5...7 { input.send(value: number) }
        #expect(recorders.0.events == [.value(6), .completed])
        #expect(recorders.1.values == [0, 1, 2])
    }

    @Test("retry(when:) starts again at each value of the trigger, and ends with it")
    func retryWhen() {
        let tries = Shared(0)
        let failing = Producer<Int> { observer, _ in
            tries.modify { $0 += 1 }
            observer.send(value: tries.value)
            observer.send(error: .first)
        }
        let recorder = failing.retry(when: { [scheduler] errors in
            errors.producer.promoteError(TestError.self).delay(.seconds(1), on: scheduler).take(first: 2).concat(
                error: .second)
        })
        .recorded()
        #expect(tries.value == 1)
        scheduler.advance(by: .seconds(1))
        #expect(tries.value == 2)
        scheduler.advance(by: .seconds(9))
        #expect(recorder.values.starts(with: [1, 2]))
        #expect(recorder.end == .failed(.second))
        let (recorded, disposable) = failing.retry(when: {
            $0.producer.promoteError(TestError.self).filter { _ in false }
        })
        .recording()
        disposable.dispose()
        #expect(recorded.end == .interrupted)
        let patient = failing.retry(when: { [scheduler] errors in
            errors.flatMap(.latest) { _ in SignalProducer.timer(interval: .seconds(1), on: scheduler) }.take(first: 1)
        })
        .recorded()
        scheduler.advance(by: .seconds(9))
        #expect(patient.values.count == 2 && patient.end == .completed)
    }

    @Test("timeout(perValue:) fails when a value is late")
    func timeoutPerValue() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let recorder = signal.producer.timeout(perValue: .seconds(1), raising: TestError.first, on: scheduler)
            .recorded()
        scheduler.advance(by: .milliseconds(900))
        input.send(value: 1)
        scheduler.advance(by: .milliseconds(900))
        input.send(value: 2)
        #expect(recorder.events == [.value(1), .value(2)])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value(1), .value(2), .failed(.first)])
        let done = SignalProducer<Int, NoError>(value: 1).timeout(
            perValue: .seconds(1), raising: TestError.first, on: scheduler)
        #expect(done.recorded().events == [.value(1), .completed])
        #expect(scheduler.isIdle)
    }

    @Test("share ends work that delivers at once when its last start is disposed")
    func shareEndless() {
        let endless = Producer(0...).share()
        #expect(endless.take(first: 3).recorded().values == [0, 1, 2])
        let values = Log<Int>()
        endless.startWithSignal { signal, interruptHandle in
            signal.observe(
                Observer(value: { value in
                    values.add(value)
                    if value == 1 { interruptHandle.dispose() }
                }))
        }
        #expect(values.entries == [0, 1])
    }

    @Test("A group or a window that disposes the whole when it arrives gets no value")
    func disposedAtArrival() {
        let (signal, input) = Pipe<Int>.pipe()
        for parts in [signal.producer.groupBy { $0 }.map(\.signal), signal.producer.window(count: 2)] {
            let log = Log<String>()
            let start = SerialDisposable()
            start.inner = parts.start(
                Observer(value: { part in
                    part.observe { log.add("\($0)") }
                    start.dispose()
                }))
            input.send(value: 1)
            #expect(log.entries == ["interrupted"])
        }
    }

    @Test("share starts the work once for all starts that overlap, and again after them")
    func share() {
        let starts = Shared(0)
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.on(starting: { starts.modify { $0 += 1 } }).share(replay: 1)
        let (first, firstEnd) = shared.recording()
        input.send(value: 1)
        let (second, secondEnd) = shared.recording()
        input.send(value: 2)
        #expect(first.values == [1, 2])
        #expect(second.values == [1, 2])
        #expect(starts.value == 1)
        firstEnd.dispose()
        secondEnd.dispose()
        let third = shared.recorded()
        #expect(starts.value == 2)
        #expect(third.values == [])
        input.send(value: 3)
        input.sendCompleted()
        #expect(third.events == [.value(3), .completed])
        #expect(shared.recorded().events == [.interrupted], "The pipe has ended, so the work starts and ends again.")
        #expect(starts.value == 3)
    }

    @Test("share while held keeps the values and the end")
    func shareHeld() {
        let starts = Shared(0)
        let shared = Producer([1, 2]).on(starting: { starts.modify { $0 += 1 } }).share(replay: 1, while: .held)
        #expect(shared.recorded().values == [1, 2])
        #expect(shared.recorded().events == [.value(2), .completed])
        #expect(starts.value == 1)
    }
}

@Suite("Forms known from ReactiveSwift", .timeLimit(.minutes(10)))
struct AdoptedFormsTests {
    let scheduler = TestScheduler()

    @Test("Disposing what was lifted disposes each producer, also one whose signal has another observer")
    func liftOfObserved() {
        for number in 1...3 {
            let disposed = Shared(0)
            let (watched, other) = (Producer<Int>.never.on(disposed: { disposed.value += 1 }), Producer<Int>.never)
            let watching: @Sendable (Pipe<Int>) -> Pipe<Int> = { signal in
                signal.observe { _ in }
                return signal
            }
            let lifted =
                switch number {
                case 1: watched.lift(watching)
                case 2: watched.lift { first in { second in watching(first).merge(with: second) } }(other)
                default: other.lift { first in { second in first.merge(with: watching(second)) } }(watched)
                }
            lifted.start().dispose()
            #expect(disposed.value == 1)
        }
    }

    @Test("Disposing what was lifted from two producers disposes both")
    func liftOfTwo() {
        let (first, second) = (Shared(false), Shared(false))
        let left = Producer<Int>.never.on(disposed: { first.value = true })
        let right = Producer<Int>.never.on(disposed: { second.value = true })
        left.lift { left in { right in left.zip(with: right) } }(right).start().dispose()
        #expect(first.value && second.value)
    }

    @Test("lift applies an operator of signals to each start")
    func lift() {
        let lifted = Producer([1, 2, 3]).lift { $0.map { $0 * 2 }.take(first: 2) }
        #expect(lifted.recorded().events == [.value(2), .value(4), .completed])
        let zipped = Producer([1, 2]).lift { left in { right in left.zip(with: right) } }(Producer(["a", "b"]))
        #expect(zipped.map { "\($0)\($1)" }.recorded().values == ["1a", "2b"])
        let isDisposed = Shared(false)
        Producer<Int>.never.on(disposed: { isDisposed.value = true }).lift { $0 }.start().dispose()
        #expect(isDisposed.value)
    }

    @Test("lazyMap transforms only the latest value that waits")
    func lazyMap() {
        let transformed = Shared<[Int]>([])
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.producer.lazyMap(on: scheduler) { number in
            transformed.modify { $0.append(number) }
            return number * 10
        }
        .recorded()
        for number in 1...3 { input.send(value: number) }
        scheduler.advance()
        input.send(value: 4)
        input.sendCompleted()
        scheduler.advance()
        #expect(transformed.value == [3, 4])
        #expect(recorder.events == [.value(30), .value(40), .completed])
    }

    @Test("lazyMap delivers the value that is being transformed when the end comes")
    func lazyMapEnd() {
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.producer.lazyMap(on: scheduler) { number in
            if number == 2 { input.sendCompleted() } else { input.send(value: number + 1) }
            return number * 10
        }
        .recorded()
        input.send(value: 1)
        scheduler.advance()
        #expect(recorder.events == [.value(10), .value(20), .completed])
    }

    @Test("lazyMap transforms nothing any more when nobody listens")
    func lazyMapDisposal() {
        let transformed = Shared<[Int]>([])
        let (signal, input) = Pipe<Int>.pipe()
        let mapped = signal.producer.lazyMap(on: scheduler) { number in
            transformed.modify { $0.append(number) }
            return number
        }
        let first = mapped.take(first: 1).recorded()
        let other = mapped.start()
        input.send(value: 1)
        scheduler.advance()
        #expect(transformed.value == [1, 1])
        input.send(value: 2)
        other.dispose()
        scheduler.advance()
        #expect(transformed.value == [1, 1])
        #expect(first.events == [.value(1), .completed])
    }

    @Test("logEvents logs the events that are asked for")
    func logEvents() {
        let log = Log<String>()
        let logger: EventLogger = { identifier, event, _, _, _ in log.add("\(identifier) \(event)") }
        Producer(value: 1).logEvents(identifier: "a", logger: logger).start()
        #expect(
            log.entries == [
                "a starting", "a value 1", "a completed", "a terminated", "a started", "a disposed",
            ] || log.entries == ["a starting", "a value 1", "a completed", "a terminated", "a disposed", "a started"])
        let (signal, input) = Pipe<Int>.pipe()
        signal.logEvents(identifier: "b", events: [.failed], logger: logger).observe { _ in }
        input.send(value: 1)
        input.send(error: .first)
        #expect(log.entries.last == "b failed first")
        #expect(!log.entries.contains("b value 1"))
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test("logEvents prints, unless it is told what else to do")
    func logEventsPrints() async throws {
        let exit = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            Producer(value: 1).logEvents(identifier: "a", events: [.value], fileName: "F.swift", functionName: "f()")
                .start()
        }
        let output = try String(decoding: #require(exit).standardOutputContent, as: UTF8.self)
        #expect(output.firstRange(of: /\[a\] value 1 at F\.swift:\d+ in f\(\)\n/) != nil, "\(output)")
    }
    #endif

    @Test("Properties capture, begin without a value, and combine in any form")
    func properties() {
        var source: MutableProperty<Int>? = MutableProperty(1)
        let captured = source.map { Property(capturing: $0) }
        let recorder = captured?.producer.recorded()
        source?.value = 2
        source = nil
        #expect(recorder?.events == [.value(1), .value(2)])
        let later = Property<Int?>(initial: nil, then: SignalProducer<Int, NoError>(value: 1))
        let dotted = Property(initial: 0, then: .init(value: 1))
        #expect(later.value == 1)
        #expect(dotted.value == 1)
        let (a, b) = (MutableProperty(1), MutableProperty("x"))
        let both = MutableProperty.combineLatest(a, b)
        let inContext: Property<(Int, String)> = .combineLatest(a, b)
        let producer: SignalProducer<(Int, String), NoError> = .combineLatest(a, b)
        let three: SignalProducer<(Int, String, Int), NoError> = .combineLatest(a, b, a)
        let signal: Signal<(Int, String), NoError> = .combineLatest(a.signal, b.signal)
        let recorded = signal.map { "\($0)\($1)" }.recorded()
        a.value = 2
        b.value = "y"
        #expect(both.value == (2, "y"))
        #expect(inContext.value == (2, "y"))
        #expect(producer.map { "\($0)\($1)" }.recorded().values == ["2y"])
        #expect(three.map { "\($0)\($1)\($2)" }.recorded().values == ["2y2"])
        #expect(recorded.values == ["2y"])
        #expect(SignalProducer(a).recorded().values == [2])
    }

    @Test("Lifetimes end as signals, and tokens are made by hand")
    func lifetimes() {
        var token: Lifetime.Token? = Lifetime.Token()
        let ended = token.map { Lifetime($0).ended.recorded() }
        #expect(ended?.events.isEmpty == true)
        token = nil
        #expect(ended?.events.count == 1)
        #expect(Lifetime.empty.ended.recorded().events.count == 1)
    }

    @Test("A disposable that is added to a scoped one goes with it")
    func scoped() {
        let log = Log<String>()
        do {
            let scope = ScopedDisposable()
            scope += AnyDisposable { log.add("disposable") }
            scope += { log.add("action") }
            #expect(!scope.isDisposed)
        }
        #expect(log.entries == ["disposable", "action"])
    }

    @Test("A disposable that is added to a scoped one stays when the scoped one's own has ended by itself")
    func scopedEnd() {
        let log = Log<String>()
        do {
            let scope = ScopedDisposable(Producer(value: 1).start())
            scope += { log.add("action") }
            #expect(log.entries == [])
        }
        #expect(log.entries == ["action"])
    }

    @Test("Observers and optional targets are on the left side of bindings")
    func bindings() {
        let (target, input) = Pipe<Int>.pipe()
        let recorder = target.recorded()
        let source = MutableProperty(1)
        input <~ source
        source.value = 2
        #expect(recorder.events == [.value(1), .value(2)])
        let some: MutableProperty<Int>? = MutableProperty(0)
        let none: MutableProperty<Int>? = nil
        some <~ source
        #expect((none <~ source) == nil)
        #expect(some?.value == 2)
    }

    @Test("Results are producers, and events say whether they are completions")
    func results() {
        #expect(Result<Int, TestError>.success(1).producer.recorded().events == [.value(1), .completed])
        #expect(Result<Int, TestError>.failure(.first).producer.recorded().events == [.failed(.first)])
        #expect(SignalEvent<Int, TestError>.completed.isCompleted)
        #expect(!SignalEvent<Int, TestError>.interrupted.isCompleted)
    }

    @Test("Schedulers sleep, run and tick in async code")
    func schedulers() async throws {
        let queue = QueueScheduler()
        try await queue.sleep(for: .milliseconds(1))
        #expect(await queue.run { 7 } == 7)
        var ticks = queue.timer(interval: .milliseconds(1)).makeAsyncIterator()
        #expect(await ticks.next() != nil)
        let sleeping = Task { [scheduler] in try await scheduler.sleep(for: .seconds(1)) }
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
    }

    @Test("Notifications arrive as values")
    func notifications() {
        let center = NotificationCenter()
        let name = Notification.Name("test")
        var signal: Signal<Int?, NoError>? = center.reactive.notifications(forName: name) { $0.userInfo?["n"] as? Int }
        let recorder = Recorder<Int?, NoError>()
        let disposable = signal?.observe { recorder.record($0) }
        center.post(name: name, object: nil, userInfo: ["n": 1])
        center.post(name: Notification.Name("other"), object: nil)
        disposable?.dispose()
        signal = nil
        center.post(name: name, object: nil, userInfo: ["n": 2])
        #expect(recorder.events == [.value(1)])
    }

    @Test("A request delivers the data and the response, and completes")
    func data() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [EchoProtocol.self]
        let url = try #require(URL(string: "http://example.org/towns"))
        let (data, response) = try await URLSession(configuration: configuration).reactive
            .data(with: URLRequest(url: url)).value()
        #expect(String(decoding: data, as: UTF8.self) == "/towns")
        #expect((response as? HTTPURLResponse)?.statusCode == 203)
    }

    @Test("A request to no server fails with the session's error")
    func request() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        await #expect(throws: (any Error).self) {
            try await URLSession.shared.reactive.data(with: URLRequest(url: url)).value()
        }
    }
}

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers each request with its path.
private final class EchoProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 203, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(url.path.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
