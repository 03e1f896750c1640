import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Postgres

@Suite("The alarm of a waiting thread", .timeLimit(.minutes(1)))
struct PostgresAlarmTests {
    /// The descriptors of a process, of which there may be none left.
    private final class Descriptors: Sendable {
        let areLeft = Locked(false)
    }

    /// An alarm that can make its pipe only if there are descriptors.
    private func alarm(_ descriptors: Descriptors) -> Alarm {
        Alarm { descriptors.areLeft.withLock { $0 } ? Alarm.makePipe() : nil }
    }

    @Test("It wakes the thread, also one that waits later")
    func ringing() async {
        let alarm = Alarm()
        alarm.ring()
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
        #expect(alarm.wait(for: [], milliseconds: 0) == nil)
    }

    @Test("However often it has rung, it wakes the thread once")
    func ringingOften() {
        let alarm = Alarm()
        #expect(alarm.wait(for: [], milliseconds: 0) == nil)
        for _ in 0..<3 { alarm.ring() }
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
        #expect(alarm.wait(for: [], milliseconds: 0) == nil)
    }

    @Test("Without a descriptor for its pipe, it wakes the thread nevertheless", .onOwnThread)
    func noDescriptors() throws {
        let alarm = alarm(Descriptors())
        alarm.ring()
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
        #expect(alarm.wait(for: [], milliseconds: 0) == nil)
        Thread.detachNewThread { alarm.ring() }
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
        // Input is noticed as before.
        let (reading, writing) = try #require(Alarm.makePipe())
        defer { for end in [reading, writing] { close(end) } }
        #expect(alarm.wait(for: [reading], milliseconds: 1) == nil)
        #expect(write(writing, "a", 1) == 1)
        #expect(alarm.wait(for: [reading], milliseconds: -1) == [0])
    }

    @Test("Once there are descriptors again, it makes its pipe", .onOwnThread)
    func laterPipe() {
        let descriptors = Descriptors()
        let alarm = alarm(descriptors)
        #expect(alarm.wait(for: [], milliseconds: 1) == nil)
        alarm.ring()
        descriptors.areLeft.withLock { $0 = true }
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
        #expect(alarm.wait(for: [], milliseconds: 0) == nil)
        Thread.detachNewThread { alarm.ring() }
        #expect(alarm.wait(for: [], milliseconds: -1) == [])
    }

    @Test("Its pipe is not for other programs, and never makes a thread wait, however often it rings")
    func pipe() throws {
        let (reading, writing) = try #require(Alarm.makePipe())
        defer { for end in [reading, writing] { close(end) } }
        for end in [reading, writing] {
            #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
            #expect(fcntl(end, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    /// Returns whether the other end of a pipe is closed.
    private func isCutOff(_ end: Int32) -> Bool {
        var descriptor = pollfd(fd: end, events: 0, revents: 0)
        return poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLHUP | POLLERR) != 0
    }

    @Test("When it goes, it closes both ends of its pipe", arguments: [false, true])
    func closed(keepsWriting: Bool) async throws {
        let (reading, writing) = try #require(Alarm.makePipe())
        // The copy of one end outlives the alarm, and tells of the other end.
        let copy = fcntl(keepsWriting ? writing : reading, F_DUPFD_CLOEXEC, 0)
        defer { close(copy) }
        var alarm: Alarm? = Alarm { (reading, writing) }
        alarm?.ring()
        #expect(alarm?.wait(for: [], milliseconds: -1) == [])
        #expect(!isCutOff(copy))
        alarm = nil
        await eventually("the pipe is closed") { isCutOff(copy) }
    }
}
