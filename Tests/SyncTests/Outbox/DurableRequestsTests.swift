import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

struct DurableRequestsTests {
    private struct Favourite: Codable, Equatable, Sendable {
        var status: String
        var isOn: Bool
    }

    /// A server that answers with an error while there is one, and does each request once, by its key.
    private struct Server: Sendable {
        var error: CoreError?
        var tries: [UUID] = []
        var keys: Set<UUID> = []
        var done: [Favourite] = []
    }

    private let server = SharedServer()

    private final class SharedServer: Sendable {
        let state = Locked(Server())

        func perform(_ favourite: Favourite, _ key: UUID) throws(CoreError) {
            try state.withLock { server throws(CoreError) in
                server.tries.append(key)
                if let error = server.error { throw error }
                if server.keys.insert(key).inserted { server.done.append(favourite) }
            }
        }
    }

    private func requests(in database: SQLiteDatabase) throws -> (DurableRequests<Favourite>, Outbox) {
        let outbox = try Outbox(in: database)
        let requests = try DurableRequests<Favourite>("favourites", in: outbox) {
            [server] favourite, key throws(CoreError) in try server.perform(favourite, key)
        }
        return (requests, outbox)
    }

    @Test("Requests about one thing are sent in their order, with the same key at each try")
    func order() async throws {
        let (requests, outbox) = try requests(in: SQLiteDatabase(.memory))
        server.state.withLock { $0.error = .network(NetworkFailure(.connectionLost)) }
        try await requests.send(Favourite(status: "5", isOn: true), about: "5")
        try await requests.send(Favourite(status: "5", isOn: false), about: "5")
        await eventually("it was tried twice") { server.state.withLock { $0.tries.count } >= 2 }
        #expect(outbox.status.value.waiting == 2)
        server.state.withLock { $0.error = nil }
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(server.state.withLock { $0.done.map(\.isOn) } == [true, false])
        #expect(Set(server.state.withLock { $0.tries }).count == 2)
    }

