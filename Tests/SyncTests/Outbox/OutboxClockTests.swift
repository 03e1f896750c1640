import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// An outbox while the clock is set back, and with writes that take much memory.
struct OutboxClockTests {
    @Test("If the clock is set back while there is no network, writes are sent as soon as it is there again")
    func setBack() async throws {
        let scheduler = LateScheduler()
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let isOffline = Locked(true)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            if isOffline.withLock({ $0 }) { throw .network(NetworkFailure(.cannotConnect)) }
        }
        try await requests.send(1, about: "1")
        await eventually("there is no network") { outbox.status.value.offlineSince != nil }
        isOffline.withLock { $0 = false }
        await eventually("all is sent") { outbox.status.value.isInStep }
    }

    @Test("Only a few large writes are in memory at once")
    func largeWrites() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.width = 1 }
        let ends = Locked<[CheckedContinuation<Void, Never>]>([])
        let sent = Locked(0)
        let requests = try DurableRequests<String>("texts", in: outbox) { _, _ async throws(CoreError) in
            let count = sent.withLock { count in
                count += 1
                return count
            }
            if count == 3 { await withCheckedContinuation { end in ends.withLock { $0.append(end) } } }
        }
        let text = String(repeating: "x", count: 1_500_000)
        for number in 1...12 { try await requests.send(text, about: "\(number)") }
        await eventually("the third one is under way") { ends.withLock { $0.count } == 1 }
        #expect(outbox.state.withLock(\.ready.count) <= 4)
        ends.withLock { $0.removeFirst() }.resume()
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(sent.withLock { $0 } == 12)
    }
}

/// A scheduler whose timers wait for hours, as those of a clock that was set back after they were made.
private final class LateScheduler: DateScheduler {
    private let queue = QueueScheduler(qos: .utility)

    var currentDate: Date { queue.currentDate }

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? { queue.schedule(action) }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        queue.schedule(after: date.addingTimeInterval(3_600), action: action)
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        queue.schedule(after: date.addingTimeInterval(3_600), interval: interval, leeway: leeway, action: action)
    }
}
