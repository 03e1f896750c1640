import Feedback
import Persistence

/// A transaction on one connection, which begins with its first statement.
///
/// Statements that need not wait for each other's results are sent together. The last statement before the commit asks
/// for the number of the transaction, by which the server can later be asked if it was committed.
final class PostgresWriter {
    enum Commitment {
        /// The transaction was committed, or was not; nobody has to be asked which.
        case known
        /// The connection was lost while the transaction, with this number, was being committed. It has no number if it
        /// has written nothing.
        case lost(String?)
    }

    let connection: PostgresConnection
    private let isSole: Bool
    private let notifiesObservers: Bool
    private var hasBegun = false
    /// The number of parts that have begun and not ended.
    private var parts = 0
    /// The tables that were written to, or that of any table if a write may have changed others.
    private(set) var tables: Set<String> = []
    /// `true` if a statement of the library's user may have written, such as by a function.
    private var mayHaveWritten = false
    private var number: String?
    private(set) var commitment = Commitment.known
    /// The error that ended the transaction, if one has.
    private(set) var failure: StoreError?

    private static var begin: String { "BEGIN ISOLATION LEVEL SERIALIZABLE" }
    private static var ownNumber: String { "SELECT pg_current_xact_id_if_assigned()::text" }

    init(_ connection: PostgresConnection, isSole: Bool, notifiesObservers: Bool) {
        self.connection = connection
        self.isSole = isSole
        self.notifiesObservers = notifiesObservers
    }

    /// Runs the statements that `body` sends, all or none of them, and returns their outcomes.
    ///
    /// - Parameter failingOnNoChange: `true` if a statement that changes no row fails with `StoreError.missing(id:)`.
    func write(
        to table: String, failingOnNoChange: Bool = false, _ body: (PostgresConnection) throws(PipelineError) -> Void
    ) throws(PipelineError) -> [PipelineOutcome] {
        if let failure {
            // The violation that the connection knows may be that failure's; this step has none.
            connection.violation = nil
            throw PipelineError(index: 0, error: failure)
        }
        var before = 0
        var after = 0
        let begins = !hasBegun
        do throws(PipelineError) {
            let results = try connection.pipeline { connection throws(PipelineError) in
                if begins {
                    try connection.send(Self.begin)
                    before += 1
                }
                if !isSole {
                    try connection.send("SAVEPOINT step")
                    before += 1
                }
                try body(connection)
                if isSole {
                    tables.insert(table)
                    after = try sendEnd(on: connection)
                } else if !failingOnNoChange {
                    try connection.send("RELEASE step")
                    after = 1
                }
            }
            hasBegun = true
            tables.insert(table)
            if isSole { noteEnd(results.suffix(after)) }
            let own = Array(results.dropFirst(before).dropLast(after))
            if failingOnNoChange {
                if let index = own.firstIndex(where: { $0.changes == 0 }) {
                    throw PipelineError(index: before + index, error: .missing(id: ""))
                }
                if !isSole {
                    do throws(StoreError) {
                        try connection.run("RELEASE step")
                    } catch {
                        throw PipelineError(index: 0, error: error)
                    }
                }
            }
            return own
        } catch {
            hasBegun = hasBegun || (begins && error.index > 0)
            throw PipelineError(index: error.index - before, error: goOn(after: error.error))
        }
    }

