import CPostgres
import Feedback
import Foundation
import Persistence
import Synchronization

// The async forms, which suspend the task while the server works.

extension PostgresConnection {
    /// The greatest size of a statement and its parameters that can be sent without waiting for the server to read.
    static var maximumUnreadSize: Int { 8_192 }

    /// Runs one statement; prepares it if it is not prepared yet.
    ///
    /// If the task is cancelled, the connection cannot be used before ``stop(_:)`` has ended.
    func result(
        of text: String, _ parameters: PostgresParameters
    ) async throws(StoreError) -> PostgresResult {
        let key = PreparedStatements.Key(text: text, types: parameters.types)
        let name: String
        if let known = statements[key] { name = known } else { name = try await prepare(key) }
        return try await awaitAnswer(isSent: sendExecution(of: name, parameters))
    }

    private func prepare(_ key: PreparedStatements.Key) async throws(StoreError) -> String {
        if let oldest = statements.removeOldest() {
            _ = try await awaitAnswer(isSent: PQsendQuery(handle, "DEALLOCATE \(oldest)"))
        }
        let name = statements.add(key)
        do throws(StoreError) {
            _ = try await awaitAnswer(isSent: sendPreparation(of: key, as: name))
        } catch {
            statements.remove(key)
            throw error
        }
        return name
    }

    /// Waits for the result of the statement that was sent, and for the end of the answer.
    private func awaitAnswer(isSent: Int32) async throws(StoreError) -> PostgresResult {
        guard isSent == 1 else { throw failure(nil) }
        beginWait()
        defer { endWait() }
        let isAlone = Self.waiting.add(1, ordering: .relaxed).oldValue == 0
        defer { Self.waiting.subtract(1, ordering: .relaxed) }
        if pace.looks(isAlone: isAlone) { lookForAnswer() }
        if PQisBusy(handle) == 1 { try await receive(isAlone) }
        let first = Result { () throws(StoreError) in try check(PQgetResult(handle)) }
        // During a COPY, there is no end of results.
        while !hasBegunCopy {
            if PQisBusy(handle) == 1 { try await receive(isAlone) }
            guard let more = PQgetResult(handle) else { break }
            PQclear(more)
        }
        return try first.get()
    }

    /// Asks the server to stop the statement whose task was cancelled, and reads the rest of its answer. Then calls `body`
    /// with true if the connection can be used again.
    ///
    /// This has a thread of its own: all threads of tasks may be waiting for this connection.
    func stop(_ body: @escaping @Sendable (Bool) -> Void) {
        let waiting = Locked<(@Sendable (Bool) -> Void)?>(body)
        @Sendable func end(_ isUsable: Bool) {
            let body = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            body?(isUsable)
        }
        Thread.detachNewThread { [self] in
            guard cancel() else { return end(false) }
            isEnding = false
            beginWait()
            while takeResult() {}
            endWait()
            end(!isLost)
        }
        // A server that is frozen may never take notice.
        guard let answerTimeout else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + answerTimeout.timeInterval) { end(false) }
    }

    /// Waits for a result and drops it; returns false if there is none left, or if there is no end of them.
    private func takeResult() -> Bool {
        guard let result = PQgetResult(handle) else { return false }
        _ = try? check(result)
        return !hasBegunCopy
    }

    /// Waits until a result can be taken without waiting.
    private func receive(_ isAlone: Bool) async throws(StoreError) {
        // If the connection is lost, the result is the error.
        while PQisBusy(handle) == 1, PQstatus(handle) == CONNECTION_OK {
            await waitForInput(isAlone)
            if Task.isCancelled {
                isEnding = true
                throw .cancelled
            }
            _ = PQconsumeInput(handle)
            // libpq may leave the rest of a TLS record, of at most 16 KB, in a buffer that the socket does not tell of.
            if PQsslInUse(handle) == 1, PQisBusy(handle) == 1 { _ = PQconsumeInput(handle) }
        }
    }

    private func waitForInput(_ isAlone: Bool) async {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // A nearby server answers a simple query faster than a thread switches to another task and back. If there are
        // other tasks, the thread is for them.
        if isAlone, pace.isSoon, poll(&descriptor, 1, SocketWatcher.shortTime) > 0 { return }
        let start = ContinuousClock.now
        await SocketWatcher.shared.waitForInput(on: descriptor.fd, isSoon: pace.isSoon && !isAlone)
        pace.note(start.duration(to: .now))
    }
}