    @Test("An answer is stored soon, although many other requests are ready and the next one has no answer yet")
    func storedSoon() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.width = 1 }
        let answered = MutableProperty("")
        let requests = try DurableRequests<String>("numbers", in: outbox) { number, _ throws(CoreError) in
            await eventually { answered.value >= number }
        }
        for number in "abcdefghijkl" { try await requests.send("\(number)", about: "\(number)") }
        await eventually { outbox.status.value.waiting == 12 }
        answered.value = "b"
        await eventually("two answers are stored") { outbox.status.value.waiting == 10 }
        answered.value = "l"
        await eventually("all is sent") { outbox.status.value.isInStep }
    }

    @Test("A request that the server refuses is parked, and can be sent again or given up")
    func parking() async throws {
        let (requests, outbox) = try requests(in: SQLiteDatabase(.memory))
        server.state.withLock { $0.error = .status(StatusFailure(code: 422)) }
        try await requests.send(Favourite(status: "5", isOn: true), about: "5")
        try await requests.send(Favourite(status: "6", isOn: true), about: "6")
        await eventually("both are parked") { outbox.parked.value.count == 2 }
        #expect(outbox.parked.value[0].summary.contains(#""status":"5""#))
        server.state.withLock { $0.error = nil }
        try await outbox.retry(outbox.parked.value[0].id)
        try await outbox.giveUp(try #require(outbox.parked.value.last).id)
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(server.state.withLock { $0.done.map(\.status) } == ["5"])
    }

    @Test("Requests that were not sent are sent by the next run of the program")
    func restarting() async throws {
        let database = try SQLiteDatabase(.memory)
        server.state.withLock { $0.error = .network(NetworkFailure(.offline)) }
        do {
            let (requests, _) = try requests(in: database)
            try await requests.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("it was tried") { !server.state.withLock { $0.tries.isEmpty } }
        }
        server.state.withLock { $0.error = nil }
        let (_, outbox) = try requests(in: database)
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(server.state.withLock { $0.done.map(\.status) } == ["5"])
    }

    // MARK: - The key of a request that is sent again

    @Test(
        "A request that may have been done keeps its key when it is sent again, and one that was refused does not",
        arguments: [0, 1, 2])
    func keyOfRetry(failure: Int) async throws {
        let (requests, outbox) = try requests(in: SQLiteDatabase(.memory))
        let refusal = CoreError.status(StatusFailure(code: 403))
        let first: CoreError =
            switch failure {
            case 0: .network(NetworkFailure(.connectionLost))
            case 1: .parsing(ParsingFailure(reason: "odd"))
            default: .network(NetworkFailure(.cannotConnect))
            }
        server.state.withLock { $0.error = first }
        try await requests.send(Favourite(status: "5", isOn: true), about: "5")
        await eventually("it was tried") { outbox.status.value.problem != nil || !outbox.parked.value.isEmpty }
        server.state.withLock { $0.error = refusal }
        await eventually("it is parked") { outbox.parked.value.count == 1 }
        server.state.withLock { $0.error = nil }
        try await outbox.retry(outbox.parked.value[0].id)
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(Set(server.state.withLock { $0.tries }).count == (failure < 2 ? 1 : 2))
    }

    @Test(
        "After a lost answer, a request gets another key only if its content is refused",
        arguments: [(400, true), (422, true), (403, false), (404, false), (409, false)])
    func keyAfterLostAnswer(status: Int, isRenewed: Bool) async throws {
        let (requests, outbox) = try requests(in: SQLiteDatabase(.memory))
        server.state.withLock { $0.error = .network(NetworkFailure(.connectionLost)) }
        try await requests.send(Favourite(status: "5", isOn: true), about: "5")
        await eventually("it was tried") { outbox.status.value.problem != nil }
        server.state.withLock { $0.error = .status(StatusFailure(code: status)) }
        await eventually("it is parked") { outbox.parked.value.count == 1 }
        server.state.withLock { $0.error = nil }
        try await outbox.retry(outbox.parked.value[0].id)
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(Set(server.state.withLock { $0.tries }).count == (isRenewed ? 2 : 1))
    }

    @Test(
        "A request that was turned away was not done, so a later refusal gives it another key",
        arguments: [(401, true), (407, true), (421, true), (425, true), (429, true), (503, false)])
    func keyAfterTurningAway(status: Int, isRenewed: Bool) async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.retryInterval = .milliseconds(2) }
        let requests = try DurableRequests<Favourite>("favourites", in: outbox) {
            [server] favourite, key throws(CoreError) in try server.perform(favourite, key)
        }
        server.state.withLock { $0.error = .status(StatusFailure(code: status)) }
        try await requests.send(Favourite(status: "5", isOn: true), about: "5")
        await eventually("it was tried") { outbox.status.value.problem != nil }
        server.state.withLock { $0.error = .status(StatusFailure(code: 403)) }
        await eventually("it is parked") { outbox.parked.value.count == 1 }
        server.state.withLock { $0.error = nil }
        try await outbox.retry(outbox.parked.value[0].id)
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(Set(server.state.withLock { $0.tries }).count == (isRenewed ? 2 : 1))
    }

    // MARK: - Resources

    @Test("A request whose answer cannot be read is parked, and keeps its key when it is sent again")
    func unreadableAnswer() async throws {
        let backend = LocalBackend()
        let keys = Locked<[String?]>([])
        backend.post("/favourites") { request in
            let isFirst = keys.withLock { keys in
                keys.append(request.headers["Idempotency-Key"])
                return keys.count == 1
            }
            let body = isFirst ? #"{"ok":false}"# : #"{"status":"5","isOn":true}"#
            return .data(Data(body.utf8), contentType: "application/json")
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { _ in
                BackendResource<Favourite, Favourite, KongAuth>(path: .api(.core, "/favourites"), method: .POST)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            try #require(outbox.parked.value.map(\.cause) == [.unconfirmed])
            try await outbox.retry(outbox.parked.value[0].id)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(keys.withLock { $0.count } == 2)
            #expect(Set(keys.withLock { $0 }).count == 1)
        }
    }

    @Test("A request without a response is done when the server has answered, whatever the answer is")
    func ignoredAnswer() async throws {
        let backend = LocalBackend()
        backend.post("/favourites") { _ in .data(Data(#"{"ok":false}"#.utf8), contentType: "application/json") }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { _ in
                BackendResource<Favourite, Void, KongAuth>(path: .api(.core, "/favourites"), method: .POST)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
        }
    }

    @Test("An answer that is called a web page, and is none, counts as done", arguments: ["", #"{"id":1}"#])
    func noWebPage(body: String) async throws {
        let backend = LocalBackend()
        backend.post("/favourites") { _ in .data(Data(body.utf8), contentType: "text/html; charset=utf-8") }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { _ in
                BackendResource<Void, Void, KongAuth>(path: .api(.core, "/favourites"), method: .POST)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(backend.requests.count == 1)
        }
    }

    @Test(
        "A web page in place of the server's answer does not count as done",
        arguments: ["text/html", "text/plain", "application/octet-stream"])
    func webPage(type: String) async throws {
        let backend = LocalBackend()
        let isInTheWay = Locked(true)
        backend.post("/favourites") { _ in
            isInTheWay.withLock { $0 }
                ? .data(Data("<!DOCTYPE html>".utf8), contentType: type) : .init(status: 204)
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { _ in
                BackendResource<Void, Void, KongAuth>(path: .api(.core, "/favourites"), method: .POST)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("the page has come") { outbox.status.value.problem != nil || outbox.status.value.isInStep }
            #expect(outbox.status.value.waiting == 1)
            isInTheWay.withLock { $0 = false }
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.isInStep }
        }
    }

    @Test("A resource is sent with its path and a key, without a network as soon as it is back")
    func resources() async throws {
        let backend = LocalBackend()
        let paths = Locked<[String]>([])
        let keys = Locked<[String?]>([])
        backend.post("/statuses/:id/:act") { request in
            paths.withLock { $0.append(request.path) }
            keys.withLock { $0.append(request.headers["Idempotency-Key"]) }
            return .init(status: 204)
        }
        backend.misbehave(.drop, times: 2)
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) {
                BackendResource<Void, Void, KongAuth>(
                    path: .api(.core, "/statuses/\($0.status)/\($0.isOn ? "favourite" : "unfavourite")"), method: .POST)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            try await favourites.send(Favourite(status: "5", isOn: false), about: "5")
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(paths.withLock { $0 } == ["/statuses/5/favourite", "/statuses/5/unfavourite"])
            #expect(Set(keys.withLock { $0.compactMap { $0 } }).count == 2)
        }
    }

    @Test("The body of a resource is the value that was kept")
    func resourceWithBody() async throws {
        let backend = LocalBackend()
        let bodies = Locked<[Data]>([])
        backend.put("/favourites") { request in
            bodies.withLock { $0.append(request.body) }
            return .init(status: 204)
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let favourites = try DurableRequests<Favourite>("favourites", in: outbox, accessible: session) { _ in
                BackendResource<Favourite, Void, KongAuth>(path: .api(.core, "/favourites"), method: .PUT)
            }
            try await favourites.send(Favourite(status: "5", isOn: true), about: "5")
            await eventually("all is sent") { outbox.status.value.isInStep }
            let body = try #require(bodies.withLock { $0 }.first)
            #expect(try JSONDecoder().decode(Favourite.self, from: body) == Favourite(status: "5", isOn: true))
        }
    }
}
