import Dispatch
import CPostgres
import Foundation
import Persistence
import Synchronization

// The async forms, which suspend the task while the server works.

extension PostgresConnection {
    /// The greatest size of a statement and its parameters that can be sent without waiting for the server to read.
    static var maximumUnreadSize: Int { 8_192 }

    /// Runs one statement; prepares it if it is not prepared yet.
    ///
    /// If the task is cancelled, the server is asked to stop, and the connection cannot be used again.
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
            _ = try await awaitAnswer(
                isSent: key.types.withUnsafeBufferPointer {
                    PQsendPrepare(handle, name, key.text, Int32($0.count), $0.baseAddress)
                })
        } catch {
            statements.remove(key)
            throw error
        }
        return name
    }

    /// Waits for the result of the statement that was sent, and for the end of the answer.
    private func awaitAnswer(isSent: Int32) async throws(StoreError) -> PostgresResult {
        guard isSent == 1 else { throw failure(nil) }
        let others = Self.waiting.add(1, ordering: .relaxed).oldValue
        defer { Self.waiting.subtract(1, ordering: .relaxed) }
        if others > 0 {
            // Other tasks may have statements to send, which the server can run at the same time.
            await Task.yield()
            _ = PQconsumeInput(handle)
        } else {
            lookForAnswer()
        }
        if PQisBusy(handle) == 1 { try await receive() }
        let first = Result { () throws(StoreError) in try check(PQgetResult(handle)) }
        // During a COPY, there is no end of results.
        while !hasBegunCopy {
            if PQisBusy(handle) == 1 { try await receive() }
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
        let socket = PQsocket(handle)
        if answersSoon, let hasInput = ShortWait.waitForInput(on: socket) {
            answersSoon = hasInput
            if hasInput { return }
        }
        let start = ContinuousClock.now
        await SocketWatcher.shared.waitForInput(on: socket)
        answersSoon = start.duration(to: .now) < .milliseconds(1)
    }
}

/// The waiting of tasks on their own threads, which are at most half as many as there are processors.
///
/// A nearby server answers a simple query faster than a thread switches to another task and back.
private enum ShortWait {
    /// The longest time in milliseconds. It is longer than the usual interval between two ticks of the kernel. A shorter
    /// wait would set a timer of the processor each time, which takes longer than the rest of the wait.
    private static let time: Int32 = 5
    private static let maximumCount = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    private static let count = Atomic(0)

    /// Waits until a socket has input; returns false if it has none in time, and nil if too many threads wait already.
    static func waitForInput(on socket: Int32) -> Bool? {
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).oldValue < maximumCount else { return nil }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, time) > 0
    }
}
