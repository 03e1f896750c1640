import Testing

@testable import Feedback

/// Events on their way to a scheduler.
@Suite("Relay")
struct RelayTests {
    /// Keeps the actions until they are run.
    private final class Shelf: Scheduler {
        private let actions = Shared<[@Sendable () -> Void]>([])

        var count: Int { actions.value.count }

        func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
            actions.modify { $0.append(action) }
            return nil
        }

        /// Runs the first action.
        func run() { actions.modify { $0.isEmpty ? nil : $0.removeFirst() }?() }

        func runAll() { while count > 0 { run() } }
    }

    private let shelf = Shelf()
    private let recorder = Recorder<Int, TestError>()
    private let scope = CompositeDisposable()

    private func makeRelay() -> Relay<Int, TestError> {
        Relay(Observer { [recorder] in recorder.record($0) }, Lifetime(scope), on: shelf)
    }

    @Test("Each event is delivered in an action of its own, in order")
    func order() {
        let relay = makeRelay()
        relay.receive(1)
        relay.receive(2)
        relay.finish(.failed(.first))
        #expect(recorder.events.isEmpty && shelf.count == 3 && relay.isDisposed)
        shelf.run()
        #expect(recorder.events == [.value(1)])
        shelf.run()
        #expect(recorder.events == [.value(1), .value(2)])
        shelf.run()
        #expect(recorder.events == [.value(1), .value(2), .failed(.first)])
    }

    @Test("After an end, nothing counts and no action is scheduled")
    func afterEnd() {
        let relay = makeRelay()
        relay.finish(.completed)
        relay.finish(.failed(.first))
        relay.receive(1)
        relay.deliver(2)
        relay.deliver(.failed(.second))
        #expect(recorder.events.isEmpty && shelf.count == 1)
        shelf.runAll()
        #expect(recorder.events == [.completed])
        relay.finish(.failed(.first))
        relay.finishNow(.interrupted)
        relay.deliver(.failed(.first))
        relay.deliver(1)
        #expect(shelf.count == 0 && recorder.events == [.completed])
    }

    @Test("An end that is in a hurry replaces what waits, be it values or another end", arguments: [false, true])
    func hurry(hasEnded: Bool) {
        let relay = makeRelay()
        relay.receive(1)
        if hasEnded { relay.finish(.completed) }
        relay.finishNow(.failed(.second))
        #expect(recorder.events.isEmpty && shelf.count == (hasEnded ? 3 : 2))
        shelf.runAll()
        #expect(recorder.events == [.failed(.second)])
    }

    @Test("When its lifetime ends, it delivers the interruption on the scheduler, once")
    func interruption() {
        let relay = makeRelay()
        relay.receive(1)
        #expect(!relay.isDisposed)
        scope.dispose()
        relay.dispose()
        #expect(relay.isDisposed && recorder.events.isEmpty)
        shelf.runAll()
        #expect(recorder.events == [.interrupted])
    }

    @Test("A value that is delivered at once does not pass those that wait")
    func atOnce() {
        let relay = makeRelay()
        relay.receive(1)
        relay.deliver(2)
        #expect(recorder.events == [.value(1)])
        shelf.runAll()
        #expect(recorder.events == [.value(1), .value(2)])
        relay.deliver(3)
        relay.deliver(.completed)
        #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
    }
}
