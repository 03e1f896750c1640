#if canImport(CCurl)
import FeedbackTesting
import Foundation
import LocalBackend
import Testing

@testable import Networking

@Suite("Callers that look for their answers")
struct CurlLookTests {
    private func makeTransfer() throws -> CurlTransfer {
        try CurlTransfer(TransportRequest(url: try #require(URL(string: "http://127.0.0.1/"))))
    }

    private func reading(_ socket: Int32) -> SocketPoll.Interest {
        .init(socket: socket, isRead: true, isWritten: false)
    }
    private func writing(_ socket: Int32) -> SocketPoll.Interest {
        .init(socket: socket, isRead: false, isWritten: true)
    }

    @Test("A caller waits for one socket only, and what it does not wait for is left to the engine's thread")
    func sockets() throws {
        var look = CurlLook()
        look.begin(for: try makeTransfer())
        #expect(look.interest == nil)
        look.keep(writing(3))
        look.keep(reading(3))
        #expect(look.interest == reading(3))
        look.keep(writing(4))
        #expect(look.interest == nil)
        #expect(look.end(.late) == [reading(3), writing(4)])
        #expect(look.transfer == nil && look.end(.late).isEmpty)
    }

    @Test("A socket that the request no longer waits for is forgotten")
    func forgotten() throws {
        var look = CurlLook()
        look.begin(for: try makeTransfer())
        look.keep(reading(3))
        #expect(look.forget(3) && !look.forget(3))
        #expect(look.interest == nil && look.end(.answered).isEmpty)
    }

    @Test("The more answers in a row are late, the longer no caller looks; one in time ends that")
    func pauses() throws {
        let transfer = try makeTransfer()
        var look = CurlLook()
        /// Returns the number of requests without a look before the next look.
        func pause(_ end: CurlLook.End) -> Int {
            _ = look.end(end)
            for count in 0... {
                look.begin(for: transfer)
                if look.transfer != nil { return count }
            }
            return .max
        }
        #expect((0..<6).map { _ in pause(.late) } == [1, 3, 7, 15, 15, 15])
        #expect(pause(.overtaken) == 0 && pause(.late) == 15)
        #expect(pause(.answered) == 0 && pause(.late) == 1)
    }

    @Test("However many answers come in time, one request in 51 gives up the thread of its task")
    func row() throws {
        let transfer = try makeTransfer()
        var look = CurlLook()
        for _ in 0..<3 {
            for _ in 0..<50 {
                look.begin(for: transfer)
                #expect(look.transfer != nil)
                _ = look.end(.answered)
            }
            look.begin(for: transfer)
            #expect(look.transfer == nil)
        }
    }

    @Test("Only requests that end without other tasks are looked for")
    func streams() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let content = Data("content".utf8)
        func ends(_ body: RequestBody?, _ destination: TransportRequest.Destination = .memory(limit: 1)) throws -> Bool
        {
            try CurlTransfer(TransportRequest(method: .PUT, url: url, body: body, destination: destination))
                .endsByItself
        }
        #expect(try ends(nil) && ends(.data(content)))
        #expect(try !ends(.stream { AsyncStream<Data> { nil } }))
        #expect(try !ends(nil, .stream(StreamedBody())))
    }

    @Test(
        "If another thread has the turn after the look, the engine's thread gets the answer",
        arguments: [true, false])
    func lostTurn(isLate: Bool) async throws {
        try await withBackend { backend, _ in
            backend.get("/x") { _ in .json([1]) }
            let url = try #require(backend.address).appending(path: "x")
            // On a busy machine, the time for a look may be over before it begins.
            var hasLooked = false
            while !hasLooked {
                let (turn, other, looks) = (NSLock(), OtherThread(), Box(0))
                let engine = CurlEngine(CurlTransport.Configuration(), turn: turn) { interest, end in
                    other.take(turn)
                    looks.update { $0 += 1 }
                    return isLate ? nil : SocketPoll.look(for: interest, until: end)
                }
                // The end of a timeout would bring the answer, too.
                let transfer = try CurlTransfer(TransportRequest(url: url, timeout: .seconds(3_600)))
                let outcome = Box<CurlTransfer.Outcome?>(nil)
                async let end: Void = {
                    outcome.value = await withCheckedContinuation { continuation in
                        if transfer.begin(continuation) { engine.post(.start(transfer)) }
                        if looks.value > 0 { other.giveBack() }
                    }
                }()
                await eventually("the answer comes") { outcome.value != nil }
                if transfer.cancel() { engine.post(.cancel(transfer)) }
                await end
                #expect(try outcome.value?.get().body == Data("[1]".utf8))
                #expect(looks.value <= 1)
                hasLooked = looks.value > 0
                engine.finish()
            }
        }
    }

    /// A thread that takes a lock, and keeps it until it is told to give it back.
    private final class OtherThread: Sendable {
        private let (hasTaken, mayGiveBack) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        /// Returns when the other thread has the lock.
        func take(_ lock: NSLock) {
            Thread.detachNewThread { [self] in
                lock.lock()
                hasTaken.signal()
                mayGiveBack.wait()
                lock.unlock()
            }
            hasTaken.wait()
        }

        func giveBack() { mayGiveBack.signal() }
    }

    @Test("However soon answers come, and whenever requests are cancelled, each one ends with its own answer")
    func stress() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/echo/:number") { request in
                let number = try request.parameter("number", as: Int.self)
                // The server answers before, at and after the end of a look.
                let end = ContinuousClock.now + CurlLook.moment * (number % 5) / 2
                while ContinuousClock.now < end { sched_yield() }
                return .json([number])
            }
            let echo: @Sendable (Int) async throws -> [Int] = { number in
                try await session.access(BackendResource<Void, [Int], KongAuth>.get("/v1/echo/\(number)"))
            }
            // One caller alone looks for each answer; of several, those begin a look that find no other request.
            for callers in [1, 2, 4] {
                try await withThrowingDiscardingTaskGroup { group in
                    for caller in 0..<callers {
                        group.addTask {
                            for turn in 0..<200 {
                                let number = turn * callers + caller
                                let isCancelled = number % 3 == 1
                                let request = Task<[Int], any Error> { try await echo(number) }
                                if isCancelled {
                                    for _ in 0..<number % 7 { await Task.yield() }
                                    request.cancel()
                                }
                                switch await request.result {
                                case .success(let answer): #expect(answer == [number])
                                case .failure(let error): #expect(isCancelled && error as? CoreError == .cancelled)
                                }
                            }
                        }
                    }
                }
            }
            #expect(try await echo(1_000) == [1_000])
        }
    }
}
#endif
