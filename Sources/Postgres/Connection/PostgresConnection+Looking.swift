import CPostgres
import Foundation
import Persistence
import Synchronization

// Looking for an answer without sleeping.

extension PostgresConnection {
    /// The number of statements whose results are being waited for in this process.
    static let waiting = Atomic(0)

    /// The time to look for an answer. A server on the same machine answers most reads by id in less than half of it.
    private static var patience: Duration { .microseconds(100) }

    /// Looks for the answer for a moment, since a server on the same machine often answers a simple statement before
    /// this thread would have fallen asleep and woken. Other threads, such as the server's, have precedence.
    func lookForAnswer() {
        let end = ContinuousClock.now + Self.patience
        repeat {
            sched_yield()
            guard PQconsumeInput(handle) == 1, PQisBusy(handle) == 1 else { return }
        } while ContinuousClock.now < end
        pace.miss()
    }

    /// Waits for the result of the statement that was sent, and for the end of the answer.
    func answer(isSent: Int32) throws(StoreError) -> PostgresResult {
        guard isSent == 1 else { throw failure(nil) }
        beginWait()
        defer { endWait() }
        let isAlone = Self.waiting.add(1, ordering: .relaxed).oldValue == 0
        defer { Self.waiting.subtract(1, ordering: .relaxed) }
        if pace.looks(isAlone: isAlone) { lookForAnswer() }
        let first = Result { () throws(StoreError) in try check(PQgetResult(handle)) }
        // During a COPY, there is no end of results.
        while !hasBegunCopy, let more = PQgetResult(handle) { PQclear(more) }
        return try first.get()
    }
}
