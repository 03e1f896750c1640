import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Sync

struct SharedPullsTests {
    @Test("All who ask for a pull while one is under way get the result of that one")
    func onePullAtATime() async {
        let pulls = SharedPulls()
        let count = Locked(0)
        let begin: @Sendable () -> Void = { count.withLock { $0 += 1 } }
        let tasks = (0..<8).map { _ in Task { await Self.error(of: pulls, begin) } }
        for task in tasks {
            let error = await task.value
            #expect(error == .gone)
        }
        #expect(count.withLock { $0 } == 1)
        #expect(pulls.waiting == 0)
    }

    /// Asks for a pull, which fails when eight have asked for it.
    private static func error(of pulls: SharedPulls, _ begin: @escaping @Sendable () -> Void) async -> StoreError? {
        do throws(StoreError) {
            try await pulls.run { () async throws(StoreError) in
                begin()
                await eventually("all have asked") { pulls.waiting == 8 }
                throw .gone
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("A pull is cancelled when the last one who waits for it is")
    func cancelledPull() async {
        let pulls = SharedPulls()
        let hasEnded = Locked(false)
        let waiter = Task {
            try? await pulls.run { () async throws(StoreError) in
                // It ends at once when the task is cancelled.
                try? await Task.sleep(for: .seconds(600))
                hasEnded.withLock { $0 = Task.isCancelled }
                throw .cancelled
            }
        }
        await eventually { pulls.waiting == 1 }
        waiter.cancel()
        _ = await waiter.value
        #expect(hasEnded.withLock { $0 })
        #expect(pulls.waiting == 0)
    }

    @Test("A pull goes on while one of several who wait for it is left")
    func leftPull() async {
        let pulls = SharedPulls()
        let mayEnd = Locked(false)
        let isOver: @Sendable () -> Bool = { mayEnd.withLock { $0 } }
        let waiters = (0..<4).map { _ in Task { await Self.hasPulled(pulls, isOver) } }
        for (number, waiter) in waiters.enumerated() {
            await eventually { pulls.waiting == 4 - number }
            if number < 3 { waiter.cancel() } else { mayEnd.withLock { $0 = true } }
        }
        #expect(await waiters[3].value)
    }

    @Test("A caller that is cancelled does not wait for a pull that goes on for others")
    func cancelledCaller() async throws {
        let pulls = SharedPulls()
        let mayEnd = Locked(false)
        let hasLeft = Locked(false)
        let isOver: @Sendable () -> Bool = { mayEnd.withLock { $0 } }
        let other = Task { await Self.hasPulled(pulls, isOver) }
        await eventually { pulls.waiting == 1 }
        let caller = Task {
            let hasPulled = await Self.hasPulled(pulls, isOver)
            hasLeft.withLock { $0 = true }
            return hasPulled
        }
        await eventually { pulls.waiting == 2 }
        caller.cancel()
        await eventually("it has left", within: .seconds(30)) { hasLeft.withLock { $0 } }
        mayEnd.withLock { $0 = true }
        #expect(await !caller.value)
        #expect(await other.value)
    }

    /// Asks for a pull that ends when it may; returns false if it was cancelled before.
    private static func hasPulled(_ pulls: SharedPulls, _ mayEnd: @escaping @Sendable () -> Bool) async -> Bool {
        do throws(StoreError) {
            try await pulls.run { () async throws(StoreError) in
                await eventually { mayEnd() || Task.isCancelled }
                if Task.isCancelled { throw .cancelled }
            }
            return true
        } catch {
            return false
        }
    }

    @Test("A pull that a later page has overtaken leaves out what that page has told about, and nothing else")
    func overtakenPull() {
        var ledger = PullLedger()
        let (pull, page) = (ledger.begin(), ledger.begin())
        #expect(ledger.endPage(page) == [])
        ledger.note(["films/1", "films/2"], mergedBy: page)
        #expect(ledger.end(pull) == ["films/1", "films/2"])
    }

    @Test("A page that a later answer has overtaken is left out; what a write has told about is left out of a page")
    func overtakenPage() {
        var ledger = PullLedger()
        let (first, second, third) = (ledger.begin(), ledger.begin(), ledger.begin())
        ledger.note(["films/1"])
        #expect(ledger.endPage(second) == ["films/1"])
        ledger.note(["films/2"], mergedBy: second)
        #expect(ledger.endPage(first) == nil)
        #expect(ledger.endPage(third) == ["films/1"])
    }

    @Test("A page that the answer about one object has overtaken leaves out that object only")
    func overtakenByObject() {
        var ledger = PullLedger()
        let (page, object) = (ledger.begin(), ledger.begin())
        #expect(ledger.endPage(object) == [])
        ledger.note(["films/1"], mergedBy: object, isPage: false)
        #expect(ledger.endPage(page) == ["films/1"])
    }
}
