import Dispatch
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@Suite("Readers never wait for a transaction")
struct WaitingTests {
    @Test(
        "While a transaction runs, others read and begin to observe what was there before it", .onOwnThread,
        arguments: StoreKind.allCases)
    func readersDoNotWait(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        func check<S: TestedStore>(_ store: S) throws {
            try store.insert(.fixture(id: 1)).get()
            let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let ended = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                store.transaction { films throws(StoreError) in
                    try films.insert([.fixture(id: 2)])
                    began.signal()
                    mayEnd.wait()
                }.start()
                ended.signal()
            }
            began.wait()
            // If one of these waited for the transaction, it would wait for ever.
            #expect(try store.all().result().get().map(\.id) == [1])
            #expect(try store.object(withId: 2).get() == nil)
            #expect(try store.all().count().get() == 1)
            let (emissions, disposable) = store.all().observe().map { $0.map(\.id) }.collecting()
            #expect(emissions.all == [[1]])
            mayEnd.signal()
            ended.wait()
            #expect(emissions.all == [[1], [1, 2]])
            disposable.dispose()
        }
        try kind.run { try check($0) }
        if kind == .sqlite { try check(SQLiteStore(Film.schema, at: folder.path("films.sqlite"))) }
    }

    @Test("A task that is cancelled before or in its transaction finishes it whole, and the store can be used after it")
    func cancelled() async throws {
        func check(_ store: some TestedStore) async throws {
            let work = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.insert((0..<100).map { .fixture(id: $0) })
                return try await store.all().result().count
            }
            #expect(try await work.value == 100)
            let transaction = Task {
                try await store.transaction { films throws(StoreError) in
                    try films.delete(ids: [0])
                    withUnsafeCurrentTask { $0?.cancel() }
                    try films.delete(ids: [1])
                }
            }
            try await transaction.value
            #expect(try await store.all().count() == 98)
            try await store.insert(.fixture(id: 0))
        }
        try await check(MemoryStore(Film.schema))
        try await check(SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
    }
}
