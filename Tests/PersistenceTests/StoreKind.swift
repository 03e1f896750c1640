import Persistence

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, Codable, Sendable {
    case memory
    case sqlite

    /// True if texts may have zero bytes.
    var hasZeroBytes: Bool { true }

    func run(_ body: (any TestedStore) throws -> Void) throws {
        switch self {
        case .memory: try body(MemoryStore(Film.schema))
        case .sqlite: try body(SQLiteStore(Film.schema, in: SQLiteDatabase(.memory)))
        }
    }
}

protocol TestedStore: ObservableStore, TransactionalStore where Object == Film {}

extension MemoryStore: TestedStore where Object == Film {}

extension SQLiteStore: TestedStore where Object == Film {}
