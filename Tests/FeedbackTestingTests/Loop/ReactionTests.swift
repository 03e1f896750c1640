import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("A tester whose events another thread reduces", .onOwnThread)
struct ReactionTests {
    private let first = Stub<Void, Int, NoError>()
    private let second = Stub<Void, Int, NoError>()
    private let details = Stub<Void, Int, NoError>()
    private let isReacting = DispatchSemaphore(value: 0)
    private let goOn = DispatchSemaphore(value: 0)

    /// A loop that reacts to an event only when it is told to, before it starts the effect for the new state.
    private func makeTester(exhaustivity: Exhaustivity = .full) -> LoopTester<Int, Int> {
        let slow = Feedback<Int, Int>.onEvent(name: "slow") { [isReacting, goOn] _, _ in
            isReacting.signal()
            goOn.wait()
        }
        let reduce: @Sendable (inout Int, Int) -> Void = { $0 += $1 }
        return LoopTester(
            initial: 0, reduce: reduce,
            feedbacks: [
                start(first) { $0 == 0 }, start(second) { $0 < 20 }, slow, start(details) { $0 == 1 || $0 == 11 },
            ], exhaustivity: exhaustivity)
    }

    private func start(
        _ stub: Stub<Void, Int, NoError>, where predicate: @escaping @Sendable (Int) -> Bool
    ) -> Feedback<Int, Int> {
        Feedback(predicate: predicate) { _ in stub() }
    }

    /// Has another thread reduce an event, and returns while it reacts to it.
    private func react() {
        Thread.detachNewThread { [first] in first.answer(1) }
        isReacting.wait()
    }

    /// Lets the other thread go on, a while after this thread has begun what follows; also after its next reactions.
    private func goOnSoon(reactions: Int = 1) {
        Thread.detachNewThread { [isReacting, goOn] in
            for number in 0..<reactions {
                if number > 0 { isReacting.wait() }
                for _ in 0..<200 { sched_yield() }
                goOn.signal()
            }
        }
    }

    @Test("When an event is received, the effects that it starts have started")
    func received() {
        let tester = makeTester()
        react()
        goOnSoon()
        tester.receive(1) { $0 = 1 }
        #expect(details.waitingCount == 1)
        tester.skipTheRest()
    }

    @Test("When an event was waited for, the effects that it starts have started, and nothing more is waited for")
    func awaited() async {
        let tester = makeTester()
        react()
        goOnSoon()
        let start = ContinuousClock.now
        await tester.receive(1, within: .seconds(10)) { $0 = 1 }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(details.waitingCount == 1)
        tester.skipTheRest()
    }

    @Test("An event that waits until another thread has reacted to an earlier one is received")
    func queued() {
        let tester = makeTester()
        react()
        second.send(10)
        goOnSoon(reactions: 2)
        tester.receive(1) { $0 = 1 }
        tester.receive(10) { $0 = 11 }
        tester.skipTheRest()
    }

    @Test("An event that waits until another thread has reacted is received also if the one before it is skipped")
    func queuedAfterOther() {
        let tester = makeTester(exhaustivity: .partial)
        react()
        second.send(10)
        goOnSoon(reactions: 2)
        tester.receive(10) { $0 = 11 }
        #expect(details.callCount == 2)
        tester.skipTheRest()
    }

    @Test("When an event is sent while another thread reacts to an earlier one, its effects have started afterwards")
    func sent() {
        let tester = makeTester(exhaustivity: .partial)
        react()
        goOnSoon(reactions: 2)
        tester.send(10) { $0 = 11 }
        #expect(details.callCount == 2)
        tester.skipTheRest()
    }
}
