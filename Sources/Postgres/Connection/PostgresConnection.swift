import CPostgres
import Foundation
import Persistence

/// One connection to a server, and the statements that are prepared on it.
// Unchecked, since the pool gives a connection to one thread at a time. Any thread may call `cancel()`.
final class PostgresConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let address: PostgresAddress
    private let cancellation: OpaquePointer?
    private var statements = PreparedStatements()
    /// The statements that were sent and whose results were not read yet, in a pipeline.
    private var sent: [Sent] = []
    private var landed: [PipelineOutcome] = []
    /// The name of the constraint that the last statement violated.
    private(set) var violatedConstraint: String?
    /// True after the server said that it will close the connection.
    private var isEnding = false
    /// True after a statement failed that must only be prepared anew, on another connection.
    private(set) var isOutdated = false

    private enum Sent {
        case preparation(PreparedStatements.Key)
        case execution
    }

    /// Statements that are sent without waiting for their results. Their results must fit into the socket's buffers.
    private static var maximumSent: Int { 200 }

    init(_ address: PostgresAddress, patience: Duration) throws(StoreError) {
        let seconds = max(2, patience.components.seconds)
        let defaults = [
            "connect_timeout": "\(seconds)", "fallback_application_name": "feedback", "keepalives_idle": "30",
            "tcp_user_timeout": "30000",
        ]
        let handle = address.withOptions(defaults: defaults) { PQconnectdbParams($0, $1, 0) }
        guard let handle else { throw .unreachable(reason: "there is no memory for a connection") }
        let failure = Self.failure(of: handle, address, defaults)
        if let failure {
            PQfinish(handle)
            throw failure
        }
        self.handle = handle
        self.address = address
        cancellation = PQgetCancel(handle)
        // Notices would be printed to the standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit {
        if let cancellation { PQfreeCancel(cancellation) }
        PQfinish(handle)
    }

    private static func failure(
        of handle: OpaquePointer, _ address: PostgresAddress, _ defaults: [String: String]
    ) -> StoreError? {
        guard PQstatus(handle) == CONNECTION_OK else {
            let reason = address.redacted(String(cString: PQerrorMessage(handle)).sentence)
            // The server's words may be of any language. Asked whether it takes connections, it answers in a number.
            let isRefused =
                switch address.withOptions(defaults: defaults, { PQpingParams($0, $1, 0) }) {
                case PQPING_OK: !reason.contains("too many") && !reason.contains("remaining connection slots")
                case PQPING_NO_ATTEMPT: true
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

    // MARK: - State

    /// True if the connection was closed, by the server or the network.
    var isLost: Bool { isEnding || PQstatus(handle) != CONNECTION_OK }

    /// True if the connection can be used, as far as is known without asking the server.
    var isAlive: Bool {
        guard !isLost, !isOutdated else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0 else { return true }
        // Either the server says something unasked, or it is gone.
        return PQconsumeInput(handle) == 1 && !isLost
    }

    /// `true` if the server takes nothing but the end of the transaction.
    var hasFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Asks the server to give up what it does for this connection. It takes a moment, also on another thread.
    func cancel() {
        guard let cancellation else { return }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(cancellation, message.baseAddress, Int32(message.count))
        }
    }

    // MARK: - One statement

    /// Runs one statement, which is prepared if it was not before.
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

    /// The rows that a statement of the user's selects.
    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try run(sql.text(in: .postgres), PostgresParameters(sql.values)).rows
    }

    /// Closes the statement that was not used for the longest time, if there are too many.
    private func makeRoom() throws(StoreError) {
        if let oldest = statements.removeOldest() { try execute("DEALLOCATE \(oldest)") }
    }

    // MARK: - Several statements at once

    /// Sends the statements that `body` adds, without waiting for each other's results, and returns what came of them.
    ///
    /// The first one that fails ends all, and the rest are not run. The error's index counts the statements.
    func pipeline(
        _ body: (PostgresConnection) throws(PipelineError) -> Void
    ) throws(PipelineError) -> [PipelineOutcome] {
        if statements.isNearlyFull {
            do throws(StoreError) {
                while let oldest = statements.removeOldest(keeping: PreparedStatements.maximum / 2) {
                    try execute("DEALLOCATE \(oldest)")
                }
            } catch {
                throw PipelineError(index: 0, error: error)
            }
        }
        guard PQenterPipelineMode(handle) == 1 else { throw PipelineError(index: 0, error: failure(nil)) }
        landed = []
        sent = []
        defer {
            landed = []
            sent = []
            if PQexitPipelineMode(handle) == 0 { isEnding = true }
        }
        do throws(PipelineError) {
            try body(self)
        } catch {
            // What was sent before has an error of its own, or has been done.
            try land()
            throw PipelineError(index: landed.count, error: error.error)
        }
        try land()
        return landed
    }

    /// Adds a statement to the pipeline, whose parameters are `values`, of `types` or else of their own.
    func send(
        _ text: String, _ values: [PrimitiveValue] = [], as types: [PostgresType]? = nil
    ) throws(PipelineError) {
        var parameters = PostgresParameters()
        do throws(StoreError) {
            for (index, value) in values.enumerated() {
                try parameters.append(value, as: types?[index] ?? PostgresType(value))
            }
        } catch {
            throw PipelineError(index: landed.count, error: error)
        }
        try send(text, parameters)
    }

    /// Adds a statement to the pipeline.
    func send(_ text: String, _ parameters: PostgresParameters) throws(PipelineError) {
        let key = PreparedStatements.Key(text: text, types: parameters.types)
        var isSent: Int32 = 1
        let name: String
        if let known = statements[key] {
            name = known
        } else {
            name = statements.add(key)
            sent.append(.preparation(key))
            isSent = parameters.types.withUnsafeBufferPointer {
                PQsendPrepare(handle, name, text, Int32($0.count), $0.baseAddress)
            }
        }
        sent.append(.execution)
        if isSent == 1 {
            isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
            }
        }
        if isSent == 0 {
            // Nobody knows how much of it was sent.
            isEnding = true
            sent = []
            throw PipelineError(index: landed.count, error: failure(nil))
        }
        if sent.count >= Self.maximumSent { try land() }
    }

    /// Waits for the results of what was sent.
    private func land() throws(PipelineError) {
        guard !sent.isEmpty else { return }
        defer { sent = [] }
        guard PQpipelineSync(handle) == 1 else { throw PipelineError(index: landed.count, error: failure(nil)) }
        var first: StoreError?
        for statement in sent {
            let result = PQgetResult(handle)
            if first == nil {
                do throws(StoreError) {
                    let result = try check(result)
                    if case .execution = statement { landed.append(PipelineOutcome(result)) }
                } catch {
                    first = error
                }
            } else if let result {
                PQclear(result)
            }
            if first != nil, case .preparation(let key) = statement { statements.remove(key) }
            // Each result is followed by nothing.
            while result != nil, let more = PQgetResult(handle) { PQclear(more) }
        }
        if let end = PQgetResult(handle) { PQclear(end) }
        if let first { throw PipelineError(index: landed.count, error: first) }
    }

    // MARK: - Errors

    private func check(_ result: OpaquePointer?) throws(StoreError) -> PostgresResult {
        guard let result else { throw failure(nil) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE: return PostgresResult(result)
        default:
            let error = failure(result)
            PQclear(result)
            throw error
        }
    }

    private func failure(_ result: OpaquePointer?) -> StoreError {
        violatedConstraint = nil
        func field(_ code: UnicodeScalar) -> String? {
            result.flatMap { PQresultErrorField($0, Int32(code.value)) }.map { String(cString: $0) }
        }
        let message = field("M") ?? String(cString: PQerrorMessage(handle)).sentence
        let reason = address.redacted([message, field("D")].compactMap { $0 }.joined(separator: "; "))
        violatedConstraint = field("n")
        guard let code = field("C") else { return .unreachable(reason: reason) }
        // A plan whose columns have changed, or a statement that somebody closed.
        if code == "26000" || (code == "0A000" && message.contains("cached plan")) { isOutdated = true }
        let error = StoreError(code: code, reason: reason, address: address)
        if case .unreachable = error { isEnding = true }
        return error
    }
}

/// The outcome of a statement in a pipeline, which may have a million of them.
struct PipelineOutcome {
    /// The number of rows that the statement changed.
    let changes: Int
    /// The first value of the first row.
    let first: PrimitiveValue

    init(_ result: PostgresResult) {
        changes = result.changes
        first = result.first
    }
}

/// The error of a statement in a pipeline, and how many statements before it were run.
struct PipelineError: Error {
    let index: Int
    let error: StoreError
}

extension String {
    /// The text in one line, without the full stop at its end.
    fileprivate var sentence: String {
        var text = split(whereSeparator: \.isNewline).joined(separator: " ")
        while text.last == "." || text.last == " " { text.removeLast() }
        return text
    }
}
