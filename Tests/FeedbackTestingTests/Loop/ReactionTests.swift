import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("What a tester promises of an event that another thread reduces", .onOwnThread)
struct ReactionTests {
    private let load = Stub<Void, Int, NoError>()
    private let details = Stub<Void, Int, NoError>()
    private let reacting = DispatchSemaphore(value: 0)

    /// A loop whose reaction to the first event takes a while before it starts the next effect.
    private func makeTester() -> LoopTester<Int, Int> {
        let slow = Feedback<Int, Int>.onEvent(name: "slow") { [reacting] _, _ in
            reacting.signal()
            // If the tester is slower than this, the test shows less, but does not fail.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.05)
        }
        let reduce: @Sendable (inout Int, Int) -> Void = { $0 += $1 }
        return LoopTester(initial: 0, reduce: reduce, feedbacks: [start(load, at: 0), slow, start(details, at: 1)])
    }

    private func start(_ stub: Stub<Void, Int, NoError>, at state: Int) -> Feedback<Int, Int> {
        Feedback(predicate: { $0 == state }) { _ in stub() }
    }

    private func finish(_ tester: LoopTester<Int, Int>) {
        details.answer(2)
        tester.receive(2) { $0 = 3 }
        tester.finish()
    }

    @Test("When an event is received, the effects that it starts have started")
    func received() {
        let tester = makeTester()
        Thread.detachNewThread { [load] in load.answer(1) }
        reacting.wait()
        tester.receive(1) { $0 = 1 }
        finish(tester)
    }

    @Test("When an event was waited for, the effects that it starts have started")
    func awaited() async {
        let tester = makeTester()
        Thread.detachNewThread { [load] in load.answer(1) }
        await tester.receive(1, within: .seconds(60)) { $0 = 1 }
        finish(tester)
    }
}
