import FeedbackTesting
import Foundation
import Testing

@testable import Postgres

@Suite("The longest time to wait for an answer of PostgreSQL")
struct AnswerLimitTests {
    @Test("A connection whose answer takes longer is shut down, and not before the time is over")
    func late() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (own, server) = (ends[0], ends[1])
        defer { for end in [own, server] { close(end) } }
        func isShutDown() -> Bool {
            var descriptor = pollfd(fd: server, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) == 1
        }
        let limit = AnswerLimit(.milliseconds(400))
        let wait = limit.wait(of: own)
        let other = limit.wait(of: own)
        #expect(wait.limit == .milliseconds(400))
        other.begin()
        other.end()
        let start = ContinuousClock.now
        wait.begin()
        #expect(!wait.isOver || start.duration(to: .now) >= .milliseconds(400))
        await eventually("the connection is shut down") { isShutDown() }
        #expect(start.duration(to: .now) >= .milliseconds(400))
        #expect(wait.isOver)
        // What has ended is not over, whenever it began.
        #expect(!other.isOver)
        wait.end()
        #expect(wait.isOver)
    }
}
