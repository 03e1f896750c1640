import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("TestScheduler")
struct TestSchedulerTests {
    let scheduler = TestScheduler()
    let log = Log()

    final class Log: Sendable {
        private let entries = Locked<[String]>([])
        var all: [String] { entries.withLock { $0 } }
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    @Test("Nothing runs until the time is moved, and the time begins with the reference date")
    func standsStill() {
        #expect(scheduler.currentDate == Date(timeIntervalSinceReferenceDate: 0))
        scheduler.schedule { [log] in log.add("now") }
        #expect(log.all.isEmpty)
        scheduler.advance()
        #expect(log.all == ["now"])
    }

    @Test("Actions run in the order of their dates, and of their scheduling where dates are equal")
    func order() {
        let start = scheduler.currentDate
        scheduler.schedule(after: start.addingTimeInterval(2)) { [log] in log.add("2a") }
        scheduler.schedule(after: start.addingTimeInterval(1)) { [log] in log.add("1") }
        scheduler.schedule(after: start.addingTimeInterval(2)) { [log] in log.add("2b") }
        scheduler.schedule { [log] in log.add("0") }
        scheduler.advance(by: .seconds(2))
        #expect(log.all == ["0", "1", "2a", "2b"])
    }

    @Test("An action sees its own date, and what it schedules within the span runs too")
    func nested() {
        let start = scheduler.currentDate
        scheduler.schedule(after: start.addingTimeInterval(1)) { [scheduler, log] in
            log.add("\(scheduler.currentDate.timeIntervalSince(start))")
            scheduler.schedule(after: start.addingTimeInterval(1.5)) { log.add("nested") }
            scheduler.schedule(after: start.addingTimeInterval(3)) { log.add("too late") }
        }
        scheduler.advance(by: .seconds(2))
        #expect(log.all == ["1.0", "nested"])
        #expect(scheduler.currentDate == start.addingTimeInterval(2))
        #expect(!scheduler.isIdle)
    }

    @Test(
        "A span that is passed in several steps ends at the same moment as in one",
        arguments: [[700, 100], [100, 200], [300, 600], [1, 1, 1]] as [[Int]], [0, 800_000_000.1])
    func steps(spans: [Int], start: TimeInterval) {
        let scheduler = TestScheduler(startDate: Date(timeIntervalSinceReferenceDate: start))
        let end = scheduler.currentDate.addingTimeInterval(Double(spans.reduce(0, +)) / 1_000)
        scheduler.schedule(after: end) { [log] in log.add("first") }
        for span in spans.dropLast() { scheduler.advance(by: .milliseconds(span)) }
        scheduler.schedule(after: scheduler.currentDate.addingTimeInterval(Double(spans.last ?? 0) / 1_000)) { [log] in
            log.add("second")
        }
        #expect(log.all.isEmpty)
        scheduler.advance(by: .milliseconds(spans.last ?? 0))
        #expect(log.all == ["first", "second"])
    }

    @Test("An action sees its own date to the last bit, so that one that waits for a date finds it reached")
    func ownDate() {
        let date = scheduler.currentDate.addingTimeInterval(0.1 + 0.2)
        scheduler.schedule(after: date) { [scheduler, log] in log.add("\(scheduler.currentDate >= date)") }
        scheduler.advance(by: .milliseconds(300))
        #expect(log.all == ["true"])
    }

    @Test("A disposed action does not run")
    func disposal() {
        let disposable = scheduler.schedule { [log] in log.add("disposed") }
        disposable?.dispose()
        scheduler.run()
        #expect(log.all.isEmpty)
        #expect(scheduler.isIdle)
    }

    @Test("A repeated action runs at each interval, until it disposes itself")
    func repetition() {
        let handle = SerialDisposable()
        handle.inner = scheduler.schedule(
            after: scheduler.currentDate.addingTimeInterval(1), interval: .seconds(2)
        ) { [log] in
            log.add("tick")
            if log.all.count == 3 { handle.dispose() }
        }
        scheduler.advance(by: .milliseconds(999))
        #expect(log.all.count == 0)
        scheduler.advance(by: .milliseconds(1))
        #expect(log.all.count == 1)
        scheduler.run()
        #expect(log.all.count == 3)
        #expect(scheduler.isIdle)
    }

    @Test("Rewinding takes the clock back and leaves what waits at its date")
    func rewinding() {
        let start = scheduler.currentDate
        scheduler.schedule(after: start.addingTimeInterval(1)) { [log] in log.add("due") }
        scheduler.rewind(by: .seconds(5))
        #expect(scheduler.currentDate == start.addingTimeInterval(-5))
        scheduler.advance(by: .seconds(5))
        #expect(log.all.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(log.all == ["due"])
    }

    @Test("After a rewind, actions without a date are still due at once, in order")
    func rewindingWhatIsDue() {
        scheduler.advance(by: .seconds(10))
        scheduler.schedule { [log] in log.add("first") }
        scheduler.schedule(after: scheduler.currentDate) { [log] in log.add("dated") }
        scheduler.rewind(by: .seconds(5))
        scheduler.schedule { [log] in log.add("second") }
        scheduler.advance()
        #expect(log.all == ["first", "second"])
        scheduler.advance(by: .seconds(5))
        #expect(log.all == ["first", "second", "dated"])
    }

    @Test("Any action can be withdrawn, in any order, also after a rewind, and after it has run")
    func withdrawing() {
        scheduler.advance(by: .seconds(10))
        let now = scheduler.currentDate
        var withdrawals: [(any Disposable)?] = []
        for number in 0..<60 {
            let add: @Sendable () -> Void = { [log] in log.add("\(number)") }
            let date = now.addingTimeInterval(Double(number % 7) - 3)
            withdrawals.append(
                number % 3 == 0 ? scheduler.schedule(add) : scheduler.schedule(after: date, action: add))
            if number == 30 { scheduler.rewind(by: .seconds(4)) }
        }
        for number in (0..<60).reversed() where number % 4 != 1 { withdrawals[number]?.dispose() }
        scheduler.advance(by: .seconds(20))
        #expect(log.all.compactMap { Int($0) }.sorted() == (0..<60).filter { $0 % 4 == 1 })
        #expect(scheduler.isIdle)
        for withdrawal in withdrawals { withdrawal?.dispose() }
    }

    @Test("Actions scheduled from many threads all run, one at a time")
    func threads() {
        let counter = Locked(0)
        onThreadsBlocking(8) { _ in
            for _ in 0..<200 {
                scheduler.schedule { counter.withLock { $0 += 1 } }
                scheduler.advance()
            }
        }
        scheduler.run()
        #expect(counter.withLock { $0 } == 1600)
    }
}
