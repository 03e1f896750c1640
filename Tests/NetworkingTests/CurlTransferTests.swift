#if canImport(CCurl)
import CCurl
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

@Suite("Transfers")
struct CurlTransferTests {
    private let body = RequestBody.data(Data("content".utf8))

    private func makeTransfer(_ configure: (inout TransportRequest) -> Void = { _ in }) throws -> CurlTransfer {
        var request = TransportRequest(
            method: .PUT, url: try #require(URL(string: "http://127.0.0.1/")), body: body, timeout: .seconds(600))
        configure(&request)
        let transfer = try CurlTransfer(request)
        transfer.upload = try CurlUpload(body) {}
        return transfer
    }

    /// Lets the transfer send as many bytes as libcurl asks for.
    private func send(_ transfer: CurlTransfer, _ count: Int = 100) -> Int {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { transfer.send(into: $0) }
    }

    @Test("Whatever is sent or received shows that the server is not silent")
    func activity() throws {
        let transfer = try makeTransfer()
        let steps: [(CurlTransfer) -> Void] = [
            { _ = $0.mayBeSent(localPort: 0) }, { _ = send($0) },
            { transfer in _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { transfer.receive(headerLine: $0) } },
            { transfer in _ = [UInt8](repeating: 7, count: 3).withUnsafeBytes { transfer.receive($0) } },
        ]
        for step in steps {
            transfer.lastActivity = .now - .seconds(3_600)
            #expect(transfer.deadline < .now)
            step(transfer)
            #expect(transfer.deadline > .now)
        }
    }

    @Test("The server is not silent while the request's own body has nothing to send")
    func waitingBody() throws {
        let transfer = try makeTransfer()
        transfer.upload = try CurlUpload(.stream { AsyncStream(unfolding: waitForever) }) {}
        transfer.lastActivity = .now - .seconds(3_600)
        _ = send(transfer)
        transfer.lastActivity = .now - .seconds(3_600)
        #expect(transfer.deadline > .now)
    }

    @Test("That libcurl asks for more after the end of the body does not show that the server takes any of it")
    func endedBody() throws {
        let transfer = try makeTransfer()
        #expect(send(transfer) == 7 && send(transfer) == 0)
        transfer.lastActivity = .now - .seconds(3_600)
        #expect(send(transfer) == 0)
        #expect(transfer.deadline < .now)
    }

    @Test("After a wait for a stream that then ends, the server has its whole time")
    func endedStream() async throws {
        let transfer = try makeTransfer()
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let hasEnded = Box(false)
        transfer.upload = try CurlUpload(.stream { stream }) { hasEnded.value = true }
        #expect(send(transfer) == Int(CURL_READFUNC_PAUSE))
        continuation.finish()
        await eventually { hasEnded.value }
        transfer.lastActivity = .now - .seconds(3_600)
        #expect(send(transfer) == 0)
        #expect(transfer.deadline > .now)
    }

    @Sendable private func waitForever() async -> Data? {
        // Not a wait for a time: the test cancels it.
        try? await Task.sleep(for: .seconds(86_400))
        return nil
    }

    @Test("Until the request is sent, the time to connect may be longer than the silence that is allowed")
    func connecting() throws {
        let transfer = try makeTransfer { $0.connectTimeout = .seconds(6_000) }
        #expect(transfer.deadline > .now + .seconds(5_000))
        // It may be sent, and the server be silent, long before.
        #expect(transfer.nextLook < .now + .seconds(1_000) && transfer.nextLook > .now)
        #expect(transfer.mayBeSent(localPort: 0))
        #expect(transfer.deadline < .now + .seconds(1_000))
        #expect(transfer.nextLook == transfer.deadline)
    }

    @Test("The wait for a turn is not the server's silence")
    func waitingForTurn() throws {
        let transfer = try makeTransfer()
        let handle = try #require(curl_easy_init())
        defer {
            transfer.release()
            curl_easy_cleanup(handle)
        }
        transfer.lastActivity = .now - .seconds(3_600)
        try transfer.prepare(handle, CurlTransport.Configuration()) {}
        #expect(transfer.deadline > .now)
    }

    @Test("The thread of a transport ends with it")
    func thread() async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        defer { withExtendedLifetime(server) {} }
        var configuration = CurlTransport.Configuration()
        configuration.connectionsPerHost = 1
        var engine: CurlEngine? = CurlEngine(configuration)
        let isGone = { @Sendable [weak engine] in engine == nil }
        // The second one waits for its turn.
        let transfers = try (0..<2).map { _ in try CurlTransfer(TransportRequest(url: server.url)) }
        let isFirstOver = Box(false)
        let outcome = await withCheckedContinuation { continuation in
            Task { [engine] in
                _ = await withCheckedContinuation { first in
                    if transfers[0].begin(first) { engine?.post(.start(transfers[0])) }
                    if transfers[1].begin(continuation) { engine?.post(.start(transfers[1])) }
                }
                isFirstOver.value = true
            }
        }
        #expect(try outcome.get().status == 204)
        await eventually { isFirstOver.value }
        // The thread holds the engine.
        engine?.finish()
        engine = nil
        await eventually("the thread has ended") { isGone() }
    }

