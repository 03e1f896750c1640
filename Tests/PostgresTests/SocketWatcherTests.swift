import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Postgres

@Suite("The watcher of sockets")
struct SocketWatcherTests {
    /// A task that waits for input.
    private final class Wait: Sendable {
        private let ended = Locked(false)

        var hasEnded: Bool { ended.withLock(\.self) }

        func begin(
            _ socket: Int32, by watcher: SocketWatcher, isSoon: Bool = false, isCancelled: Bool = false
        ) -> Task<Void, Never> {
            Task {
                if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                await watcher.waitForInput(on: socket, isSoon: isSoon)
                ended.withLock { $0 = true }
            }
        }
    }

    @Test("The kernel reports input once, each time that it was asked for; without any, the time is over")
    func events() throws {
        let events = try #require(SocketEvents())
        let pipe = try #require(Alarm.makePipe())
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        var numbers: [UInt64] = []
        #expect(events.report(input: pipe.reading, as: 7))
        expect(events.wait(milliseconds: 0) { numbers.append($0) }, false)
        #expect(write(pipe.writing, "a", 1) == 1)
        expect(events.wait(milliseconds: 60_000) { numbers.append($0) }, true)
        expect(events.wait(milliseconds: 0) { numbers.append($0) }, false)
        #expect(numbers == [7])
        #expect(events.report(input: pipe.reading, as: 8))
        expect(events.wait(milliseconds: 60_000) { numbers.append($0) }, true)
        #expect(numbers == [7, 8])
        // No socket has this number.
        #expect(!events.report(input: -1, as: 9))
    }

    @Test("A wait ends when there is input, or when its task is cancelled", arguments: [false, true])
    func ends(isSoon: Bool) async throws {
        let watcher = SocketWatcher()
        let (pipe, other) = (try #require(Alarm.makePipe()), try #require(Alarm.makePipe()))
        defer { for end in [pipe.reading, pipe.writing, other.reading, other.writing] { close(end) } }
        let (input, cancelled) = (Wait(), Wait())
        _ = input.begin(pipe.reading, by: watcher, isSoon: isSoon)
        let task = cancelled.begin(other.reading, by: watcher, isSoon: isSoon)
        #expect(write(pipe.writing, "a", 1) == 1)
        await eventually("it has ended") { input.hasEnded }
        #expect(!cancelled.hasEnded)
        task.cancel()
        await eventually("it has ended") { cancelled.hasEnded }
    }

    @Test("The wait of a task that was cancelled before ends, too", arguments: [false, true])
    func cancelledBefore(isSoon: Bool) async throws {
        let pipe = try #require(Alarm.makePipe())
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        let wait = Wait()
        _ = wait.begin(pipe.reading, by: SocketWatcher(), isSoon: isSoon, isCancelled: true)
        await eventually("it has ended") { wait.hasEnded }
    }

    @Test("If the kernel cannot watch a socket, its wait ends in a moment, and the task looks for itself")
    func unwatched() async throws {
        let pipe = try #require(Alarm.makePipe())
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        let wait = Wait()
        _ = wait.begin(pipe.reading, by: SocketWatcher { nil })
        await eventually("it has ended") { wait.hasEnded }
        // No socket has this number.
        let refused = Wait()
        _ = refused.begin(-1, by: SocketWatcher())
        await eventually("it has ended") { refused.hasEnded }
    }
}
