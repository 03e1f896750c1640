import Feedback
import Foundation
import Networking
import Persistence
import Sync
import Testing

/// Below a business controller all is async: a call starts no task of its own on its way to the network.
struct OneTaskTests {
    private let transport = TaskRecorder()

    private func store() throws -> MirroredStore<PostgRESTStore<Film>, SQLiteStore<Film>> {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let session = BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]),
            credentials: FixedCredentials(.bearer("test")), transport: transport)
        return MirroredStore(
            Film.schema, remote: PostgRESTStore(Film.schema, accessible: session),
            local: try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
    }

    @Test("A read and a write through the mirror reach the transport in the caller's task")
    func sameTask() async throws {
        let store = try store()
        let caller = withUnsafeCurrentTask { $0?.hashValue }
        _ = try await store.fetch()
        _ = try await store.save(.fixture())
        #expect(transport.tasks == [caller, caller])
    }

    @Test("A producer of a read starts one task")
    func oneTask() async throws {
        let store = try store()
        let producer = SignalProducer<Int?, StoreError> { () async throws(StoreError) in
            _ = try await store.fetch()
            return withUnsafeCurrentTask { $0?.hashValue }
        }
        let task = try await producer.value()
        #expect(transport.tasks == [task])
    }
}

/// Answers each request with the rows that it writes, and records the tasks in which they were sent.
private final class TaskRecorder: Transport {
    private let recorded = Locked<[Int?]>([])

    var tasks: [Int?] { recorded.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        let task = withUnsafeCurrentTask { $0?.hashValue }
        recorded.withLock { $0.append(task) }
        let rows = request.body?.data ?? Data("[]".utf8)
        return try TransportResponse(status: 200, body: rows, url: request.url)
    }
}
