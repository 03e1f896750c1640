import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Testing

@testable import Networking

@Suite("Sharing")
struct SharingTests {
    @Test("Equal GETs under way are one request; others are not")
    func shares() async throws {
        try await withBackend(transport: DefaultTransport().sharing()) { backend, session in
            let (asked, arrived) = (Box(0), Box(0))
            backend.get("/v1/:number") { request in
                arrived.update { $0 += 1 }
                await eventually("all callers have asked") { asked.value == 30 }
                // The last ones may be a moment from joining the others.
                if arrived.value <= 3 { try await Task.sleep(for: .seconds(1)) }
                return .json([try request.parameter("number", as: Int.self)])
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        asked.update { $0 += 1 }
                        let resource = BackendResource<Void, [Int], KongAuth>.get("/v1/\(number % 3)")
                        return try await session.access(resource) == [number % 3]
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(arrived.value == 3)
            let again = try await session.access(BackendResource<Void, [Int], KongAuth>.get("/v1/0"))
            #expect(again == [0] && arrived.value == 4)
        }
    }

    @Test("A caller that cancels does not cancel the request of the others; the last one does")
    func cancels() async throws {
        let (started, cancelled) = (Box(0), Box(0))
        let transport = StubTransport { request throws(CoreError) in
            started.update { $0 += 1 }
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                cancelled.update { $0 += 1 }
            }
            throw .cancelled
        }.sharing()
        let request = TransportRequest(url: try #require(URL(string: "https://api.example.com/v1")))
        let patient = Task { try await transport.send(request) }
        await eventually { started.value == 1 }
        for _ in 0..<5 {
            // It gives up while it waits with the other, or before it has begun to.
            let impatient = Task { try await transport.send(request) }
            await Task.yield()
            impatient.cancel()
            _ = await impatient.result
        }
        #expect(cancelled.value == 0)
        patient.cancel()
        await eventually { cancelled.value == 1 }
        #expect(started.value == 1)
    }

    @Test("Requests of two users that are under way at the same time are not one")
    func users() async throws {
        let (sent, isReleased) = (Box<[String]>([]), Box(false))
        let transport = StubTransport { request throws(CoreError) in
            let field = request.fieldsToSend["Authorization"] ?? ""
            sent.update { $0.append(field) }
            await eventually { isReleased.value }
            return try TransportResponse(status: 200, body: Data(field.utf8), url: request.url)
        }.sharing()
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let tasks = ["anna", "bert", "anna"].map { user in
            var request = TransportRequest(url: url)
            request.authorize(with: .bearer(user))
            return Task { [request] in try await transport.send(request).body }
        }
        await eventually { Set(sent.value) == ["Bearer anna", "Bearer bert"] }
        isReleased.value = true
        for (task, user) in zip(tasks, ["anna", "bert", "anna"]) {
            #expect(try await task.value == Data("Bearer \(user)".utf8))
        }
    }

    @Test("A request that is sent after a write does not join one that was sent before it")
    func afterWrite() async throws {
        let (reads, isReleased) = (Box(0), Box(false))
        let transport = StubTransport { request throws(CoreError) in
            if request.method == .GET {
                let number = reads.update {
                    $0 += 1
                    return $0
                }
                if number == 1 { await eventually { isReleased.value } }
            }
            return try TransportResponse(status: 200, url: request.url)
        }.sharing()
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let early = Task { try await transport.send(TransportRequest(url: url)) }
        await eventually { reads.value == 1 }
        _ = try await transport.send(TransportRequest(method: .PUT, url: url.appending(path: "1")))
        _ = try await transport.send(TransportRequest(url: url))
        #expect(reads.value == 2)
        isReleased.value = true
        _ = try await early.value
    }

    @Test("Each of thousands of callers that join and cancel at random gets a result")
    func atRandom() async throws {
        let transport = StubTransport { request throws(CoreError) in
            try? await Task.sleep(for: .microseconds(.random(in: 0...200)))
            return try TransportResponse(status: 200, url: request.url)
        }.sharing()
        let request = TransportRequest(url: try #require(URL(string: "https://api.example.com/v1")))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<3_000 {
                group.addTask {
                    let task = Task { try await transport.send(request).status }
                    if Bool.random() { task.cancel() }
                    switch await task.result {
                    case .success(let status): return status == 200
                    case .failure(let error): return error as? CoreError == .cancelled && task.isCancelled
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
