import Dispatch
import Foundation
import Testing

@testable import Feedback

@Suite("Durations")
struct DurationTests {
    @Test("A duration is added to a date in seconds")
    func seconds() {
        #expect(Duration.milliseconds(300).timeInterval == 0.3)
        #expect(Duration.seconds(-2.5).timeInterval == -2.5)
        #expect(Duration.seconds(1e19).timeInterval == 1e19)
    }

    @Test("Dispatch gets nanoseconds, none of a negative duration, and never in place of thirty years")
    func dispatch() {
        #expect(Duration.microseconds(1_500).dispatched == .nanoseconds(1_500_000))
        #expect(Duration.seconds(-1).dispatched == .nanoseconds(0))
        #expect(Duration.seconds(999_999_999).dispatched == .nanoseconds(999_999_999_000_000_000))
        #expect(Duration.seconds(1_000_000_000).dispatched == .never)
        #expect(Duration.seconds(Int64.max).dispatched == .never)
    }
}
