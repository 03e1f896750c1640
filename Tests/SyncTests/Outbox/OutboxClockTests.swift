import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// An outbox whose clock is set back or stands still, and one with writes that take much memory.
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

    @Test("An outbox that is gone has left no timer behind")
    func timers() async throws {
        let scheduler = TestScheduler()
        do {
            let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
            let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
                throw .network(NetworkFailure(.cannotConnect))
            }
            // Each step that ends without a network sets the timer of the next probe.
            for number in 1...3 {
                try await requests.send(number, about: "\(number)")
                await eventually("its requests have ended") {
                    scheduler.advance()
                    return outbox.state.withLock { $0.senders.isEmpty && $0.results.isEmpty && !$0.isScheduled }
                }
            }
            #expect(outbox.status.value.offlineSince != nil)
            #expect(!scheduler.isIdle)
        }
        await eventually("no timer is left") {
            // What was due already runs, and finds no outbox.
            scheduler.advance()
            return scheduler.isIdle
        }
    }

    @Test("Of the writes that were made ready when the network is lost, only those sent before may have been done")
    func withdrawn() async throws {
        let database = try SQLiteDatabase(.memory)
        let rows = try SQLiteStore(OutboxRow.schema, in: database)
        // An earlier run of the program has sent the fourth one, and got no answer.
        try await rows.insert(
            (1...5).map { number in
                OutboxRow(
                    number: number, entity: "numbers/\(number)", channel: "numbers", body: Data("\(number)".utf8),
                    key: UUID(), isUncertain: number == 4, date: Date())
            })
        let scheduler = TestScheduler()
        let outbox = try Outbox(in: database, on: scheduler) { $0.width = 1 }
        let requests = try DurableRequests<Int>("numbers", in: outbox) { number, _ throws(CoreError) in
            if number > 1 { throw .network(NetworkFailure(.connectionLost)) }
        }
        await eventually("the network is lost") {
            scheduler.advance()
            return outbox.status.value.offlineSince != nil
        }
        let kept = try await rows.sorted(by: \.number).result()
        #expect(kept.map(\.number) == [2, 3, 4, 5])
        #expect(kept.map(\.isUncertain) == [true, false, true, false])
        withExtendedLifetime(requests) {}
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