    @Test("While a request is sent and answered, the process's handling of signals stays as it was")
    func signals() async {
        await #expect(processExitsWith: .success) {
            /// Returns whether a write to a closed connection would end the process, as is the default.
            let isDefault: @Sendable () -> Bool = {
                var action = sigaction()
                return sigaction(SIGPIPE, nil, &action) == 0
                    && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
            }
            signal(SIGPIPE, SIG_DFL)
            let server = try RawServer(answering: Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone".utf8))
            let seen = Box<Set<Bool>>([])
            let request = TransportRequest(
                url: server.url, progress: { _ in seen.update { $0 = $0.union([isDefault()]) } })
            #expect(try await DefaultTransport().send(request).status == 200)
            #expect(seen.value == [true])
        }
    }

    @Test("A transport that was made while the process had no descriptors left works when it has some again")
    func noDescriptors() async throws {
        let server = try RawServer(answering: Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
        defer { withExtendedLifetime(server) {} }
        let hasDescriptors = Box(false)
        let engine = CurlEngine(CurlTransport.Configuration()) { hasDescriptors.value ? SocketPoll() : nil }
        func send() async throws -> CurlTransfer.Outcome {
            let transfer = try CurlTransfer(TransportRequest(url: server.url))
            return await withCheckedContinuation { if transfer.begin($0) { engine.post(.start(transfer)) } }
        }
        for _ in 1...2 {
            let failed = try await send()
            #expect(throws: CoreError.self) { try failed.get() }
        }
        #expect(!server.hasConnections)
        hasDescriptors.value = true
        for _ in 1...2 { #expect(try await send().get().status == 204) }
        engine.finish()
    }

    @Test("The connections of a transport are closed when it is gone")
    func connections() async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))
            return .keep
        }
        defer { withExtendedLifetime(server) {} }
        var transport: CurlTransport? = CurlTransport()
        for _ in 0..<2 { #expect(try await transport?.send(TransportRequest(url: server.url)).status == 204) }
        #expect(server.endedConnections == 0)
        transport = nil
        await eventually("the connection is closed") { server.endedConnections == 1 }
    }

    @Test("A transfer that is cancelled before it begins does not begin, and says so")
    func cancelledBefore() async throws {
        let transfer = try makeTransfer()
        #expect(!transfer.cancel() && transfer.isCancelled)
        let hasBegun = Box(false)
        let outcome = await withCheckedContinuation { continuation in
            hasBegun.value = transfer.begin(continuation)
            if hasBegun.value { transfer.end(with: .failure(.network(NetworkFailure(.timedOut)))) }
        }
        #expect(!hasBegun.value)
        #expect(throws: CoreError.cancelled) { try outcome.get() }
    }

    @Test("Only the first outcome of a transfer counts")
    func firstOutcome() async throws {
        let transfer = try makeTransfer()
        let outcome = await withCheckedContinuation { continuation in
            #expect(transfer.begin(continuation) && transfer.cancel())
            transfer.end(with: .failure(.network(NetworkFailure(.timedOut))))
            transfer.end(with: .failure(.cancelled))
        }
        #expect(throws: CoreError.network(NetworkFailure(.timedOut))) { try outcome.get() }
        #expect(!transfer.cancel())
    }

    @Test("The part of a file is removed as soon as its transfer is over, and not only when nobody knows it any more")
    func removedPart() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "transfer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let transfer = try makeTransfer { $0.destination = .file(folder.appending(path: "file"), limit: 100) }
        for line in ["HTTP/1.1 200 OK", "Content-Length: 5", ""] {
            #expect(Array("\(line)\r\n".utf8).withUnsafeBytes { transfer.receive(headerLine: $0) })
        }
        #expect(Array("he".utf8).withUnsafeBytes { transfer.receive($0) } == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).count == 1)
        transfer.release()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
        withExtendedLifetime(transfer) {}
    }

    @Test("A limit of the whole does not move", arguments: [false, true])
    func whole(isSent: Bool) throws {
        let transfer = try makeTransfer { $0.totalTimeout = .seconds(60) }
        if isSent { _ = transfer.mayBeSent(localPort: 0) }
        #expect(transfer.deadline == transfer.wholeDeadline && transfer.nextLook == transfer.wholeDeadline)
        #expect(transfer.deadline < .now + .seconds(100))
    }

    @Test("A body that is sent again is counted from its beginning")
    func sentAgain() throws {
        let sent = Box<[TransferProgress]>([])
        let transfer = try makeTransfer { $0.progress = { step in sent.update { $0.append(step) } } }
        for _ in 1...2 {
            while send(transfer, 4) > 0 {}
            #expect(transfer.rewind())
        }
        #expect(sent.value.map(\.bytesSent) == [4, 7, 4, 7])
        #expect(sent.value.allSatisfy { $0.bytesToSend == 7 && $0.bytesReceived == 0 && $0.bytesToReceive == nil })
    }

    @Test("The progress of an answer has its length, unless it is packed", arguments: [nil, "identity", "gzip"])
    func received(coding: String?) throws {
        let steps = Box<[TransferProgress]>([])
        let transfer = try makeTransfer { $0.progress = { step in steps.update { $0.append(step) } } }
        for line in ["HTTP/1.1 200 OK", "Content-Length: 5", coding.map { "Content-Encoding: \($0)" } ?? "X: y", ""] {
            #expect(Array("\(line)\r\n".utf8).withUnsafeBytes { transfer.receive(headerLine: $0) })
        }
        for piece in ["he", "llo"] {
            #expect(Array(piece.utf8).withUnsafeBytes { transfer.receive($0) } == piece.utf8.count)
        }
        #expect(steps.value.map(\.bytesReceived) == [2, 5])
        #expect(steps.value.allSatisfy { $0.bytesToReceive == (coding == "gzip" ? nil : 5) })
        #expect(steps.value.allSatisfy { $0.bytesSent == 0 && $0.bytesToSend == 0 })
    }

    @Test("A failure without a name of its own has libcurl's number and sentence")
    func detail() async throws {
        let url = try #require(URL(string: "http://exa%20mple/"))
        let error = await failure { () async throws(CoreError) in
            try await CurlTransport().send(TransportRequest(url: url))
        }
        guard case .network(let failure) = error, case .other = failure.reason else { return recordUnexpected(error) }
        #expect(failure.detail.count > 5 && !failure.detail.contains("\0"))
        #expect("\(failure)".contains(failure.detail))
    }
}
#endif
