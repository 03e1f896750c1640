import FeedbackTesting
import Feedback
import Foundation
import LocalBackend
import Networking
import Testing

/// At whatever stage a request is given up, it ends at once, and on the wire too.
@Suite("Cancellation")
struct CancellationTests {
    private typealias Numbers = BackendResource<Void, [Int], NoAuth>

    /// Answers once the client has gone, and counts both.
    private func route(_ backend: LocalBackend) -> (arrived: Box<Int>, gone: Box<Int>) {
        let (arrived, gone) = (Box(0), Box(0))
        backend.get("/wait") { _ in
            arrived.update { $0 += 1 }
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                gone.update { $0 += 1 }
            }
            return .json([1])
        }
        return (arrived, gone)
    }

    @Test("A producer that is never started sends nothing")
    func neverStarted() async throws {
        try await withBackend { backend, session in
            let producer: SignalProducer<[Int], CoreError> = session.access(Numbers.get("/x"))
            withExtendedLifetime(producer) {}
            #expect(backend.requests.isEmpty)
        }
    }

    @Test("Disposing at once ends in interruption, and nothing else")
    func atOnce() async throws {
        try await withBackend { backend, session in
            // It does not answer while somebody waits: a busy machine may stop for a moment before it disposes.
            _ = route(backend)
            let events = Box<[String]>([])
            for _ in 0..<50 {
                let producer: SignalProducer<[Int], CoreError> = session.access(Numbers.get("/wait"))
                producer.start { event in events.update { $0.append("\(event)") } }.dispose()
            }
            await eventually { events.value.count == 50 }
            #expect(Set(events.value).count == 1)
            #expect(events.value.first?.contains("interrupted") == true)
        }
    }

    @Test("Disposing while the server thinks closes the connection")
    func whileWaiting() async throws {
        try await withBackend { backend, session in
            let (arrived, gone) = route(backend)
            let values = Box(0)
            let producer: SignalProducer<[Int], CoreError> = session.access(Numbers.get("/wait"))
            let disposable = producer.startWithResult { _ in values.update { $0 += 1 } }
            await eventually { arrived.value == 1 }
            disposable.dispose()
            await eventually("the server sees the client leave") { gone.value == 1 }
            #expect(values.value == 0)
        }
    }

    @Test(
        "Cancelling the task of the async form closes the connection and throws that it was cancelled",
        arguments: [nil, Duration.seconds(600)])
    func asyncForm(totalTimeout: Duration?) async throws {
        try await withBackend(configure: { $0.totalTimeout = totalTimeout }) { backend, session in
            let (arrived, gone) = route(backend)
            let task = Task { try await session.access(Numbers.get("/wait")) }
            await eventually { arrived.value == 1 }
            task.cancel()
            let result = await task.result
            #expect(throws: CoreError.cancelled) { try result.get() }
            await eventually("the server sees the client leave") { gone.value == 1 }
        }
    }

    @Test("Disposing in the middle of the body ends it there")
    func inMidBody() async throws {
        try await withBackend { backend, session in
            let gone = Box(false)
            backend.get("/drip") { _ in
                .stream(contentType: "application/json") { body in
                    do {
                        try await body.write("[")
                        while true {
                            try await body.write("1,")
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    } catch {
                        gone.value = true
                        throw error
                    }
                }
            }
            let received = Box(Int64(0))
            let producer: SignalProducer<[Int], CoreError> = session.access(
                Numbers.get("/drip"), progress: { received.value = $0.bytesReceived })
            let disposable = producer.start()
            await eventually { received.value > 3 }
            disposable.dispose()
            await eventually("the server sees the client leave") { gone.value }
        }
    }

    @Test("Disposing from within the progress observer works")
    func fromProgress() async throws {
        try await withBackend { backend, session in
            backend.get("/x") { _ in .json(Array(0..<100_000)) }
            let (disposable, isOver) = (SerialDisposable(), Box(false))
            let producer: SignalProducer<[Int], CoreError> = session.access(
                Numbers.get("/x"), progress: { _ in disposable.dispose() })
            disposable.inner = producer.start(Observer(interrupted: { isOver.value = true }))
            await eventually { isOver.value }
            let numbers = try await session.access(Numbers.get("/x"))
            #expect(numbers.count == 100_000)
        }
    }

    @Test("A request begun from within the progress observer of another one is answered")
    func beginsFromProgress() async throws {
        try await withBackend { backend, session in
            backend.get("/x") { _ in .json(Array(0..<100_000)) }
            backend.get("/y") { _ in .json([7]) }
            let (inner, hasBegun) = (Box<[Int]>([]), Box(false))
            let numbers = try await session.access(
                Numbers.get("/x"),
                progress: { _ in
                    guard !hasBegun.value else { return }
                    hasBegun.value = true
                    let producer: SignalProducer<[Int], CoreError> = session.access(Numbers.get("/y"))
                    producer.start(Observer(value: { inner.value = $0 }))
                })
            #expect(numbers.count == 100_000)
            await eventually { inner.value == [7] }
        }
    }

    @Test("Cancelling while a retry waits ends the wait")
    func whileRetrying() async throws {
        let sent = Box(0)
        let transport = StubTransport { request throws(CoreError) in
            sent.update { $0 += 1 }
            return try TransportResponse(status: 503, url: request.url)
        }
        let patient = transport.retrying(RetryPolicy(firstDelay: .seconds(600), maximumDelay: .seconds(600)))
        let session = BackendSession(environment: .production, transport: patient)
        let task = Task { try await session.access(Numbers.get("/x")) }
        await eventually { sent.value == 1 }
        task.cancel()
        let result = await task.result
        #expect(throws: CoreError.cancelled) { try result.get() }
        #expect(sent.value == 1)
    }

    @Test("A cancelled download leaves no file, not even a part of one")
    func download() async throws {
        try await withBackend { backend, session in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            backend.get("/big") { _ in
                .stream { body in
                    while true {
                        try await body.write(Data(count: 1 << 14))
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            let big = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/big"), method: .GET)
            let received = Box(Int64(0))
            let producer: SignalProducer<Never, CoreError> = session.download(
                big, to: folder.appending(path: "big"), progress: { received.value = $0.bytesReceived })
            let disposable = producer.start()
            await eventually { received.value > 1 << 16 }
            disposable.dispose()
            await eventually {
                (try? FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty) == true
            }
        }
    }

    @Test("Cancelled at random moments by the hundred, every request ends and the session still works")
    func atRandom() async throws {
        try await withBackend { backend, session in
            backend.get("/x") { _ in
                try await Task.sleep(for: .microseconds(.random(in: 0...2_000)))
                return .json(Array(0..<1_000))
            }
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        let task = Task { try await session.access(Numbers.get("/x")) }
                        try? await Task.sleep(for: .microseconds(.random(in: 0...8_000)))
                        task.cancel()
                        switch await task.result {
                        case .success(let numbers): return numbers.count == 1_000
                        case .failure(let error): return error as? CoreError == .cancelled
                        }
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            let numbers = try await session.access(Numbers.get("/x"))
            #expect(numbers.count == 1_000)
        }
    }
}
