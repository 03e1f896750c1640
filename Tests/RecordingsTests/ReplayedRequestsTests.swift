import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

@testable import Recordings

@Suite("The requests of a replay")
struct ReplayedRequestsTests {
    private let requests = ReplayedRequests()

    /// Sends a request, and waits until it is under way.
    private func send(_ path: String) async throws -> Task<TransportResponse, any Error> {
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/\(path)")))
        let task = Task { [requests] in try await requests.send(request) }
        await eventually("the request is under way") { requests.waiting(beside: []).contains { $0.url == request.url } }
        return task
    }

    private var paths: [String] { requests.waiting(beside: []).map { $0.url.path() } }

    @Test("Each waits until it is answered, in any order")
    func answering() async throws {
        let (first, second) = (try await send("a"), try await send("b"))
        #expect(requests.take { $0.url.path() == "/c" } == nil)
        let taken = try #require(requests.take { $0.url.path() == "/b" })
        #expect(paths == ["/a"])
        taken.answer(with: .response(status: 200, headers: [:], body: Data("B".utf8)))
        #expect(try await second.value.body == Data("B".utf8))
        requests.take { _ in true }?.answer(with: .failure(.network(.init(.timedOut))))
        await #expect(throws: CoreError.network(.init(.timedOut))) { try await first.value }
    }

    @Test("One that is cancelled fails, and the others wait on")
    func cancelling() async throws {
        let tasks = [try await send("a"), try await send("b"), try await send("c")]
        tasks[1].cancel()
        await eventually("the second one is not under way") { paths == ["/a", "/c"] }
        tasks[0].cancel()
        await eventually("the first one is not under way") { paths == ["/c"] }
        requests.refuseAll()
        for task in tasks { await #expect(throws: CoreError.cancelled) { try await task.value } }
    }

    @Test("At the end all are refused, and those that come later")
    func end() async throws {
        let first = try await send("a")
        requests.refuseAll()
        await #expect(throws: CoreError.cancelled) { try await first.value }
        let request = TransportRequest(url: try #require(URL(string: "https://api.example/b")))
        let hasEnded = Locked(false)
        let late = Task { [requests] in
            defer { hasEnded.withLock { $0 = true } }
            return try await requests.send(request)
        }
        if await eventually("the late request has ended", { hasEnded.withLock { $0 } }) {
            await #expect(throws: CoreError.cancelled) { try await late.value }
        }
    }

    @Test("Those that waited at the end of the recording, too, are known by method, path and query, each once")
    func unanswered() async throws {
        var tasks = [try await send("a?page=1&sort"), try await send("b")]
        let url = try #require(URL(string: "https://api.example/a?page=1&sort"))
        func recorded(_ url: URL, _ method: HTTPMethod = .GET) -> Recording.Request {
            .init(TransportRequest(method: method, url: url), Redaction())
        }
        #expect(requests.waiting(beside: [recorded(url)]).map { $0.url.path() } == ["/b"])
        for other in ["a?page=2&sort", "a?page=1", "c?page=1&sort"] {
            let other = recorded(try #require(URL(string: "https://api.example/\(other)")))
            #expect(requests.waiting(beside: [other, recorded(url, .POST)]).count == 2)
        }
        tasks.append(try await send("a?sort&page=1"))
        #expect(requests.waiting(beside: [recorded(url)]).map { $0.url.path() } == ["/b", "/a"])
        requests.refuseAll()
        for task in tasks { await #expect(throws: CoreError.cancelled) { try await task.value } }
    }
}
