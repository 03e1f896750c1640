import Dispatch
import Feedback
import Persistence
import Postgres

/// The store that the suites in `Shared`, which are those of the other stores, are to hold for.
enum StoreKind: String, CaseIterable, Sendable {
    case postgres

    /// True if texts may have zero bytes.
    var hasZeroBytes: Bool { false }

    func run(_ body: (any TestedStore) throws -> Void) throws { try body(store()) }

    func run(_ body: (any TestedStore) async throws -> Void) async throws { try await body(store()) }

    private func store() throws -> any TestedStore {
        try PostgresStore(Film.schema, in: TestServer.running().database())
    }
}

protocol TestedStore: ObservableStore, TransactionalStore where Object == Film {}

extension MemoryStore: TestedStore where Object == Film {}

extension PostgresStore: TestedStore where Object == Film {}

extension SignalProducer where Error == StoreError {
    /// The values of a producer, once it has ended.
    func values() throws(StoreError) -> [Value] {
        let collected = Locked<(values: [Value], error: StoreError?)>(([], nil))
        let hasEnded = DispatchSemaphore(value: 0)
        start(
            Observer(
                value: { value in collected.withLock { $0.values.append(value) } },
                failed: { error in
                    collected.withLock { $0.error = error }
                    hasEnded.signal()
                },
                completed: { hasEnded.signal() },
                interrupted: { hasEnded.signal() }))
        hasEnded.wait()
        let (values, error) = collected.withLock { $0 }
        if let error { throw error }
        return values
    }
}
