import Foundation
import Persistence

/// The end of an attempt to read or write that has no result.
enum Attempt: Error {
    /// To try again would be of no use.
    case over(StoreError)
    /// No connection could be had.
    case unreachable(StoreError)
    /// The connection was lost, or must be replaced, and nothing was kept.
    case lost(StoreError)
    /// The transaction met with another one, and nothing of it was kept.
    case conflict(StoreError)
}

extension PostgresDatabase {
    private static var maximumLosses: Int { 3 }
    private static var maximumConflicts: Int { 20 }

    /// Tries until there is a result, as often and as long as the way in which it failed deserves.
    func retrying<Result>(_ attempt: () throws(Attempt) -> Result) throws(StoreError) -> Result {
        let start = ContinuousClock.now
        var (losses, conflicts) = (0, 0)
        while true {
            do throws(Attempt) {
                return try attempt()
            } catch {
                switch error {
                case .over(let error): throw error
                case .unreachable(let error):
                    if ContinuousClock.now - start >= configuration.patience { throw error }
                    Thread.sleep(forTimeInterval: 0.05)
                case .lost(let error):
                    losses += 1
                    if losses > Self.maximumLosses { throw error }
                case .conflict(let error):
                    conflicts += 1
                    if conflicts > Self.maximumConflicts { throw error }
                    // Those that met must not meet again.
                    Thread.sleep(forTimeInterval: .random(in: 0...0.001) * Double(1 << min(conflicts, 6)))
                }
            }
        }
    }

    func take() throws(Attempt) -> PostgresConnection {
        do throws(StoreError) {
            return try pool.take()
        } catch {
            if case .unreachable = error { throw .unreachable(error) }
            throw .over(error)
        }
    }

    /// Returns whether a transaction was kept whose connection was lost while it was being committed.
    func wasCommitted(_ transaction: String?, _ error: StoreError) throws(Attempt) -> Bool {
        let start = ContinuousClock.now
        while let transaction, ContinuousClock.now - start < configuration.patience {
            switch try? state(ofTransaction: transaction) {
            case "committed": return true
            case "aborted": return false
            // The server has no connection to spare, or has not noticed yet that this one was lost.
            default: Thread.sleep(forTimeInterval: 0.02)
            }
        }
        throw .over(.outcomeUnknown(reason: "\(error)"))
    }

    private func state(ofTransaction transaction: String) throws(StoreError) -> String? {
        let connection = try pool.take()
        let result = Result { () throws(StoreError) in
            try connection.run(
                "SELECT pg_xact_status($1::text::xid8)", PostgresParameters(.text(transaction)))
        }
        pool.giveBack(connection)
        if case .text(let state) = try result.get().first { return state }
        return nil
    }

    // MARK: - Inside of transactions

    /// Throws `StoreError.insideTransaction` if this thread is inside of a transaction's body.
    func checkNotInside() throws(StoreError) {
        let thread = currentThread()
        if insiders.withLock({ $0.contains(thread) }) { throw .insideTransaction }
    }

    /// Runs the body of a transaction.
    func inside<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        let thread = currentThread()
        insiders.withLock { _ = $0.insert(thread) }
        defer { insiders.withLock { _ = $0.remove(thread) } }
        return try body()
    }
}

/// Runs `body` on a thread of its own.
func onOtherThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StoreError) -> Value
) async throws(StoreError) -> Value {
    try await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { () throws(StoreError) in try body() }) }
    }.get()
}
