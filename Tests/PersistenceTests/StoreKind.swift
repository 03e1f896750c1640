import Persistence

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, Codable, Sendable {
    case memory
    case sqlite

    /// True if texts may have zero bytes.
    var hasZeroBytes: Bool { true }

    func run(_ body: (any TestedStore) throws -> Void) throws { try body(store()) }

    func run(_ body: (any TestedStore) async throws -> Void) async throws { try await body(store()) }

    private func store() throws -> any TestedStore {
        switch self {
        case .memory: MemoryStore(Film.schema)
        case .sqlite: try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        }
    }
}

protocol TestedStore: ObservableStore, TransactionalStore where Object == Film {}

extension MemoryStore: TestedStore where Object == Film {}

extension SQLiteStore: TestedStore where Object == Film {}