    /// Lets `body` read in the transaction.
    ///
    /// - Parameter mayWrite: `true` for a statement of the library's user, which may call a function that writes.
    func read<Result>(
        mayWrite: Bool = false, _ body: (PostgresConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if let failure { throw failure }
        if mayWrite {
            mayHaveWritten = true
            connection.mayHaveSettings = true
        }
        do throws(StoreError) {
            if !hasBegun {
                try connection.run(Self.begin)
                hasBegun = true
            }
            return try body(connection)
        } catch {
            // The statement may have succeeded, and only reading its result failed.
            if connection.hasFailedTransaction || connection.isLost { failure = error }
            throw error
        }
    }

    /// Runs a statement of the library's user, which may write to any table, and returns how many rows it changed.
    func execute(_ sql: SQL) throws(StoreError) -> Int {
        let text = try sql.textWithoutTransactionControl()
        let parameters = try PostgresParameters(sql.values)
        connection.mayHaveSettings = true
        do throws(PipelineError) {
            let results = try write(to: PostgresListener.anyTable) { connection throws(PipelineError) in
                try connection.send(text, parameters)
            }
            return results.first?.changes ?? 0
        } catch {
            throw error.error
        }
    }

    /// Lets `body` run a part of the transaction. If it fails, that part is undone, and the transaction can continue.
    func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard parts < StoreError.maximumNumberOfNestedParts else { throw .tooManyNestedParts }
        try run("SAVEPOINT part")
        parts += 1
        defer { parts -= 1 }
        do throws(StoreError) {
            let result = try body()
            try run("RELEASE part")
            return result
        } catch {
            undoPart()
            throw error
        }
    }

    private func run(_ statement: String) throws(StoreError) {
        try read { connection throws(StoreError) in _ = try connection.run(statement) }
    }

    private func undoPart() {
        // These concern the transaction as a whole.
        if case .conflict? = failure { return }
        if connection.isLost || connection.isOutdated { return }
        if (try? undo("part")) != nil { failure = nil }
    }

    /// Lets `body` ask the server about the step that has failed; returns nil if there is no answer.
    func ask<Result>(_ body: (PostgresConnection) throws(StoreError) -> Result) -> Result? {
        // A transaction of one step has failed with it.
        if isSole { rollBack() } else if failure != nil { return nil }
        return try? body(connection)
    }

    /// Undoes the failed step, so that the transaction can continue; if that is not possible, records that the
    /// transaction has failed.
    private func goOn(after error: StoreError) -> StoreError {
        let isConflict = if case .conflict = error { true } else { false }
        if isConflict || isSole || connection.isLost || connection.isOutdated || !hasBegun {
            failure = error
        } else {
            // If this fails, all later statements fail, too.
            try? undo("step")
        }
        return error
    }

    /// Goes back to a savepoint.
    private func undo(_ savepoint: String) throws(StoreError) {
        // In a failed transaction, no other statement could be closed to prepare these.
        try connection.execute("ROLLBACK TO \(savepoint)")
        try connection.execute("RELEASE \(savepoint)")
    }

    // MARK: - The end

    /// Sends the statements that precede the commit; returns their number.
    private func sendEnd(on connection: PostgresConnection) throws(PipelineError) -> Int {
        var count = 1
        if notifiesObservers {
            for table in tables.sorted() {
                try connection.send(PostgresNotification.statement(of: table), [.text(table)])
                count += 1
            }
        }
        try connection.send(Self.ownNumber)
        return count
    }

    /// Records the results of the statements that precede the commit.
    private func noteEnd(_ results: some BidirectionalCollection<PipelineOutcome>) {
        if case .text(let number)? = results.last?.first { self.number = number }
        // Without a notification, it is unknown whether other tables have changed.
        let namesAny = results.dropLast().contains { $0.first == .text(PostgresListener.anyTable) }
        if namesAny || !notifiesObservers { tables.insert(PostgresListener.anyTable) }
    }

    func commit() throws(StoreError) {
        guard hasBegun else { return }
        if !isSole, !tables.isEmpty || mayHaveWritten {
            do throws(PipelineError) {
                noteEnd(
                    try connection.pipeline { connection throws(PipelineError) in _ = try sendEnd(on: connection) })
            } catch {
                throw error.error
            }
        }
        do throws(StoreError) {
            let result = connection.mayHaveSettings ? try connection.commitAndClean() : try connection.run("COMMIT")
            // A transaction that has failed is rolled back instead.
            guard result.command == "COMMIT" else {
                throw .postgres(code: "25P02", reason: "the transaction had failed, and was rolled back")
            }
        } catch {
            if connection.isLost { commitment = .lost(number) }
            throw error
        }
    }

    func rollBack() {
        if hasBegun, !connection.isLost { try? connection.execute("ROLLBACK") }
    }
}
