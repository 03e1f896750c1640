import Feedback
import FeedbackTesting
import Testing

@Suite("The end of a tester that waits for async effects")
struct FinishTests {
    private func makeTester(_ effect: SignalProducer<Int, NoError>) -> LoopTester<Int, Int> {
        LoopTester(initial: 0, reduce: { $0 += $1 }, feedbacks: [Feedback(predicate: { $0 == 0 }) { _ in effect }])
    }

    @Test("Passes when the effects have ended")
    func ending() async {
        let mayEnd = AsyncStream<Void>.makeStream()
        let tester = makeTester(
            SignalProducer { observer, _ in
                Task {
                    for await _ in mayEnd.stream {}
                    observer.sendCompleted()
                }
            })
        async let end: Void = tester.finish(within: .seconds(60))
        // Usually the tester waits by then. It passes also if it does not.
        for _ in 0..<1_000 { await Task.yield() }
        mayEnd.continuation.finish()
        await end
    }

    @Test("A tester that is not exhaustive does not wait for effects")
    func partial() async {
        let start = ContinuousClock.now
        let tester = LoopTester<Int, Int>(
            initial: 0, reduce: { $0 += $1 },
            feedbacks: [Feedback(predicate: { $0 == 0 }) { _ in SignalProducer<Int, NoError>.never }],
            exhaustivity: .partial)
        await tester.finish(within: .seconds(10))
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("Fails for effects that still run after the limit, and for events that were not asserted", .onOwnThread)
    func failing() async {
        for (effect, message) in [
            (SignalProducer<Int, NoError>.never, "These effects still run at the end"),
            (SignalProducer(value: 1), "These events were not asserted at the end"),
        ] {
            let start = ContinuousClock.now
            await withKnownIssue {
                await makeTester(effect).finish(within: .milliseconds(1))
            } matching: {
                $0.comments.first?.rawValue.contains(message) == true
            }
            // It does not block its thread for the ten seconds that an effect on another thread gets.
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }
}
