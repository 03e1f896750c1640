import CPostgres
import Dispatch
import Foundation
import Persistence
import Synchronization

// The async forms, which suspend the task while the server works.

extension PostgresConnection {
    /// The time in milliseconds for which a task waits for an answer before it is suspended.
    ///
    /// A nearby server answers a simple query faster than a thread switches to another task and back.
    private static var shortWait: Int32 { 1 }

    /// The number of statements in this process whose results are awaited by tasks.
    private static let awaited = Atomic(0)

    /// The greatest size of a statement and its parameters that can be sent without waiting for the server to read.
    static var maximumUnreadSize: Int { 8_192 }

    /// Runs one statement; prepares it if it is not prepared yet.
    ///
    /// If the task is cancelled, the server is asked to stop, and the connection cannot be used again.
    func result(
        of text: String, _ parameters: PostgresParameters
    ) async throws(StoreError) -> PostgresResult {
        let key = PreparedStatements.Key(text: text, types: parameters.types)
        if let known = statements[key] { return try await execute(known, parameters) }
        if let oldest = statements.removeOldest() {
            _ = try await answer(isSent: PQsendQuery(handle, "DEALLOCATE \(oldest)"))
        }
        let name = statements.add(key)
        do throws(StoreError) {
            _ = try await answer(
                isSent: parameters.types.withUnsafeBufferPointer {
                    PQsendPrepare(handle, name, text, Int32($0.count), $0.baseAddress)
                })
        } catch {
            statements.remove(key)
            throw error
        }
        return try await execute(name, parameters)
    }

    private func execute(_ name: String, _ parameters: PostgresParameters) async throws(StoreError) -> PostgresResult {
        try await answer(
            isSent: parameters.withPointers { count, values, lengths, formats in
                PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
            })
    }

    /// Waits for the result of the statement that was sent, and for the end of the answer.
    private func answer(isSent: Int32) async throws(StoreError) -> PostgresResult {
        guard isSent == 1 else { throw failure(nil) }
        Self.awaited.add(1, ordering: .relaxed)
        defer { Self.awaited.subtract(1, ordering: .relaxed) }
        // Other tasks may have statements to send, which the server can run at the same time.
        if Self.awaited.load(ordering: .relaxed) > 1 {
            await Task.yield()
            _ = PQconsumeInput(handle)
        }
        try await receive()
        let first = Result { () throws(StoreError) in try check(PQgetResult(handle)) }
        // During a COPY, there is no end of results.
        while !hasBegunCopy {
            try await receive()
            guard let more = PQgetResult(handle) else { break }
            PQclear(more)
        }
        return try first.get()
    }

    /// Waits until a result can be taken without waiting.
    private func receive() async throws(StoreError) {
        // If the connection is lost, the result is the error.
        while PQisBusy(handle) == 1, PQstatus(handle) == CONNECTION_OK {
            await waitForInput()
            if Task.isCancelled {
                isEnding = true
                DispatchQueue.global().async { self.cancel() }
                throw .cancelled
            }
            _ = PQconsumeInput(handle)
        }
    }

    private func waitForInput() async {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        if answersSoon, poll(&descriptor, 1, Self.shortWait) > 0 { return }
        let start = ContinuousClock.now
        await SocketWatcher.shared.waitForInput(on: descriptor.fd)
        answersSoon = start.duration(to: .now) < .milliseconds(Int(Self.shortWait))
    }
}
