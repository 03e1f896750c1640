import Feedback
import FeedbackTesting
import Foundation
import Testing

/// In processes of their own, whose issues come back to the test: beside its task a test cannot catch a failure.
@Suite("Failures outside of a test's task")
struct TestLocationTests {
    @Test("A detached task's failure fails the run")
    func detachedTask() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                await Task.detached { Stub<String, Int, Never>().answer(1) }.value
            }
        } matching: {
            $0.comments.first?.rawValue.contains("There is no call to answer") == true
        }
    }

    @Test("A failure on another thread fails the run, also that of a tester that is released there")
    func otherThread() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                onThreadsBlocking(8) { _ in
                    let tester = LoopTester<Int, Int>(
                        initial: 0, reduce: { $0 += $1 },
                        feedbacks: [Feedback(predicate: { $0 == 0 }) { _ in SignalProducer(value: 1) }])
                    withExtendedLifetime(tester) {}
                }
            }
        } matching: {
            $0.comments.first?.rawValue.contains("These events were not asserted at the end") == true
        }
    }
}
