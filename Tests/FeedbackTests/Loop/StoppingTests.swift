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
