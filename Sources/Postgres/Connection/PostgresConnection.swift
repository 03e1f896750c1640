import CPostgres
import Foundation
import Persistence

/// A connection to a server, and the statements that are prepared on it.
// Unchecked, since the pool gives a connection to one thread at a time. Any thread may call `cancel()`.
final class PostgresConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let address: PostgresAddress
    private let cancellation: OpaquePointer?
    /// The wait for an answer; `nil` if it may take any time.
    private let wait: AnswerLimit.Wait?
    /// `true` while each answer may take any time.
    var hasNoLimit = false
    var statements = PreparedStatements()
    /// The statements of a pipeline whose results have not been read yet.
    var sent: [Sent] = []
    /// The results of a pipeline that have been read.
    var outcomes: [PipelineOutcome] = []
    var pace = AnswerPace()
    /// The result of the query in a pipeline.
    var queried: PostgresResult?
    /// The constraint that a statement of the last pipeline violated.
    var violation: ConstraintName?
    /// `true` if the last statement that failed names a table that does not exist, itself and not by a function.
    private(set) var namesMissingTable = false
    /// `true` if the connection must not be used again: it may be closed, or an answer to it is still under way.
    var isEnding = false
    /// `true` if a statement of the library's user was run, and the session was not cleaned since.
    var mayHaveSettings = false
    /// `true` after a COPY of rows from or to the client, which would begin again on another connection.
    private(set) var hasBegunCopy = false
    /// `true` after a statement failed only because it must be prepared again, on another connection.
    private(set) var isOutdated = false
    /// The start of the server's statistics, which changes when the server recovers from a crash; `nil` if the server
    /// does not tell.
    private(set) var statisticsStart: String?

    init(_ address: PostgresAddress, patience: Duration, limit: AnswerLimit? = nil) throws(StoreError) {
        // libpq counts the milliseconds in 32 bits.
        let seconds = min(max(2, patience.components.seconds), Int64(Int32.max / 1_000))
        let defaults = [
            "connect_timeout": "\(seconds)", "fallback_application_name": "feedback", "keepalives_idle": "30",
            "tcp_user_timeout": "30000",
        ]
        var (handle, failure) = try Self.connect(address, defaults)
        // The server may have started between the refusal of the connection and the question why it was refused.
        if case .refused? = failure {
            PQfinish(handle)
            (handle, failure) = try Self.connect(address, defaults)
        }
        if let failure {
            PQfinish(handle)
            throw failure
        }
        self.handle = handle
        self.address = address
        cancellation = PQgetCancel(handle)
        wait = limit?.wait(of: PQsocket(handle))
        // Otherwise libpq would print notices to the standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        statisticsStart = askForStatisticsStart()
    }

    deinit {
        if let cancellation { PQfreeCancel(cancellation) }
        PQfinish(handle)
    }

    private func askForStatisticsStart() -> String? {
        let answer = try? runOnce("SELECT stats_reset::text FROM pg_stat_bgwriter")
        if case .text(let time)? = answer?.first { return time }
        return nil
    }

    // MARK: - State

    /// `true` if the connection was closed, by the server or the network.
    var isLost: Bool { isEnding || PQstatus(handle) != CONNECTION_OK }

    /// `true` if an answer has not come in time.
    var hasTimedOut: Bool { wait?.isOver ?? false }

    /// The longest time to wait for an answer.
    var answerTimeout: Duration? { wait?.limit }

    func beginWait() { if !hasNoLimit { wait?.begin() } }

    func endWait() {
        wait?.end()
        if hasTimedOut { isEnding = true }
    }

    /// `true` if the connection can be used, as far as is known without asking the server.
    var isAlive: Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // There is input without a request: a last message of the server, or the end of the connection. The end comes
        // after the message.
        while !isLost, poll(&descriptor, 1, 0) > 0 {
            if PQconsumeInput(handle) == 0 { return false }
        }
        return !isLost
    }

    /// `true` if no transaction is open.
    var isBetweenTransactions: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// `true` if the transaction has failed, so that the server accepts only its end.
    var hasFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Asks the server to cancel its work for this connection; returns true if it has taken notice. The call may come
    /// from any thread and takes a moment.
    @discardableResult
    func cancel() -> Bool {
        guard let cancellation else { return false }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            PQcancel(cancellation, message.baseAddress, Int32(message.count)) == 1
        }
    }

    // MARK: - One statement

    /// Runs one statement; prepares it if it is not prepared yet.
    @discardableResult
    func run(_ text: String, _ parameters: PostgresParameters = PostgresParameters()) throws(StoreError)
        -> PostgresResult
    {
        let key = PreparedStatements.Key(text: text, types: parameters.types)
        let name: String
        if let known = statements[key] {
            name = known
        } else {
            try makeRoom()
            name = statements.add(key)
            do throws(StoreError) {
                _ = try answer(isSent: sendPreparation(of: key, as: name))
            } catch {
                statements.remove(key)
                throw error
            }
        }
        return try answer(isSent: sendExecution(of: name, parameters))
    }

    /// Sends a statement to be prepared; returns 0 if that failed.
    func sendPreparation(of key: PreparedStatements.Key, as name: String) -> Int32 {
        // The server may not read what is sent.
        beginWait()
        defer { endWait() }
        return key.types.withUnsafeBufferPointer {
            PQsendPrepare(handle, name, key.text.text, Int32($0.count), $0.baseAddress)
        }
    }

    /// Sends the execution of a prepared statement; returns 0 if that failed.
    func sendExecution(of name: String, _ parameters: PostgresParameters) -> Int32 {
        beginWait()
        defer { endWait() }
        return parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
    }

    static var beginReading: String { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }

    /// Runs `body` in a read-only transaction, in which all its reads see the same committed state.
    func reading<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run(Self.beginReading)
        do throws(StoreError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            if !isLost { try? execute("ROLLBACK") }
            throw error.ofReading
        }
    }

    /// Runs one statement without parameters, and does not keep it prepared. The server refuses text with several
    /// statements.
    func execute(_ text: String) throws(StoreError) { _ = try runOnce(text) }

    /// Runs one statement, and does not keep it prepared.
    func runOnce(
        _ text: String, _ parameters: PostgresParameters = PostgresParameters()
    ) throws(StoreError) -> PostgresResult {
        beginWait()
        defer { endWait() }
        return try check(
            parameters.withPointers { count, values, lengths, formats in
                PQexecParams(handle, text, count, parameters.types, values, lengths, formats, 1)
            })
    }

    /// Closes the least recently used statement if there are too many.
    private func makeRoom() throws(StoreError) {
        if let oldest = statements.removeOldest() { try execute("DEALLOCATE \(oldest)") }
    }

    // MARK: - Errors

    /// Takes a result from libpq, which is nil if the connection was lost.
    func check(_ result: OpaquePointer?) throws(StoreError) -> PostgresResult {
        guard let result else { throw failure(nil) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE: return PostgresResult(result)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            // The server now sends or expects the rows, so the connection cannot be used for anything else.
            isEnding = true
            hasBegunCopy = true
            throw .refused(
                reason: "COPY from or to the client is not supported; use a program such as psql, or insert and select")
        default:
            let error = failure(result)
            PQclear(result)
            throw error
        }
    }

    func failure(_ result: OpaquePointer?) -> StoreError {
        func field(_ code: UnicodeScalar) -> String? {
            result.flatMap { PQresultErrorField($0, Int32(code.value)) }.map { String(cString: $0) }
        }
        let message = (field("M") ?? String(cString: PQerrorMessage(handle))).sentence
        let reason = address.redacted([message, field("D")?.sentence].compactMap { $0 }.joined(separator: "; "))
        if let schema = field("s"), let table = field("t"), let constraint = field("n") {
            violation = ConstraintName(schema: schema, table: table, constraint: constraint)
        }
        guard var code = field("C") else {
            // The error is from libpq itself, which may notice late that the connection is closed.
            isEnding = true
            guard hasTimedOut, let answerTimeout else { return .unreachable(reason: reason) }
            return .unreachable(reason: "\(address) has not answered in \(answerTimeout)")
        }
        // The statement has a plan whose columns have changed, or was closed by other means. The message may be in any
        // language; the name of the server's function is not translated.
        if code == "26000" || (code == "0A000" && field("R") == "RevalidateCachedQuery") { isOutdated = true }
        // The same code is for a name of a table that is not in the statement's FROM clause. In a function, the error has a
        // context.
        namesMissingTable =
            code == "42P01" && field("W") == nil
            && !["errorMissingRTE", "transformLockingClause"].contains(field("R"))
        // A replica refuses the isolation level of transactions that write, as one that it does not support.
        if code == "0A000", field("R") == "call_enum_check_hook" { code = "25006" }
        return StoreError(code: code, reason: reason, address: address)
    }
}

/// The names of a constraint, of its table and of their schema.
struct ConstraintName: Equatable {
    let schema: String
    let table: String
    let constraint: String
}

extension String {
    /// The text on one line, without the full stop at its end. Further lines of libpq's, such as a hint, follow in
    /// brackets.
    var sentence: String {
        let lines = split(whereSeparator: \.isNewline).map { line in
            var line = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            while line.last == "." { line.removeLast() }
            return line
        }
        let more = lines.dropFirst().filter { !$0.isEmpty }
        return (lines.first ?? "") + (more.isEmpty ? "" : " (\(more.joined(separator: "; ")))")
    }
}
