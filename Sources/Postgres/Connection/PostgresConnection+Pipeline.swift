import CPostgres
import Persistence

// Several statements at once: each is sent without waiting for the results of the ones before it.

extension PostgresConnection {
    /// A statement that was sent in a pipeline.
    enum Sent {
        case preparation(PreparedStatements.Key)
        /// If `keepsResult`, the whole result is kept.
        case execution(keepsResult: Bool)
    }

    /// The number of statements that are sent before their results are read. The results must fit into the socket's buffers.
    private static var maximumSent: Int { 200 }

    /// Sends the statements that `body` adds, without waiting for the results in between, and returns their outcomes.
    ///
    /// If a statement fails, those after it are not run. The error's index counts the statements before it.
    func pipeline(
        _ body: (PostgresConnection) throws(PipelineError) -> Void
    ) throws(PipelineError) -> [PipelineOutcome] {
        if statements.isFull {
            do throws(StoreError) {
                while let oldest = statements.removeOldest(keeping: PreparedStatements.maximum / 2) {
                    try execute("DEALLOCATE \(oldest)")
                }
            } catch {
                throw PipelineError(index: 0, error: error)
            }
        }
        guard PQenterPipelineMode(handle) == 1 else { throw PipelineError(index: 0, error: failure(nil)) }
        violation = nil
        defer {
            outcomes = []
            if PQexitPipelineMode(handle) == 0 { isEnding = true }
        }
        do throws(PipelineError) {
            try body(self)
        } catch {
            // A statement that was sent before may have failed with an error of its own, which is thrown instead.
            try readResults()
            throw PipelineError(index: outcomes.count, error: error.error)
        }
        try readResults()
        return outcomes
    }

    /// Adds a statement with the parameters `values` to the pipeline. Without `types`, each value is sent as its own
    /// type.
    func send(
        _ text: String, _ values: [PrimitiveValue] = [], as types: [PostgresType]? = nil
    ) throws(PipelineError) {
        var parameters = PostgresParameters()
        do throws(StoreError) {
            for (index, value) in values.enumerated() {
                try parameters.append(value, as: types?[index] ?? PostgresType(value))
            }
        } catch {
            throw PipelineError(index: outcomes.count, error: error)
        }
        try send(text, parameters)
    }

    /// Adds a statement to the pipeline.
    ///
    /// - Parameter keepsResult: `true` if the result is kept as ``queried``.
    func send(
        _ text: String, _ parameters: PostgresParameters, keepsResult: Bool = false
    ) throws(PipelineError) {
        let key = PreparedStatements.Key(text: text, types: parameters.types)
        var isSent: Int32 = 1
        let name: String
        if let known = statements[key] {
            name = known
        } else {
            name = statements.add(key)
            sent.append(.preparation(key))
            isSent = sendPreparation(of: key, as: name)
        }
        sent.append(.execution(keepsResult: keepsResult))
        if isSent == 1 { isSent = sendExecution(of: name, parameters) }
        if isSent == 0 {
            // It is unknown how much of it was sent.
            isEnding = true
            sent = []
            throw PipelineError(index: outcomes.count, error: failure(nil))
        }
        if sent.count >= Self.maximumSent { try readResults() }
    }

    /// Waits for the results of what was sent.
    private func readResults() throws(PipelineError) {
        guard !sent.isEmpty else { return }
        defer { sent = [] }
        beginWait()
        defer { endWait() }
        guard PQpipelineSync(handle) == 1 else { throw PipelineError(index: outcomes.count, error: failure(nil)) }
        var first: StoreError?
        for statement in sent {
            let result = PQgetResult(handle)
            if first == nil {
                do throws(StoreError) {
                    let result = try check(result)
                    switch statement {
                    case .preparation: break
                    case .execution(let keepsResult):
                        outcomes.append(PipelineOutcome(result))
                        if keepsResult { queried = result }
                    }
                } catch {
                    first = error
                }
            } else if let result {
                PQclear(result)
            }
            if first != nil, case .preparation(let key) = statement { statements.remove(key) }
            // During a COPY, there is no end of results.
            if hasBegunCopy { break }
            // In a pipeline, a nil ends the results of each statement.
            while result != nil, let more = PQgetResult(handle) { PQclear(more) }
        }
        if !hasBegunCopy, let end = PQgetResult(handle) { PQclear(end) }
        if let first { throw PipelineError(index: outcomes.count, error: first) }
    }
}

extension PostgresConnection {
    /// Returns the result of a statement of the library's user, which is run in a read-only transaction of its own. All is
    /// sent at once.
    func read(_ text: String, _ parameters: PostgresParameters) throws(StoreError) -> PostgresResult {
        defer { queried = nil }
        mayHaveSettings = true
        do throws(PipelineError) {
            _ = try pipeline { connection throws(PipelineError) in
                try connection.send(Self.beginReading)
                try connection.send(text, parameters, keepsResult: true)
                try connection.send("COMMIT")
                try connection.sendCleaning()
            }
            mayHaveSettings = false
        } catch {
            // Beyond the commit, only the session could not be cleaned, which is tried again.
            guard error.index >= 3 else {
                if !isLost, !isBetweenTransactions { try? execute("ROLLBACK") }
                throw error.error.ofReading
            }
        }
        guard let queried else { throw failure(nil) }
        return queried
    }
}

/// The outcome of a statement in a pipeline. It is small, since a pipeline may have a million of them.
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

/// The error of a statement in a pipeline, and the number of statements that were run before it.
struct PipelineError: Error {
    let index: Int
    let error: StoreError
}
