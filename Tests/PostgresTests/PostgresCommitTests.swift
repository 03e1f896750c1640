import Foundation
import Persistence
import Postgres
import Synchronization
import Testing

@Suite("A connection that is lost while a transaction is committed")
struct PostgresCommitTests {
    private let server: TestServer
    private let proxy: CuttingProxy
    private let films: PostgresStore<Film>

    init() throws {
        server = try TestServer.running()
        proxy = try CuttingProxy(to: server.folder)
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(2)
        films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder), configuration: configuration))
        try films.insert(.fixture(id: 0)).get()
    }

    /// Inserts a film in a transaction; returns how often its body ran.
    private func insert(_ id: Int) throws(StoreError) -> Int {
        let attempts = Atomic(0)
        try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            try films.insert([.fixture(id: id)])
        }
        return attempts.load(ordering: .relaxed)
    }

    @Test("Lost before the server got the commit, the transaction is done again, once")
    func before() throws {
        defer { proxy.close() }
        proxy.cutNext(.before)
        #expect(try insert(1) == 2)
        #expect(try films.all().result().get().map(\.id) == [0, 1])
    }

    @Test("Lost after the server got the commit, the transaction is not done again")
    func after() throws {
        defer { proxy.close() }
        proxy.cutNext(.after)
        #expect(try insert(1) == 1)
        #expect(try films.all().result().get().map(\.id) == [0, 1])
        // The same for a write that is a transaction by itself.
        proxy.cutNext(.after)
        try films.insert(.fixture(id: 2)).get()
        #expect(try films.all().result().get().map(\.id) == [0, 1, 2])
    }

    @Test("If nobody can be asked, the outcome is unknown, and the caller is told so")
    func unknown() throws {
        proxy.cutNext(.forGood)
        let error = #expect(throws: StoreError.self) { try insert(1) }
        guard case .outcomeUnknown? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        proxy.close()
    }
}
