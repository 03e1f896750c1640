import Feedback
import Foundation
import Persistence

/// The way in which an attempt to read or write failed.
enum Attempt: Error {
    /// Another attempt would fail, too.
    case over(StoreError)
    /// There was no connection.
    case unreachable(StoreError)
    /// The connection was lost, and nothing was committed.
    case lost(StoreError)
    /// The connection has statements that must be prepared again, so another one is needed. Nothing was committed.
    case outdated(StoreError)
    /// The transaction conflicted with another one, and nothing was committed.
    case conflict(StoreError)
}

/// The failed attempts of one read or write, which determine if there is another one.
struct Attempts {
    private static var maximumLosses: Int { 3 }
    private static var maximumConflicts: Int { 20 }

    private let configuration: PostgresDatabase.Configuration
    private let start = ContinuousClock.now
    private var losses = 0
    private var outdated = 0
    private var conflicts = 0

    init(_ configuration: PostgresDatabase.Configuration) { self.configuration = configuration }

    /// `true` if a connection was lost, so that the others are likely to be lost as well.
    var hasLosses: Bool { losses > 0 }

    /// Records a failed attempt; returns the time until the next one, or throws if there is none.
    mutating func pause(after failure: Attempt) throws(StoreError) -> Duration {
        switch failure {
        case .over(let error): throw error
        case .unreachable(let error):
            if ContinuousClock.now - start >= configuration.patience { throw error }
            return .milliseconds(50)
        case .lost(let error):
            losses += 1
            if losses > Self.maximumLosses { throw error }
            return .zero
        case .outdated(let error):
            // A change of a table concerns all connections that there were at that time.
            outdated += 1
            if outdated > max(1, configuration.maximumConnections) + Self.maximumLosses { throw error }
            return .zero
        case .conflict(let error):
            conflicts += 1
            if conflicts > Self.maximumConflicts { throw error }
            // The pause is random, so that the same transactions do not conflict again.
            return .milliseconds(.random(in: 0...1) * Double(1 << min(conflicts, 6)))
        }
    }

    /// Repeats an attempt on this thread until there is a result, or no further one is allowed.
    mutating func retry<Result>(_ attempt: (Attempts) throws(Attempt) -> Result) throws(StoreError) -> Result {
        while true {
            do throws(Attempt) {
                return try attempt(self)
            } catch {
                // The caller has asked for a result on this thread, which waits for the server in any case.
                Thread.sleep(forTimeInterval: try pause(after: error).timeInterval)
            }
        }
    }
}

extension PostgresDatabase {
    func retrying<Result>(_ attempt: (Attempts) throws(Attempt) -> Result) throws(StoreError) -> Result {
        var attempts = Attempts(configuration)
        return try attempts.retry(attempt)
    }

    /// Takes a connection, and lets `cancellation` end what is done with it.
    func take(_ attempts: Attempts, _ cancellation: PostgresCancellation?) throws(Attempt) -> PostgresConnection {
        let connection: PostgresConnection
        do throws(StoreError) {
            connection = try pool.take(isChecked: attempts.hasLosses)
        } catch {
            throw failure(error)
        }
        guard cancellation?.begin(connection) ?? true else {
            pool.giveBack(connection)
            throw .over(.cancelled)
        }
        return connection
    }

    private func failure(_ error: StoreError) -> Attempt {
        if case .unreachable = error { .unreachable(error) } else { .over(error) }
    }

    // MARK: - For tasks

    /// Returns the result of a statement that reads; the task is suspended until then. If the connection is lost, another one is
    /// tried.
    func result(of text: String, _ parameters: PostgresParameters) async throws(StoreError) -> PostgresResult {
        var attempts = Attempts(configuration)
        while true {
            do throws(Attempt) {
                return try await attempt(text, parameters, attempts)
            } catch {
                let pause = try attempts.pause(after: error)
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
            connection.stop { [pool] isUsable in pool.end(connection, isUsable: isUsable) }
            throw .over(.cancelled)
        } catch {
            throw release(connection, error)
        }
    }

    // MARK: - The end of a transaction

    /// Returns true if a transaction whose connection was lost during the commit was committed.
    ///
    /// A transaction that has written nothing has no number. It makes no difference if it was committed.
    ///
    /// A server that crashes forgets the number of a transaction of which it had written nothing, and gives the number
    /// to another one. So after a crash, the status "committed" may be that of the other transaction.
    func wasCommitted(
        _ transaction: String?, on lost: PostgresConnection, _ error: StoreError
    ) throws(Attempt) -> Bool {
        guard let transaction else { return false }
        let start = ContinuousClock.now
        asking: while ContinuousClock.now - start < configuration.patience {
            switch try? status(of: transaction, on: lost) {
            case .committed: return true
            case .aborted, .forgotten: return false
            case .ambiguous: break asking
            // The server has no free connection, or has not noticed yet that the other one was lost.
            case .open, nil: Thread.sleep(forTimeInterval: 0.02)
            }
        }
        throw .over(.outcomeUnknown(reason: "\(error)"))
    }

    /// The status of a transaction according to the server.
    private enum TransactionStatus {
        case committed, aborted, open
        /// The server has crashed, and has not assigned the number again yet.
        case forgotten
        /// This transaction was committed, or another one that got its number after a crash.
        case ambiguous
    }

    private func status(
        of transaction: String, on lost: PostgresConnection
    ) throws(StoreError) -> TransactionStatus {
        let connection = try pool.take()
        defer { pool.giveBack(connection) }
        // nil if it is unknown if the server has crashed.
        let hasCrashed = connection.statisticsStart.flatMap { start in lost.statisticsStart.map { $0 != start } }
        do throws(StoreError) {
            let state = try connection.run(
                "SELECT pg_xact_status($1::text::xid8)", PostgresParameters(.text(transaction))
            ).first
            return switch state {
            case .text("committed"): hasCrashed == false ? .committed : .ambiguous
            case .text("aborted"): .aborted
            default: .open
            }
        } catch .postgres(code: "22023", _) where hasCrashed == true {
            // The number "is in the future".
            return .forgotten
        }
    }

    // MARK: - Inside of transactions

    /// Throws `StoreError.insideTransaction` if this thread runs the body of a transaction.
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
