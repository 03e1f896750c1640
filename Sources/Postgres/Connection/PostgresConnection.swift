import CPostgres
import Foundation
import Persistence

/// A connection to a server, and the statements that are prepared on it.
// Unchecked, since the pool gives a connection to one thread at a time. Any thread may call `cancel()`.
final class PostgresConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let address: PostgresAddress
    private let cancellation: OpaquePointer?
    var statements = PreparedStatements()
    /// The statements of a pipeline whose results have not been read yet.
    var sent: [Sent] = []
    /// The results of a pipeline that have been read.
    var landed: [PipelineOutcome] = []
    /// `true` if the last awaited answer came so soon that a short wait for the next one makes sense.
    var answersSoon = true
    /// The name of the constraint that the last statement violated.
    private(set) var violatedConstraint: String?
    /// `true` if the connection must not be used again: the server closes it, or an answer to it is still under way.
    var isEnding = false
    /// `true` after a statement failed only because it must be prepared again, on another connection.
    private(set) var isOutdated = false
    /// A value that changes if the server crashes; `nil` if the server does not have it.
    private(set) var serverLife: String?

    init(_ address: PostgresAddress, patience: Duration) throws(StoreError) {
        let seconds = max(2, patience.components.seconds)
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
        // Otherwise libpq would print notices to the standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        serverLife = lifeOfServer()
    }

    deinit {
        if let cancellation { PQfreeCancel(cancellation) }
        PQfinish(handle)
    }

    private static func connect(
        _ address: PostgresAddress, _ defaults: [String: String]
    ) throws(StoreError) -> (OpaquePointer, StoreError?) {
        guard let handle = address.withOptions(defaults: defaults, { PQconnectdbParams($0, $1, 0) }) else {
            throw .unreachable(reason: "there is no memory for a connection")
        }
        return (handle, failure(of: handle, address, defaults))
    }

    /// Returns the start time of the server's statistics, which the server discards when it recovers from a crash.
    private func lifeOfServer() -> String? {
        let question = "SELECT stats_reset::text FROM pg_stat_bgwriter"
        let answer = try? check(PQexecParams(handle, question, 0, nil, nil, nil, nil, 1))
        if case .text(let time)? = answer?.first { return time }
        return nil
    }

    private static func failure(
        of handle: OpaquePointer, _ address: PostgresAddress, _ defaults: [String: String]
    ) -> StoreError? {
        guard PQstatus(handle) == CONNECTION_OK else {
            let reason = address.redacted(String(cString: PQerrorMessage(handle)).sentence)
            // The server's message may be in any language. A ping returns a status code instead.
            let isRefused =
                switch address.withOptions(defaults: defaults, { PQpingParams($0, $1, 0) }) {
                case PQPING_OK: !reason.contains("too many") && !reason.contains("remaining connection slots")
                case PQPING_NO_ATTEMPT: true
                case PQPING_NO_RESPONSE: cannotVerify(handle, address, defaults)
                default: false
                }
            return isRefused ? .refused(reason: reason) : .unreachable(reason: reason)
        }
        if PQserverVersion(handle) < 130_000 {
            return .refused(reason: "\(address) is older than PostgreSQL 13; update the server")
        }
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
        if let encoding, encoding != "UTF8" {
            return .refused(
                reason: "\(address) keeps text as \(encoding); create the database with the encoding UTF8")
        }
        return nil
    }

    /// Returns true if the server would accept the connection if its certificate were not checked.
    private static func cannotVerify(
        _ handle: OpaquePointer, _ address: PostgresAddress, _ defaults: [String: String]
    ) -> Bool {
        guard let options = PQconninfo(handle) else { return false }
        defer { PQconninfoFree(options) }
        var (option, mode) = (options, "")
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "sslmode" { mode = option.pointee.val.map { String(cString: $0) } ?? "" }
            option += 1
        }
        guard mode.hasPrefix("verify") else { return false }
        // Even in this mode, libpq checks the certificate if it finds a file of root certificates.
        let unverified = ["sslmode": "require", "sslrootcert": "/nonexistent"]
        return address.withOptions(defaults: defaults, replacedBy: unverified) { PQpingParams($0, $1, 0) } == PQPING_OK
    }

    // MARK: - State

    /// `true` if the connection was closed, by the server or the network.
    var isLost: Bool { isEnding || PQstatus(handle) != CONNECTION_OK }

    /// `true` if the connection can be used, as far as is known without asking the server.
    var isAlive: Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // There is input without a request: a last message of the server, or the end of the connection. The end comes
        // after the message.
        while !isLost, !isOutdated, poll(&descriptor, 1, 0) > 0 {
            if PQconsumeInput(handle) == 0 { return false }
        }
        return !isLost && !isOutdated
    }

    /// `true` if no transaction is open.
    var isBetweenTransactions: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// `true` if the transaction has failed, so that the server accepts only its end.
    var hasFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Asks the server to cancel its work for this connection. The call may come from any thread and takes a moment.
    func cancel() {
        guard let cancellation else { return }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(cancellation, message.baseAddress, Int32(message.count))
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
                _ = try check(
                    parameters.types.withUnsafeBufferPointer {
                        PQprepare(handle, name, text, Int32($0.count), $0.baseAddress)
                    })
            } catch {
                statements.remove(key)
                throw error
            }
        }
        return try check(
            parameters.withPointers { count, values, lengths, formats in
                PQexecPrepared(handle, name, count, values, lengths, formats, 1)
            })
    }

    /// Runs text without parameters, which may hold several statements.
    func execute(_ text: String) throws(StoreError) { _ = try check(PQexec(handle, text)) }

    /// Returns the rows that a statement of the library's user selects.
    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try run(sql.textWithoutTransactionControl(), PostgresParameters(sql.values)).rows
    }

    /// Closes the least recently used statement if there are too many.
    private func makeRoom() throws(StoreError) {
        if let oldest = statements.removeOldest() { try execute("DEALLOCATE \(oldest)") }
    }

    // MARK: - Errors

    func check(_ result: OpaquePointer?) throws(StoreError) -> PostgresResult {
        guard let result else { throw failure(nil) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE: return PostgresResult(result)
        default:
            let error = failure(result)
            PQclear(result)
            throw error
        }
    }

    func failure(_ result: OpaquePointer?) -> StoreError {
        violatedConstraint = nil
        func field(_ code: UnicodeScalar) -> String? {
            result.flatMap { PQresultErrorField($0, Int32(code.value)) }.map { String(cString: $0) }
        }
        let message = (field("M") ?? String(cString: PQerrorMessage(handle))).sentence
        let reason = address.redacted([message, field("D")?.sentence].compactMap { $0 }.joined(separator: "; "))
        violatedConstraint = field("n")
        guard let code = field("C") else {
            // The error is from libpq itself, which may notice late that the connection is closed.
            isEnding = true
            return .unreachable(reason: reason)
        }
        // The statement has a plan whose columns have changed, or was closed by other means.
        if code == "26000" || (code == "0A000" && message.contains("cached plan")) { isOutdated = true }
        let error = StoreError(code: code, reason: reason, address: address)
        if case .unreachable = error { isEnding = true }
        return error
    }
}

extension String {
    /// The text on one line, without the full stop at its end. Further lines of libpq's, such as a hint, follow in
    /// brackets.
    fileprivate var sentence: String {
        let lines = split(whereSeparator: \.isNewline).map { line in
            var line = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            while line.last == "." { line.removeLast() }
            return line
        }
        let more = lines.dropFirst().filter { !$0.isEmpty }
        return (lines.first ?? "") + (more.isEmpty ? "" : " (\(more.joined(separator: "; ")))")
    }
}
