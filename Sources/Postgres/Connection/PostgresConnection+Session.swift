import CPostgres
import Persistence

// A statement of the library's user may leave something behind in the session: settings, a role, temporary tables,
// advisory locks, cursors, or channels that it listens to. They last until the end of its transaction. The next task
// that gets the connection must not find them.

extension PostgresConnection {
    /// The statements that bring a session to its first state. Unlike `DISCARD ALL`, they keep prepared statements.
    private static let cleaning = [
        "SET SESSION AUTHORIZATION DEFAULT", "RESET ALL", "CLOSE ALL", "UNLISTEN *", "SELECT pg_advisory_unlock_all()",
        "DISCARD TEMP", "DISCARD SEQUENCES",
    ]

    /// Adds to a pipeline what cleans the session. It must come after the end of the transaction.
    func sendCleaning() throws(PipelineError) {
        for statement in Self.cleaning { try send(statement) }
    }

    /// Commits the transaction, cleans the session in the same round trip, and returns the result of the commit.
    func commitAndClean() throws(StoreError) -> PostgresResult {
        defer { queried = nil }
        do throws(PipelineError) {
            _ = try pipeline { connection throws(PipelineError) in
                try connection.send("COMMIT", PostgresParameters(), keepsResult: true)
                try connection.sendCleaning()
            }
            mayHaveSettings = false
        } catch {
            // If the transaction is committed, only the session could not be cleaned, which is tried again.
            guard error.index > 0 else { throw error.error }
        }
        guard let queried else { throw failure(nil) }
        return queried
    }

    /// Cleans the session if that is needed and not done yet. If that is not possible, the connection is not used again.
    func clean() {
        guard mayHaveSettings, !isLost, isBetweenTransactions else { return }
        do throws(PipelineError) {
            _ = try pipeline { connection throws(PipelineError) in try connection.sendCleaning() }
            mayHaveSettings = false
        } catch {
            isEnding = true
        }
    }
}
