import Feedback
import FeedbackTesting
import Foundation
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
}
