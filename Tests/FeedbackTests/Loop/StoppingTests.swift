import Feedback
import Testing

@Suite("Stopping a loop that was not started")
struct StoppingTests {
    #if DEBUG && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test("A loop with events that was stopped instead of started may be released")
    func releaseAfterStop() async {
        await #expect(processExitsWith: .success) {
            let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
            loop.send(1)
            loop.stop()
        }
    }
    #endif
}

@Suite("Stopping a loop while something of it starts")
struct StoppingWhileStartingTests {
    @Test("A feedback that stops its loop while being started")
    func stopWhileStarting() {
        let starts = Shared(0)
        let asked = Shared(0)
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [
                .custom { _, _ in
                    stop.value?()
                    return AnyDisposable()
                },
                Feedback(source: SignalProducer<Int, NoError> { _, _ in starts.modify { $0 += 1 } }),
                Feedback(
                    predicate: { _ in
                        asked.modify { $0 += 1 }
                        return true
                    },
                    effects: { _ in
                        SignalProducer<Int, NoError> { _, _ in starts.modify { $0 += 1 } }
                    }),
            ])
        stop.value = { [weak loop] in loop?.stop() }
        loop.start()
        #expect(starts.value == 0)
        #expect(asked.value == 0)
        #expect(loop.send(1) == false)
        #expect(loop.state == 0)
    }

    @Test("A feedback that stops its loop while being started, as one of several that are combined")
    func stopWhileCombined() {
        let attached = Log<String>()
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        func feedback(_ name: String, _ action: @escaping @Sendable () -> Void = {}) -> Feedback<Int, Int> {
            .custom { _, _ in
                attached.add(name)
                action()
                return AnyDisposable { attached.add("\(name) is disposed") }
            }
        }
        let inner: Feedback<Int, Int> = .combine(feedback("second") { stop.value?() }, feedback("third"))
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [.combine(feedback("first"), inner, feedback("fourth"))])
        stop.value = { [weak loop] in loop?.stop() }
        loop.start()
        #expect(attached.entries == ["first", "second", "first is disposed", "second is disposed"])
    }

    @Test("An effect that stops its loop while it starts, and sends while it is torn down")
    func effectStops() {
        let log = Log<String>()
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let send = Shared<(@Sendable () -> Bool)?>(nil)
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [
                Feedback(
                    predicate: { $0 == 1 },
                    effects: { _ in
                        SignalProducer<Int, NoError> { observer, lifetime in
                            lifetime.observeEnded { log.add("ended \(send.value?() ?? true)") }
                            stop.value?()
                            observer.send(value: 5)
                            log.add("started")
                        }
                    })
            ])
        stop.value = { [weak loop] in loop?.stop() }
        send.value = { [weak loop] in loop?.send(7) ?? false }
        loop.start()
        loop.send(1)
        #expect(log.entries == ["ended false", "started"])
        #expect(loop.state == 1)
    }
}
