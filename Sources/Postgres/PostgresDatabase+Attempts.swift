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

/// The failed attempts of one reading or writing, and what they allow.
struct Attempts {
    private static var maximumLosses: Int { 3 }
    private static var maximumConflicts: Int { 20 }

    private let patience: Duration
    private let start = ContinuousClock.now
    private var losses = 0
    private var conflicts = 0

    init(_ patience: Duration) { self.patience = patience }

    /// `true` if a connection was lost, so that the others are likely to be lost as well.
    var hasLosses: Bool { losses > 0 }

    /// Notes that an attempt failed; returns the time until the next one, or throws if there is to be none.
    mutating func pause(after failure: Attempt) throws(StoreError) -> Duration {
        switch failure {
        case .over(let error): throw error
        case .unreachable(let error):
            if ContinuousClock.now - start >= patience { throw error }
            return .milliseconds(50)
        case .lost(let error):
            losses += 1
            if losses > Self.maximumLosses { throw error }
            return .zero
        case .conflict(let error):
            conflicts += 1
            if conflicts > Self.maximumConflicts { throw error }
            // Those that met must not meet again.
            return .milliseconds(.random(in: 0...1) * Double(1 << min(conflicts, 6)))
        }
    }
}

extension PostgresDatabase {
    /// Tries until there is a result, as often and as long as the way in which it failed deserves.
    func retrying<Result>(
        _ attempt: (Attempts) throws(Attempt) -> Result
    ) throws(StoreError) -> Result {
        var attempts = Attempts(configuration.patience)
        while true {
            do throws(Attempt) {
                return try attempt(attempts)
            } catch {
                let pause = try attempts.pause(after: error)
                if pause > .zero { Thread.sleep(forTimeInterval: pause.timeInterval) }
            }
        }
    }

    func take(_ attempts: Attempts) throws(Attempt) -> PostgresConnection {
        do throws(StoreError) {
            return try pool.take(isChecked: attempts.hasLosses)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: StoreError) -> Attempt {
        if case .unreachable = error { .unreachable(error) } else { .over(error) }
    }

    // MARK: - For tasks

    /// Returns the result of a statement that reads; the task is suspended until then. If the connection is lost, another one is
    /// tried.
    func result(of text: String, _ parameters: PostgresParameters) async throws(StoreError) -> PostgresResult {
        var attempts = Attempts(configuration.patience)
        while true {
            do throws(Attempt) {
                return try await attempt(text, parameters, attempts)
            } catch {
                let pause = try attempts.pause(after: error)
                guard pause > .zero else { continue }
                do { try await Task.sleep(for: pause) } catch { throw StoreError.cancelled }
            }
        }
    }

    private func attempt(
        _ text: String, _ parameters: PostgresParameters, _ attempts: Attempts
    ) async throws(Attempt) -> PostgresResult {
        let connection: PostgresConnection
        do throws(StoreError) {
            if Task.isCancelled { throw .cancelled }
            connection = try await pool.take(isChecked: attempts.hasLosses)
        } catch {
            throw failure(error)
        }
        do throws(StoreError) {
            let result = try await connection.result(of: text, parameters)
            pool.giveBack(connection)
            return result
        } catch .cancelled {
            pool.discard(connection)
            throw .over(.cancelled)
        } catch {
            throw release(connection, error)
        }
    }

    // MARK: - The end of a transaction

    /// Returns whether a transaction was kept whose connection was lost while it was being committed.
    ///
    /// A server that crashes forgets the number of a transaction of which it had written nothing, and gives it to another one. So
    /// after a crash, "committed" may be said of that other one.
    func wasCommitted(
        _ transaction: String?, on lost: PostgresConnection, _ error: StoreError
    ) throws(Attempt) -> Bool {
        let start = ContinuousClock.now
        asking: while let transaction, ContinuousClock.now - start < configuration.patience {
            switch try? fate(of: transaction, on: lost) {
            case .committed: return true
            case .aborted, .forgotten: return false
            case .ambiguous: break asking
            // The server has no connection to spare, or has not noticed yet that this one was lost.
            case .open, nil: Thread.sleep(forTimeInterval: 0.02)
            }
        }
        throw .over(.outcomeUnknown(reason: "\(error)"))
    }

    /// The server's answer about a transaction.
    private enum Fate {
        case committed, aborted, open
        /// The server has crashed, and has not given the number again yet.
        case forgotten
        /// This transaction was committed, or another one that got its number after a crash.
        case ambiguous
    }

    private func fate(of transaction: String, on lost: PostgresConnection) throws(StoreError) -> Fate {
        let connection = try pool.take()
        defer { pool.giveBack(connection) }
        let isSameLife = connection.serverLife.flatMap { life in lost.serverLife.map { $0 == life } }
        do throws(StoreError) {
            let state = try connection.run(
                "SELECT pg_xact_status($1::text::xid8)", PostgresParameters(.text(transaction))
            ).first
            return switch state {
            case .text("committed"): isSameLife == true ? .committed : .ambiguous
            case .text("aborted"): .aborted
            default: .open
            }
        } catch .postgres(code: "22023", _) where isSameLife == false {
            // The number "is in the future".
            return .forgotten
        }
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
) async -> Result<Value, StoreError> {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result { () throws(StoreError) in try body() }) }
    }
}
